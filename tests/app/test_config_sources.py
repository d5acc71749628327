"""Settings in YAML, in the words of DEBUG, and in every documented variable."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.app import Configuration, Settings
from benchpin.app._settings import FILES_ONLY, settings_type, toolset_tables
from benchpin.core.calls import Caller, Limits, Operation
from benchpin.core.errors import ConfigError

LoadFrom = Callable[..., Configuration]

SEED_RULES = """\
resource_permissions:
  - pattern: "**/*.py"
    operations: ["read"]
  - pattern: "output/**/*"
    operations: ["read", "write"]
  - pattern: ".env*"
    operations: []  # Explicitly deny
"""


def test_permission_rules_may_be_yaml(load_from: LoadFrom) -> None:
    permissions = load_from(yaml=SEED_RULES).permissions
    asked = [
        ("src/a.py", "read"),
        ("src/a.py", "write"),
        ("output/a/b.txt", "write"),
        ("a.md", "read"),
    ]
    allowed = [permissions.may(path, Operation(operation)) for path, operation in asked]
    assert allowed == [True, False, True, False]


def test_every_setting_may_be_yaml(load_from: LoadFrom) -> None:
    text = "tool_timeout: 7.5\nread_only: true\ntoolsets: [workspace]\nlimits:\n  burst: 5\n"
    found = load_from(yaml=text)
    assert (found.settings.tool_timeout, found.settings.limits.burst) == (7.5, 5)
    assert found.narrowing.toolsets == frozenset({"workspace"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x [1]\nb: *x\n", "it has an alias"),
        ("- a\n- b\n", "it has no keys at the top"),
        ("a: [", "is not YAML"),
        ("[" * 50 + "]" * 50, "it is nested too deep"),
        (b"\xff\xfe", "not UTF-8"),
        ("tool_timeoutt: 5\n", "there is no setting 'tool_timeoutt'"),
    ],
)
def test_bad_yaml_is_refused(load_from: LoadFrom, text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_from(yaml=text)


def test_a_workspace_has_one_file_of_settings(load_from: LoadFrom) -> None:
    with pytest.raises(ConfigError, match=r"both benchpin\.toml and benchpin\.yaml"):
        load_from(own="", yaml="")


@pytest.mark.parametrize(
    ("variables", "traced"),
    [
        ({"DEBUG": "mcp:*"}, {"protocol", "tools"}),
        ({"DEBUG": "mcp:protocol"}, {"protocol"}),
        ({"DEBUG": "documcp:tools"}, {"tools"}),
        ({"DEBUG": "express:* mcp:protocol,knex"}, {"protocol"}),
        ({"DEBUG": "1"}, set()),
        ({"DEBUG": "mcp:protocol", "BENCHPIN_DEBUG": "tools"}, {"protocol", "tools"}),
        ({"BENCHPIN_DEBUG": "mcp:*"}, {"protocol", "tools"}),
    ],
)
def test_the_words_of_debug_are_understood(
    load_from: LoadFrom, variables: dict[str, str], traced: set[str]
) -> None:
    assert load_from(env=variables).settings.debug == traced


DOCUMENTED = sorted(
    {
        name
        for page in Path(__file__).parents[2].glob("docs/**/*.md")
        for name in re.findall(r"\bBENCHPIN_[A-Z][A-Z_]+\b", page.read_text(encoding="utf-8"))
    }
)
OF_CALLERS = set(Caller("", "", "").environment())
SAMPLES = {
    "allow": "write",
    "artifacts": ".",
    "auth_token": "abc",
    "cache_dir": ".",
    "data_dir": ".",
    "debug": "protocol",
    "expose_tools": "read_file",
    "prompt_folders": ".",
    "root": ".",
    "template_folders": ".",
    "toolsets": "workspace",
}


@pytest.mark.parametrize("variable", DOCUMENTED)
def test_every_documented_variable_is_accepted(load_from: LoadFrom, variable: str) -> None:
    key = variable.removeprefix("BENCHPIN_").lower()
    if variable in OF_CALLERS:
        value = "someone"
    elif key.startswith("limits_"):
        value = getattr(Limits(), key.removeprefix("limits_"))
    else:
        value = SAMPLES.get(key, getattr(Settings(), key))
    assert load_from(env={variable: str(value)}) is not None


def test_every_setting_of_one_value_has_a_documented_variable() -> None:
    limits = {f"BENCHPIN_LIMITS_{name.upper()}" for name in Limits.model_fields}
    tables = {"limits", *FILES_ONLY, *toolset_tables()}
    single = {f"BENCHPIN_{it.upper()}" for it in settings_type().model_fields if it not in tables}
    assert single | limits | OF_CALLERS == set(DOCUMENTED)
