"""Probe a host with GET requests and collect artefacts into a bundle."""

from .bundle import Bundle, CollectRequest, collect
from .manifest import MANIFEST, BundleFile, Manifest, read_manifest
from .plan import ProbePlan, RedactionRules, plan_probe
from .probe import TimedRequest, probe

__all__ = [
    "MANIFEST",
    "Bundle",
    "BundleFile",
    "CollectRequest",
    "Manifest",
    "ProbePlan",
    "RedactionRules",
    "TimedRequest",
    "collect",
    "plan_probe",
    "probe",
    "read_manifest",
]
