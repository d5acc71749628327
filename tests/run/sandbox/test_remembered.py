"""Whether a sandbox works is remembered if it does, for as long as nothing about it changes."""

from pathlib import Path

import pytest

from benchpin.run.sandbox import _sandbox as remembered
from benchpin.run.sandbox import can_confine, remember
from benchpin.run.sandbox._sandbox import Sandbox

NOWHERE = Path("/nowhere")
WORKS = Sandbox("namespaces", "works")
FAILS = Sandbox("none", "does not work")


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> list[Sandbox]:
    """Give the outcomes of the next probes; each is used once."""
    outcomes: list[Sandbox] = []
    monkeypatch.setattr(remembered, "detect_sandbox", lambda _root: outcomes.pop(0))
    monkeypatch.setattr("sys.platform", "linux")
    return outcomes


def test_a_sandbox_that_is_remembered_is_not_probed(tmp_path: Path, probes: list[Sandbox]) -> None:
    remember(NOWHERE, tmp_path / "new")
    assert can_confine(NOWHERE, tmp_path / "new")
    assert not probes


def test_looking_writes_nothing(tmp_path: Path, probes: list[Sandbox]) -> None:
    probes += [FAILS, WORKS]
    assert [can_confine(NOWHERE, tmp_path) for _ in range(2)] == [False, True]
    assert not list(tmp_path.iterdir())


def test_a_change_of_the_machine_is_probed(
    tmp_path: Path, probes: list[Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = tmp_path / "max_user_namespaces"
    setting.write_text("1000\n", encoding="ascii")
    monkeypatch.setattr(remembered, "_KERNEL", (str(setting),))
    remember(NOWHERE, tmp_path)
    assert can_confine(NOWHERE, tmp_path)
    setting.write_text("0\n", encoding="ascii")
    probes.append(FAILS)
    assert not can_confine(NOWHERE, tmp_path)


def test_another_bubblewrap_is_probed(
    tmp_path: Path, probes: list[Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("one", encoding="ascii")
    monkeypatch.setattr(remembered, "find_program", lambda _name, _root: str(program))
    remember(NOWHERE, tmp_path)
    assert can_confine(NOWHERE, tmp_path)
    program.write_text("another", encoding="ascii")
    probes.append(FAILS)
    assert not can_confine(NOWHERE, tmp_path)
    program.unlink()
    probes.append(FAILS)
    assert not can_confine(NOWHERE, tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"0" * 63])
def test_a_damaged_memory_is_written_again(
    tmp_path: Path, probes: list[Sandbox], content: bytes
) -> None:
    (tmp_path / "sandbox-works").write_bytes(content)
    probes.append(FAILS)
    assert not can_confine(NOWHERE, tmp_path)
    remember(NOWHERE, tmp_path)
    assert can_confine(NOWHERE, tmp_path)


def test_a_memory_that_cannot_be_written_is_done_without(
    tmp_path: Path, probes: list[Sandbox]
) -> None:
    (tmp_path / "file").touch()
    remember(NOWHERE, tmp_path / "file")
    probes.append(WORKS)
    assert can_confine(NOWHERE, tmp_path / "file")


def test_other_systems_are_asked_each_time(
    tmp_path: Path, probes: list[Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    remember(NOWHERE, tmp_path)
    probes.append(FAILS)
    assert not can_confine(NOWHERE, tmp_path)
