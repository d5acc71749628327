from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.app import Configuration, Workbench
from benchpin.app import _config as config
from benchpin.app._settings import OPERATOR_ONLY
from benchpin.core.calls import Limits, Operation
from benchpin.core.tools import DEFAULT_EFFECTS, Effect
from benchpin.toolsets.performance.settings import PerformanceSettings

LoadFrom = Callable[..., Configuration]

WRITE, EXECUTE, NETWORK = Effect.WRITE, Effect.EXECUTE, Effect.NETWORK


@pytest.mark.parametrize(
    ("granted", "own", "extra"),
    [
        ([], "", set()),
        (["write"], "", {WRITE}),
        (["write", "execute"], "allow = ['write']", {WRITE}),
        (["write"], "allow = []", set()),
        (["write"], "allow = ['read']", set()),
        ([], "allow = ['write']", set()),
        (["write"], "allow = ['write', 'network']", {WRITE}),
    ],
)
def test_effects_are_those_that_both_allow(
    load_from: LoadFrom, granted: list[str], own: str, extra: set[Effect]
) -> None:
    assert load_from(flags={"allow": granted}, own=own).effects == DEFAULT_EFFECTS | extra


def test_an_effect_that_was_asked_for_in_vain_is_noted(load_from: LoadFrom) -> None:
    loaded = load_from(flags={"allow": ["write"]}, own="allow = ['write', 'network', 'execute']")
    assert loaded.notes == (
        "benchpin.toml: execute was not granted; start with --allow execute",
        "benchpin.toml: network was not granted; start with --allow network",
    )


@pytest.mark.parametrize(
    ("granted", "own", "expected"),
    [
        (False, "", False),
        (True, "", True),
        (False, "read_only = true", True),
        (True, "read_only = false", True),
        (False, "read_only = false", False),
    ],
)
def test_read_only_is_said_by_either(
    load_from: LoadFrom, own: str, *, granted: bool, expected: bool
) -> None:
    loaded = load_from(flags={"read_only": granted, "allow": ["write"]}, own=own)
    assert (loaded.effects == {Effect.READ}) is expected


@pytest.mark.parametrize(
    ("granted", "own", "expected"),
    [
        (None, "", None),
        (["server"], "", ("server",)),
        (None, "toolsets = ['server']", None),
        (["server"], "toolsets = []", ("server",)),
    ],
)
def test_the_operators_choice_of_toolsets_stands_as_it_was_made(
    load_from: LoadFrom, granted: list[str] | None, own: str, expected: tuple[str, ...] | None
) -> None:
    flags = {} if granted is None else {"toolsets": granted}
    assert load_from(flags=flags, own=own).settings.toolsets == expected


@pytest.mark.parametrize(
    ("own", "left"),
    [
        ("", None),
        ("toolsets = ['server', 'other']", frozenset({"server", "other"})),
        ("toolsets = []", frozenset()),
    ],
)
def test_toolsets_of_a_workspace_are_a_sieve(
    load_from: LoadFrom, own: str, left: frozenset[str] | None
) -> None:
    assert load_from(flags={"toolsets": ["server"]}, own=own).narrowing.toolsets == left


def test_tools_that_a_workspace_names_are_a_sieve_and_expose_nothing(load_from: LoadFrom) -> None:
    loaded = load_from(own="expose_tools = ['echo', 'append_line']")
    assert loaded.settings.expose_tools == ()
    assert loaded.narrowing.tools == frozenset({"echo", "append_line"})
    assert load_from(flags={"expose_tools": ("echo",)}, own="").narrowing.tools is None


def test_permissions_of_a_workspace_are_one_more_layer(load_from: LoadFrom) -> None:
    rules = [{"pattern": "src/**", "operations": ["read", "write"]}]
    own = '[[resource_permissions]]\npattern = "**"\noperations = ["read"]'
    may = load_from(flags={"resource_permissions": rules}, own=own).permissions.denied_by
    assert may(PurePosixPath("src/a.py"), Operation.READ) is None
    assert may(PurePosixPath("src/a.py"), Operation.WRITE) is not None
    assert may(PurePosixPath("docs/a.md"), Operation.READ) is not None
    assert may(PurePosixPath("src/.env"), Operation.READ) is not None


def test_limits_are_lowered_and_never_raised(load_from: LoadFrom) -> None:
    loaded = load_from(
        flags={"limits": {"burst": 50, "in_flight": 5}},
        own="limits.burst = 40\nlimits.in_flight = 6\nlimits.text_chars = 99\nlimits.shutdown_s=90",
    )
    assert loaded.settings.limits == Limits(burst=40, in_flight=5, text_chars=99)


@pytest.mark.parametrize(
    ("flags", "own", "expected"),
    [
        ({}, "tool_timeout = 5", {"echo": 5, "other": 5}),
        ({}, "tool_timeout = 500", {"echo": 30, "other": 30}),
        ({"tool_timeout": 60}, "tool_timeout = 50", {"echo": 50, "other": 50}),
        ({}, "tool_timeouts.echo = 5", {"echo": 5, "other": 30}),
        ({}, "tool_timeouts.echo = 500", {"echo": 30, "other": 30}),
        ({"tool_timeouts": {"echo": 60}}, "tool_timeouts.echo = 500", {"echo": 60, "other": 30}),
        ({"tool_timeouts": {"echo": 60}}, "tool_timeouts.echo = 50", {"echo": 50, "other": 30}),
        ({"tool_timeouts": {"echo": 60}}, "tool_timeouts.other = 5", {"echo": 60, "other": 5}),
        ({}, "tool_timeout = 5\ntool_timeouts.echo = 20", {"echo": 20, "other": 5}),
    ],
)
def test_timeouts_are_lowered_and_never_raised(
    load_from: LoadFrom, flags: dict[str, object], own: str, expected: dict[str, float]
) -> None:
    settings = load_from(flags=flags, own=own).settings
    assert {tool: settings.timeout_of(tool) for tool in expected} == expected


OPERATORS = {
    "root": "'/'",
    "unconfined": "true",
    "toolchains": "['/']",
    "artifacts": "['/']",
    "git_folders": "['/']",
    "prompt_folders": "['/']",
    "template_folders": "['/']",
    "cache_dir": "'/'",
    "data_dir": "'/'",
    "transport": "'http'",
    "host": "'0.0.0.0'",
    "port": "1",
    "auth_token": "'guess'",
    "debug": "['protocol']",
}


def test_the_table_of_keys_has_every_setting_of_the_operator() -> None:
    assert set(OPERATORS) == OPERATOR_ONLY


@pytest.mark.parametrize("key", OPERATORS)
@pytest.mark.parametrize("source", ["benchpin.toml", "pyproject.toml [tool.benchpin]"])
def test_what_only_the_operator_may_set_is_ignored_with_a_note(
    load_from: LoadFrom, key: str, source: str
) -> None:
    line = f"{key} = {OPERATORS[key]}"
    sources = (
        {"own": line} if source == "benchpin.toml" else {"pyproject": f"[tool.benchpin]\n{line}"}
    )
    loaded = load_from(**sources)
    assert loaded.settings == load_from(own="").settings
    assert loaded.notes == (f"{source}: {key} can only be set by the operator and is ignored",)


_seconds = st.floats(0.1, 100)
_layers: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "allow": st.lists(st.sampled_from([effect.value for effect in Effect])),
        "read_only": st.booleans(),
        "toolsets": st.lists(st.sampled_from(["server", "analysis"]), unique=True),
        "tool_timeout": _seconds,
        "tool_timeouts": st.dictionaries(st.sampled_from(["echo", "other"]), _seconds),
        "limits": st.dictionaries(
            st.sampled_from(["burst", "text_chars", "in_flight"]), st.integers(1, 50_000)
        ),
    },
)


@given(operator=_layers, workspace=_layers)
def test_a_workspace_never_widens(operator: dict[str, Any], workspace: dict[str, Any]) -> None:
    before = config.configure(**operator)
    after = config._narrowed(operator, workspace, "benchpin.toml")
    assert after.effects <= before.effects
    assert after.settings.toolsets == before.settings.toolsets
    assert after.settings.expose_tools == before.settings.expose_tools
    for tool in ("echo", "other"):
        assert after.settings.timeout_of(tool) <= before.settings.timeout_of(tool)
    for name in Limits.model_fields:
        assert getattr(after.settings.limits, name) <= getattr(before.settings.limits, name)


def test_a_workspace_chooses_how_long_its_snapshots_are_kept(load_from: LoadFrom) -> None:
    loaded = load_from(own="[performance.retention]\nkeep_last_n = 7\nttl_days = 30")
    kept = Workbench(loaded).bench.settings(PerformanceSettings).retention
    assert (kept.keep_last_n, kept.ttl_days) == (7, 30)


def test_a_workspace_only_lowers_how_much_of_an_artefact_is_read(load_from: LoadFrom) -> None:
    own = "[performance.spx]\nmax_events = 10\nmax_nodes = 900000\n"
    spx = Workbench(load_from(own=own)).bench.settings(PerformanceSettings).spx
    assert (spx.max_events, spx.max_nodes) == (10, 500_000)
