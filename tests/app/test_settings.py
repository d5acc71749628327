from pathlib import Path

import pytest
from pydantic import ValidationError

from benchpin.app import Settings
from benchpin.app._settings import PermissionRule, as_rules, default_cache_dir
from benchpin.core.calls import Operation, Rule
from benchpin.core.tools import DEFAULT_EFFECTS, Effect


def test_allowed_effects_come_on_top_of_the_default() -> None:
    assert Settings().effects == DEFAULT_EFFECTS
    assert Settings(allow=frozenset({Effect.WRITE})).effects == DEFAULT_EFFECTS | {Effect.WRITE}


def test_read_only_leaves_reading_alone() -> None:
    assert Settings(read_only=True, allow=frozenset(Effect)).effects == {Effect.READ}


def test_a_tool_may_have_a_timeout_of_its_own() -> None:
    settings = Settings(tool_timeout=10, tool_timeouts={"echo": 5})
    assert (settings.timeout_of("echo"), settings.timeout_of("other")) == (5, 10)


@pytest.mark.parametrize("seconds", [0, -1, 86_401, float("nan"), float("inf")])
def test_a_timeout_is_more_than_nothing_and_at_most_a_day(seconds: float) -> None:
    with pytest.raises(ValidationError):
        Settings(tool_timeout=seconds)
    with pytest.raises(ValidationError):
        Settings(tool_timeouts={"echo": seconds})


def test_a_rule_without_operations_is_a_denial() -> None:
    read = frozenset({Operation.READ})
    rules = (PermissionRule(pattern="a"), PermissionRule(pattern="b", operations=read))
    assert as_rules(rules) == (Rule("a", frozenset()), Rule("b", read))


def test_a_pattern_that_means_nothing_is_refused() -> None:
    for pattern in ("", "/", "./"):
        with pytest.raises(ValidationError):
            PermissionRule(pattern=pattern)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({"XDG_CACHE_HOME": "/c"}, "/c/benchpin"), ({"XDG_CACHE_HOME": ""}, "/h/.cache/benchpin")],
)
def test_the_cache_lies_where_the_system_says(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: str
) -> None:
    monkeypatch.setenv("HOME", "/h")
    assert default_cache_dir(environment) == Path(expected)
    assert default_cache_dir({}) == Path("/h/.cache/benchpin")
