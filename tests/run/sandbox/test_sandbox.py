import platform
import sys
from functools import cache
from pathlib import Path

import pytest

from benchpin.run.sandbox import _detection as bubblewrap
from benchpin.run.sandbox import _detection as module
from benchpin.run.sandbox import _sandbox as sandbox_module
from benchpin.run.sandbox import detect_sandbox
from benchpin.run.sandbox._detection import Bubblewrap
from benchpin.run.sandbox._sandbox import Sandbox
from benchpin.run.sandbox._system_mounts import SHARED, bind, sort_mounts, system_mounts
from sandboxes import working

NOWHERE = Path("/nowhere")


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probe again in each test, and leave what is known to the tests after it."""
    monkeypatch.setattr(sandbox_module, "_probed", cache(sandbox_module._probed.__wrapped__))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bubblewrap", "namespaces"])
def test_the_strongest_that_works_is_taken(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    working(kind)
    if kind == "namespaces":
        monkeypatch.setenv("PATH", "")
    found = detect_sandbox(NOWHERE)
    assert found.confines
    assert found.name == kind
    assert "seccomp" in found.detail
    assert "Landlock" in found.detail


def test_where_nothing_works_there_is_none_and_every_reason_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(module, "probe", lambda it: f"{it.name}: no")
    monkeypatch.setattr(module, "_landlock_version", lambda: 0)
    assert detect_sandbox(NOWHERE) == Sandbox(
        "none", "bubblewrap (bwrap) is not installed; namespaces: no; no Landlock in this kernel"
    )


@pytest.mark.slow
def test_a_bubblewrap_that_does_not_start_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert detect_sandbox(NOWHERE).name != "bubblewrap"


@pytest.mark.slow
def test_a_bubblewrap_that_builds_no_walls_is_passed_over(tmp_path: Path) -> None:
    hollow = tmp_path / "bwrap"
    hollow.write_text(
        '#!/bin/sh\ncase "$1" in --version) echo bubblewrap 0.8.0;; --help) echo;;'
        " *) echo no permission >&2; exit 1;; esac\n",
        encoding="utf-8",
    )
    hollow.chmod(0o755)
    found = Sandbox("bubblewrap", "", bubblewrap.inspect_bubblewrap(str(hollow)))
    assert module.probe(found) == "bubblewrap: no permission"


def test_elsewhere_than_on_linux_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert detect_sandbox(NOWHERE) == Sandbox("none", "programs can be confined on Linux only")


def test_on_a_strange_machine_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "vax")
    assert detect_sandbox(NOWHERE) == Sandbox("none", "no seccomp filter for vax machines")


def test_an_old_bubblewrap_gets_only_options_that_it_knows() -> None:
    shown = [it for it in system_mounts(sys.executable) if it["target"] in {"/dev", SHARED}]
    mounts = sort_mounts([bind("/w", is_writable=True), *shown])
    new = Bubblewrap("bwrap", "0.8.0", has_size=True)
    old = Bubblewrap("bwrap", "0.4.0", has_size=False)
    arguments = new.arguments(mounts).decode().split("\0")
    size = str(64 << 20)
    assert arguments[-14:-1] == [
        *("--dir", "/dev/pts"),
        *("--size", size, "--tmpfs", SHARED),
        *("--bind", "/w", "/w"),
        *("--remount-ro", "/"),
        *("--remount-ro", "/dev"),
    ]
    less = old.arguments(mounts).decode().split("\0")
    assert set(arguments) - set(less) == {"--size", size, str(1 << 20)}


def test_bubblewrap_does_not_keep_an_ordinary_user_from_mounting() -> None:
    """With `--dev` it starts the launcher in a second user namespace, where it may not mount."""
    mounts = sort_mounts(system_mounts(sys.executable))
    arguments = Bubblewrap("bwrap", "0.8.0", has_size=True).arguments(mounts).split(b"\0")
    assert b"--dev" not in arguments
    assert arguments[arguments.index(b"/dev/null") - 1] == b"--dev-bind"


@pytest.mark.slow
def test_an_old_bubblewrap_confines_as_well() -> None:
    found = working("bubblewrap").bubblewrap
    assert found is not None
    old = Bubblewrap(found.program, "0.4.0", has_size=False)
    assert module.probe(Sandbox("bubblewrap", "", old)) is None


def test_outer_places_come_before_inner_ones() -> None:
    mounts = sort_mounts([bind("/a/b/c"), bind("/a-b"), bind("/a/b"), bind("/"), bind("/a")])
    assert [it["target"] for it in mounts] == ["/", "/a", "/a/b", "/a/b/c", "/a-b"]


def test_an_interpreter_is_shown_with_every_link_that_leads_to_it(tmp_path: Path) -> None:
    first, second = tmp_path / "one" / "python", tmp_path / "two" / "python"
    for place in (first, second):
        place.parent.mkdir()
    first.symlink_to(second)
    second.symlink_to(sys.executable)
    shown = {it["target"] for it in system_mounts(str(first))}
    assert {str(first), str(second)} <= shown


def test_no_secret_of_the_system_is_shown() -> None:
    shown = {it["target"] for it in system_mounts(sys.executable)}
    assert not shown & {"/", "/etc", "/etc/shadow", "/etc/ssl", "/home", "/root", "/run", "/var"}
