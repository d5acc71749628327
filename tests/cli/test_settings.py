from pathlib import Path

import pytest

from benchpin.cli.settings import Flags
from benchpin.core import Effect


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


def test_settings_of_the_caller_come_on_top(workspace: Path) -> None:
    flags = Flags({"root": workspace, "tool_timeout": 5.0})
    assert flags.workbench(tool_timeout=6.0).configuration.settings.tool_timeout == 6


@pytest.mark.parametrize(
    "given", [{"frob": 1}, {"tool_timeout": -1.0}, {"allow": "x"}, {"root": Path("/no/such/place")}]
)
def test_settings_that_cannot_be_used_end_the_program_with_2(
    given: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        Flags(given).workbench()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("Error: ")
