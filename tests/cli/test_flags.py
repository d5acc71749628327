from pathlib import Path

import pytest

from benchpin.cli.flags import Flags
from benchpin.core import ConfigError, Effect, InvalidPath


def test_flags_given_later_are_stronger_and_absent_ones_are_nothing() -> None:
    flags = Flags({"root": Path("a"), "allow": "write", "read_only": True})
    later = {"root": Path("b"), "allow": None, "read_only": False, "expose_tools": ()}
    assert flags.over(later) == Flags({"root": Path("b"), "allow": "write", "read_only": True})


def test_lists_with_commas_are_split(workspace: Path) -> None:
    flags = Flags({"root": workspace, "allow": "write, execute", "toolsets": "server,"})
    settings = flags.configuration().settings
    assert settings.allow == {Effect.WRITE, Effect.EXECUTE}
    assert settings.toolsets == ("server",)


def test_what_was_not_given_leaves_the_other_sources_their_say(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHPIN_READ_ONLY", "1")
    flags = Flags({"root": workspace, "read_only": False, "artifacts": (), "tool_timeout": None})
    assert flags.configuration().settings.read_only


@pytest.mark.parametrize(
    "given", [{"frob": 1}, {"tool_timeout": -1.0}, {"allow": "x"}, {"root": Path("/no/such/place")}]
)
def test_settings_that_cannot_be_used_are_refused(given: dict[str, object]) -> None:
    with pytest.raises((ConfigError, InvalidPath)):
        Flags(given).workbench()
