"""The places of comments after their file changed, and what is remembered of them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from benchpin.comments import CommentStore, NewComment, PlacedComment, Sidecar, parse
from benchpin.comments.anchoring import CommentTracker, make_anchor, open_git_history
from benchpin.comments.anchoring import _tracking as tracking
from benchpin.comments.anchoring._tracked_text import open_text
from benchpin.core.calls import Job, WorkspaceSession
from benchpin.workspace.files import _reading as opening
from comment_kit import CODE, DEMO, EARLIER, EDITOR, NOON, add, files_of, place, write_source

PATH = "src/app.py"


@pytest.fixture
def session(workspace: Path, tmp_path: Path) -> Iterator[WorkspaceSession]:
    session = WorkspaceSession(workspace, tmp_path / "cache")
    yield session
    session.close()


def follow(root: Path) -> list[PlacedComment]:
    """Place the comments of the file with a session that remembers nothing."""
    return place(WorkspaceSession(root, root / "cache"), PATH)


def recall(session: WorkspaceSession, fingerprint: str = "") -> list[PlacedComment] | None:
    """Return what is remembered for the file; None when its sidecar must be read."""
    store = CommentStore(session.root)
    fingerprint = fingerprint or store.read(PurePosixPath(PATH)).fingerprint
    reads: list[str] = []

    def read_sidecar() -> Sidecar:
        reads.append(PATH)
        return store.read(PurePosixPath(PATH))

    files = files_of(session)
    with open_git_history(files) as history:
        found = CommentTracker(files, history).place_unread(PATH, fingerprint, read_sidecar)
    return None if reads else list(found.values())


@pytest.fixture
def commented(workspace: Path) -> Path:
    write_source(workspace, PATH)
    add(CommentStore(workspace), PATH, 5, "about y")
    return workspace


def test_a_comment_stays_where_nothing_changed(commented: Path) -> None:
    [placed] = follow(commented)
    assert (placed.line, placed.state, placed.confidence) == (5, "fresh", 1.0)


def test_a_comment_follows_its_line_without_git(commented: Path) -> None:
    write_source(commented, PATH, "# new\n# lines\n" + CODE)
    [placed] = follow(commented)
    assert (placed.line, placed.state) == (7, "moved")


def test_a_comment_names_the_function_that_its_line_is_in_now(commented: Path) -> None:
    write_source(commented, PATH, CODE.replace("def first", "def renamed"))
    [placed] = follow(commented)
    assert (placed.line, placed.symbol, placed.symbol_kind) == (5, "renamed", "function")


def test_a_comment_whose_line_is_gone_is_orphaned_where_it_was_last(commented: Path) -> None:
    write_source(commented, PATH, "print('something else altogether')\n")
    [placed] = follow(commented)
    assert (placed.line, placed.state, placed.confidence) == (5, "gone", None)
    assert placed.reason


def test_a_comment_whose_file_is_gone_is_orphaned(commented: Path) -> None:
    (commented / PATH).unlink()
    [placed] = follow(commented)
    assert placed.is_orphaned


def test_a_comment_follows_a_renamed_file_without_git(commented: Path) -> None:
    (commented / PATH).rename(commented / "src/renamed.py")
    write_source(commented, "src/other.py", "print('something else altogether')\n")
    [placed] = follow(commented)
    assert (placed.file_path, placed.line, placed.state) == ("src/renamed.py", 5, "moved")


def test_the_lines_of_a_lost_file_tell_which_one_it_is_without_git(
    commented: Path, session: WorkspaceSession
) -> None:
    """Files of a renamed folder keep their times."""
    base = open_text(PATH, CODE.encode())
    (commented / PATH).rename(commented / "renamed.py")
    write_source(commented, "src/other.py", "print('something else altogether')\n")
    with open_git_history(files_of(session)) as history:
        assert [it.path for it in history.renamed(PATH, base)] == ["renamed.py"]


def test_a_line_of_a_copy_is_not_taken_for_one_that_moved_without_git(commented: Path) -> None:
    write_source(commented, "src/copy.py", "def first(x):\n    y = x + 1\n    return y\n")
    write_source(commented, PATH, "print('something else altogether')\n")
    [placed] = follow(commented)
    assert placed.is_orphaned


def test_places_are_remembered_while_nothing_changes(
    commented: Path, session: WorkspaceSession
) -> None:
    write_source(commented, PATH, "# new\n" + CODE)
    [first] = place(session, PATH)
    assert place(session, PATH)[0] is first
    write_source(commented, PATH, "# newer\n# news\n" + CODE)
    assert place(session, PATH)[0].line == 7


def test_an_unchanged_file_is_not_read_again(
    commented: Path, session: WorkspaceSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "RACY_NS", 0)
    os.utime(commented / PATH, ns=(10**18, 10**18))
    assert recall(session) is None
    assert recall(session) == follow(commented)
    assert recall(session, "another sidecar") is None
    write_source(commented, PATH, "# new\n" + CODE)
    assert recall(session) is None


def test_places_of_another_sidecar_are_not_remembered_under_the_fingerprint_of_this_one(
    commented: Path, session: WorkspaceSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "RACY_NS", 0)
    os.utime(commented / PATH, ns=(10**18, 10**18))
    assert recall(session, "the sidecar of a moment ago") is None
    assert recall(session, "the sidecar of a moment ago") is None


def test_a_file_that_was_written_just_now_is_read_again(
    commented: Path, session: WorkspaceSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = opening.stamp_of((commented / PATH).stat())
    monkeypatch.setattr(tracking, "stamp_of", lambda _status: stamp)
    monkeypatch.setattr(opening, "RACY_NS", 10**19)
    assert place(session, PATH)[0].line == 5
    write_source(commented, PATH, "# new\n" + CODE)
    assert place(session, PATH)[0].line == 6


def test_an_orphan_is_searched_again(commented: Path, session: WorkspaceSession) -> None:
    write_source(commented, PATH, "nothing = 1\n")
    assert place(session, PATH)[0].is_orphaned
    write_source(commented, PATH, CODE)
    assert not place(session, PATH)[0].is_orphaned


def test_a_marker_of_the_editor_is_found_by_its_text(workspace: Path) -> None:
    write_source(workspace, PATH, "# new\n# lines\n" + CODE)
    (workspace / f"{PATH}.comments").write_text(json.dumps(EDITOR), encoding="utf-8")
    [placed] = follow(workspace)
    assert (placed.line, placed.layer) == (7, "context")


@pytest.mark.parametrize(("lines", "state"), [(10, "unverified"), (3, "gone")])
def test_a_comment_with_only_a_line_number_stays_while_the_file_has_that_line(
    workspace: Path, lines: int, state: str
) -> None:
    write_source(workspace, PATH, "x\n" * lines)
    (workspace / f"{PATH}.comments").write_text(json.dumps(DEMO), encoding="utf-8")
    [placed] = follow(workspace)
    assert (placed.state, placed.confidence) == (state, None)


@pytest.mark.parametrize("shape", [EARLIER, DEMO], ids=["earlier", "demo"])
def test_a_comment_with_only_a_line_number_stays_unverified_after_a_write(
    workspace: Path, shape: dict[str, Any]
) -> None:
    document = write_source(workspace, PATH)
    (workspace / f"{PATH}.comments").write_text(json.dumps(shape), encoding="utf-8")
    with CommentStore(workspace).editing([PurePosixPath(PATH)], Job()) as [editor]:
        editor.add(NewComment("unrelated", None, "me"), document, make_anchor(document, 1), NOON)
        editor.anchor_line_numbers(document, NOON)
    write_source(workspace, PATH, "# new\n" + CODE)
    first, _ = follow(workspace)
    assert (first.state, first.confidence) == ("unverified", None)
    assert first.line == shape["comments"][0]["line"] + 1


def test_a_symbol_stored_by_another_program_is_found(workspace: Path) -> None:
    write_source(workspace, PATH, "# new\n" * 20 + CODE)
    (workspace / f"{PATH}.comments").write_text(json.dumps(EARLIER), encoding="utf-8")
    [placed] = follow(workspace)
    assert (placed.line, placed.state, placed.symbol) == (29, "unverified", "second")


def test_a_damaged_sketch_is_ignored(commented: Path) -> None:
    place = commented / f"{PATH}.comments"
    raw = json.loads(place.read_bytes())
    raw["benchpin"]["sketches"] = dict.fromkeys(raw["benchpin"]["sketches"], "%%%")
    place.write_text(json.dumps(raw), encoding="utf-8")
    write_source(commented, PATH, "# new\n" + CODE)
    assert not parse(place.read_bytes()).problem
    assert follow(commented)[0].line == 6
