import os
import socket
import sys
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.core.errors import Cancelled, InvalidPath
from benchpin.run.sandbox import _workspace_mounts as module
from benchpin.run.sandbox._workspace_mounts import TooManyDenied, WorkspaceMounts, workspace_mounts

READ = frozenset({Operation.READ})
BOTH = frozenset(Operation)


def _write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")


def _view(root: Path, *rules: Rule, may_write: bool = False) -> WorkspaceMounts:
    return workspace_mounts(root, Permissions().narrowed(rules), Job(), may_write=may_write)


def _shown(root: Path, view: WorkspaceMounts) -> dict[str, str]:
    """Return what lies over each path of the workspace."""
    shown = {"read-only": "ro", "writable": "rw"}
    names = {it["path"]: shown.get(it["kind"], it["kind"]) for it in view.request["covers"]}
    assert view.request["root"] == str(root)
    return {".": "rw" if view.request["is_writable"] else "ro", **names}


def test_a_workspace_without_secrets_is_one_piece(workspace: Path) -> None:
    _write(workspace, "a.py", "src/b.py")
    assert _shown(workspace, _view(workspace)) == {".": "ro"}
    assert _shown(workspace, _view(workspace, may_write=True)) == {".": "rw"}


def test_what_is_denied_by_default_is_hidden_at_any_depth(workspace: Path) -> None:
    _write(workspace, ".env", "x/y/.env.local", "x/Key.PEM", ".git/config", "sub/.git/HEAD", "x/z")
    (workspace / "sub" / "y").symlink_to(workspace)
    (workspace / "x" / "y" / "z").symlink_to(workspace)
    assert _shown(workspace, _view(workspace)) == {
        ".": "ro",
        ".env": "hidden file",
        ".git": "hidden folder",
        "sub/.git": "hidden folder",
        "x/Key.PEM": "hidden file",
        "x/y/.env.local": "hidden file",
    }


def test_links_are_not_followed_and_not_hidden(workspace: Path, tmp_path: Path) -> None:
    _write(tmp_path / "other", ".env")
    (workspace / "link").symlink_to(tmp_path / "other")
    (workspace / ".env").symlink_to("nowhere")
    assert _shown(workspace, _view(workspace)) == {".": "ro"}


def test_sockets_and_pipes_are_hidden(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door")
        os.mkfifo("pipe")
        assert _shown(workspace, _view(workspace)) == {
            ".": "ro",
            "door": "hidden file",
            "pipe": "hidden file",
        }


def test_a_rule_of_the_operator_hides_too(workspace: Path) -> None:
    _write(workspace, "secrets/a", "deep/secrets/b", "deep/x", "notes/c.txt", "notes/c.md")
    rules = (Rule("**", READ), Rule("secrets/", frozenset()), Rule("*.txt", frozenset()))
    assert _shown(workspace, _view(workspace, *rules)) == {
        ".": "ro",
        "deep/secrets": "hidden folder",
        "notes/c.txt": "hidden file",
        "secrets": "hidden folder",
    }


def test_what_no_rule_allows_is_hidden_whole_folders_at_once(workspace: Path) -> None:
    _write(workspace, "src/a.py", "src/a.txt", "data/b.txt", "data/deep/c.txt", "README")
    assert _shown(workspace, _view(workspace, Rule("**/*.py", READ))) == {
        ".": "ro",
        "README": "hidden file",
        "data": "hidden folder",
        "src/a.txt": "hidden file",
    }


def test_only_what_may_be_written_is_writable(workspace: Path) -> None:
    _write(workspace, "src/a.py", "out/b.txt", "out/deep/c.txt", "log.txt")
    rules = (Rule("**/*", READ), Rule("out/**", BOTH), Rule("log.txt", BOTH))
    expected = {".": "ro", "out": "rw", "log.txt": "rw"}
    view = _view(workspace, *rules, may_write=True)
    assert _shown(workspace, view) == expected
    assert view.is_writable
    assert _shown(workspace, _view(workspace, *rules)) == {".": "ro"}


def test_a_file_that_may_not_be_written_stays_so_in_a_writable_folder(workspace: Path) -> None:
    _write(workspace, "out/a.txt", "out/keep.txt")
    rules = (Rule("**/*", BOTH), Rule("out/*", BOTH))
    narrowed = Permissions().narrowed(rules).narrowed((Rule("[!k]*", BOTH), Rule("k*", READ)))
    view = workspace_mounts(workspace, narrowed, Job(), may_write=True)
    assert _shown(workspace, view) == {".": "rw", "out": "rw", "out/keep.txt": "ro"}


@pytest.mark.parametrize("rules", [(), (Rule("**", BOTH),)])
def test_the_settings_and_prompts_of_benchpin_are_shown_and_not_written(
    workspace: Path, rules: tuple[Rule, ...]
) -> None:
    _write(workspace, "benchpin.toml", ".benchpin/prompts/a.md", "src/benchpin.toml")
    assert _shown(workspace, _view(workspace, *rules, may_write=True)) == {
        ".": "rw",
        ".benchpin": "ro",
        "benchpin.toml": "ro",
    }
    assert _shown(workspace, _view(workspace, *rules)) == {".": "ro"}


def test_a_file_with_several_names_is_not_written(workspace: Path, tmp_path: Path) -> None:
    _write(tmp_path, "outside")
    _write(workspace, "src/a", "log.txt")
    (workspace / "src" / "name").hardlink_to(tmp_path / "outside")
    assert _shown(workspace, _view(workspace, may_write=True)) == {
        ".": "rw",
        "src": "rw",
        "src/name": "ro",
    }
    assert _shown(workspace, _view(workspace)) == {".": "ro"}
    rules = (Rule("**", READ), Rule("src/name", BOTH), Rule("log.txt", BOTH))
    assert _shown(workspace, _view(workspace, *rules, may_write=True)) == {
        ".": "ro",
        "log.txt": "rw",
    }


def test_a_file_whose_names_are_all_writable_is_written(workspace: Path) -> None:
    _write(workspace, "a")
    (workspace / "b").hardlink_to(workspace / "a")
    assert _shown(workspace, _view(workspace, may_write=True)) == {".": "rw"}
    (workspace / ".env").hardlink_to(workspace / "a")
    shown = _shown(workspace, _view(workspace, may_write=True))
    assert shown == {".": "rw", ".env": "hidden file", "a": "ro", "b": "ro"}


def test_folders_with_many_files_of_several_names_are_read_only(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_HARD_LINKED", 3)
    _write(workspace, "venv/lib/own", "src/a")
    for number in range(4):
        _write(tmp_path, f"store/{number}")
        (workspace / "venv" / "lib" / str(number)).hardlink_to(tmp_path / "store" / str(number))
    (workspace / "src" / "b").hardlink_to(tmp_path / "store" / "0")
    assert _shown(workspace, _view(workspace, may_write=True)) == {
        ".": "rw",
        "src": "rw",
        "src/b": "ro",
        "venv": "rw",
        "venv/lib": "ro",
    }


def test_folders_on_the_way_to_something_hidden_are_held(workspace: Path) -> None:
    _write(workspace, "a/b/secret.txt", "a/b/open.txt", "c/.env", "d/open.txt")
    rules = (Rule("**", BOTH), Rule("a/b/secret.txt", frozenset()))
    assert _shown(workspace, _view(workspace, *rules, may_write=True)) == {
        ".": "rw",
        "a": "rw",
        "a/b": "rw",
        "a/b/secret.txt": "hidden file",
        "c": "rw",
        "c/.env": "hidden file",
    }


def test_what_lies_beyond_the_bound_of_the_search_is_hidden(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ENTRIES", 3)
    _write(workspace, "a", "b", "one/c", "two/deep/.env")
    view = _view(workspace)
    assert sorted(view.unscanned) == ["one", "two"]
    assert _shown(workspace, view) == {".": "ro", "one": "hidden folder", "two": "hidden folder"}


def test_too_many_hidden_files_are_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_MOUNTS", 2)
    _write(workspace, "a.pem", "b.pem", "c.pem", "d")
    with pytest.raises(TooManyDenied):
        _view(workspace)


def test_folders_with_too_many_denied_files_are_hidden_as_a_whole(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_MOUNTS", 8)
    _write(workspace, "a/x", "a/.env", "b/x", *(f"b/c/{number}/.env/x" for number in range(9)))
    view = _view(workspace, may_write=True)
    assert view.unscanned == ["b/c"]
    assert _shown(workspace, view) == {
        ".": "rw",
        "a": "rw",
        "a/.env": "hidden file",
        "b": "rw",
        "b/c": "hidden folder",
    }


def test_folders_that_are_too_deep_are_hidden(workspace: Path) -> None:
    folder = os.open(workspace, os.O_RDONLY)
    for _ in range(300):  # one by one: the path is too long for the kernel
        os.mkdir("x" * 200, dir_fd=folder)
        inner = os.open("x" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    view = _view(workspace, may_write=True)
    assert [len(path) // 200 for path in view.unscanned] == [18]
    assert len(view.request["covers"]) == 18


def test_an_interpreter_in_the_workspace_is_read_only(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(workspace, "tools/venv/bin/python", "tools/x")
    monkeypatch.setattr(sys, "prefix", str(workspace / "tools" / "venv"))
    shown = {".": "rw", "tools": "rw", "tools/venv": "ro"}
    assert _shown(workspace, _view(workspace, may_write=True)) == shown


def test_a_root_that_became_a_link_is_not_scanned(workspace: Path, tmp_path: Path) -> None:
    _write(tmp_path, "outside/a")
    inner = workspace / "inner"
    inner.symlink_to(tmp_path / "outside")
    with pytest.raises(InvalidPath):
        _view(inner)


def test_a_folder_that_cannot_be_searched_is_hidden(workspace: Path) -> None:
    _write(workspace, "closed/.env", "closed/x", "open")
    closed = workspace / "closed"
    if os.geteuid() == 0:  # root can look anywhere, but its programs inside cannot
        os.chown(closed, 65_534, 65_534)
    closed.chmod(0o300)
    try:
        assert _shown(workspace, _view(workspace)) == {".": "ro", "closed": "hidden folder"}
    finally:
        closed.chmod(0o700)


def test_a_name_that_is_no_text_is_no_obstacle(workspace: Path) -> None:
    (workspace / os.fsdecode(b".env\xff")).write_text("x", encoding="utf-8")
    assert list(_shown(workspace, _view(workspace))) == [".", ".env\udcff"]


def test_a_search_can_be_cancelled(workspace: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        workspace_mounts(workspace, Permissions(), job, may_write=False)
