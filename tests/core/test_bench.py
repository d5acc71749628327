from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.core.calls import Bench, Operation, Permissions, Rule, Workspace
from benchpin.core.errors import AccessDenied, EffectNotAllowed, InvalidPath, PathOutsideWorkspace
from benchpin.core.tools import Effect


def test_a_path_that_may_be_used_is_its_place(bench: Bench) -> None:
    assert bench.path("src/a.py") == bench.workspace.root / "src" / "a.py"
    assert bench.path("src/a.py", Operation.WRITE) == bench.workspace.root / "src" / "a.py"


@pytest.mark.parametrize("path", [".env", "src/../.env", "src/.git/config", "./a//server.pem"])
def test_a_path_is_judged_by_where_it_leads(bench: Bench, path: str) -> None:
    with pytest.raises(AccessDenied) as caught:
        bench.path(path)
    assert caught.value.data == {"path": path, "operation": "read"}


def test_a_link_does_not_hide_what_is_denied(bench: Bench) -> None:
    (bench.workspace.root / "innocent.txt").symlink_to(".env")
    with pytest.raises(AccessDenied):
        bench.path("innocent.txt")


def test_a_path_outside_is_refused_before_permissions_are_asked(bench: Bench) -> None:
    with pytest.raises(PathOutsideWorkspace):
        bench.path("../.env")


def test_reading_and_writing_are_judged_apart(bench: Bench) -> None:
    reading = Permissions().narrowed([Rule("**", frozenset({Operation.READ}))])
    narrow = replace(bench, permissions=reading)
    assert isinstance(narrow.path("a.py", Operation.READ), Path)
    with pytest.raises(AccessDenied) as caught:
        narrow.path("a.py", Operation.WRITE)
    assert caught.value.data["operation"] == "write"


@pytest.mark.parametrize("effect", [Effect.WRITE, Effect.EXECUTE, Effect.NETWORK])
def test_more_than_was_allowed_names_the_flag(bench: Bench, effect: Effect) -> None:
    with pytest.raises(EffectNotAllowed) as caught:
        bench.require(effect, "Writing a.py")
    assert f"--allow {effect.value}" in caught.value.suggestion
    assert caught.value.data == {"effect": effect.value}


def test_what_was_allowed_passes(bench: Bench) -> None:
    allowed = replace(bench, effects=frozenset(Effect))
    assert [allowed.require(effect, "Acting") for effect in Effect] == [None] * len(Effect)  # type: ignore[func-returns-value]  # nothing is raised


def test_a_folder_is_open_under_rules_that_allow_only_files(bench: Bench) -> None:
    rules = (Rule("**/*.py", frozenset({Operation.READ})),)
    narrow = replace(bench, permissions=Permissions((rules,)))
    (bench.workspace.root / "src").mkdir()
    (bench.workspace.root / ".git").mkdir()
    assert narrow.path("src") == bench.workspace.root / "src"
    assert narrow.path(".") == bench.workspace.root
    with pytest.raises(AccessDenied):
        narrow.path(".git")
    with pytest.raises(AccessDenied):
        narrow.path("src/notes.md")


def test_a_name_that_is_not_utf_8_is_read_and_not_written(bench: Bench) -> None:
    place = bench.workspace.root / "caf\udce9.txt"
    assert bench.path("file://caf%E9.txt") == place
    with pytest.raises(InvalidPath, match="not UTF-8"):
        bench.path("file://caf%E9.txt", Operation.WRITE)


def test_a_root_that_is_not_utf_8_is_no_obstacle(bench: Bench) -> None:
    root = bench.workspace.root / "caf\udce9"
    root.mkdir()
    inner = replace(bench, workspace=Workspace.at(root))
    assert inner.path("a.txt", Operation.WRITE) == root / "a.txt"
