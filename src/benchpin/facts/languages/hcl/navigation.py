"""How names of HCL are found."""

from benchpin.facts.code import Navigation

_GLOBALS = """
    any bool count data each false for if in list local map module null number object path provider
    resource self set string terraform true tuple var
"""
NAVIGATION = Navigation(
    globals=frozenset(_GLOBALS.split()),
    silencers=("tflint-ignore", "tfsec:ignore", "checkov:skip", "trivy:ignore"),
    test_command=lambda _tests: "terraform test",
    test_file=".tftest.hcl",
)
