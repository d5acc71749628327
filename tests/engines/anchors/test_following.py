"""Where comments stand after their file changed: with git, without, and when all is lost."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from benchpin.core import Job
from benchpin.engines.anchors.anchor import make_anchor
from benchpin.engines.anchors.document import Document, open_document
from benchpin.engines.anchors.draft import Wording
from benchpin.engines.anchors.following import Follower, Standing
from benchpin.engines.anchors.past import Past, looking_back
from benchpin.engines.anchors.sidecar import parse
from benchpin.engines.anchors.store import Store
from benchpin.engines.source import excludes
from comment_kit import CODE, DEMO, EARLIER, EDITOR, NOON, add, write_source

PATH = "src/app.py"


@contextmanager
def past_of(root: Path) -> Iterator[Past]:
    def read_now(path: str) -> Document | None:
        place = root / path
        return open_document(path, place.read_bytes()) if place.is_file() else None

    with looking_back(root, read_now, Job()) as past:
        yield past


def follow(root: Path, follower: Follower | None = None, denied: str = "") -> list[Standing]:
    sidecar = Store(root).read(PurePosixPath(PATH))
    with past_of(root) as past:
        found = (follower or Follower(root)).follow(PATH, sidecar, past, lambda it: it != denied)
    return [found[comment.id] for comment in sidecar.comments]


@pytest.fixture
def commented(workspace: Path) -> Path:
    write_source(workspace, PATH)
    add(Store(workspace), PATH, 5, "about y")
    return workspace


def test_a_comment_stays_where_nothing_changed(commented: Path) -> None:
    [standing] = follow(commented)
    assert (standing.line, standing.state, standing.confidence) == (5, "kept", 1.0)


def test_a_comment_follows_its_line_without_git(commented: Path) -> None:
    write_source(commented, PATH, "# new\n# lines\n" + CODE)
    [standing] = follow(commented)
    assert (standing.line, standing.state) == (7, "moved")


def test_a_comment_names_the_function_that_its_line_is_in_now(commented: Path) -> None:
    write_source(commented, PATH, CODE.replace("def first", "def renamed"))
    [standing] = follow(commented)
    assert (standing.line, standing.symbol, standing.symbol_kind) == (5, "renamed", "function")


def test_a_comment_whose_line_is_gone_is_orphaned_where_it_was_last(commented: Path) -> None:
    write_source(commented, PATH, "print('something else altogether')\n")
    [standing] = follow(commented)
    assert (standing.line, standing.state, standing.confidence) == (5, "orphaned", None)
    assert standing.reason


def test_a_comment_whose_file_is_gone_is_orphaned(commented: Path) -> None:
    (commented / PATH).unlink()
    [standing] = follow(commented)
    assert standing.is_orphaned


def test_what_was_worked_out_is_kept_while_nothing_changes(commented: Path) -> None:
    follower = Follower(commented)
    write_source(commented, PATH, "# new\n" + CODE)
    first = follow(commented, follower)
    assert follow(commented, follower)[0] is first[0]
    write_source(commented, PATH, "# newer\n# news\n" + CODE)
    assert follow(commented, follower)[0].line == 7


def test_a_file_that_nobody_touched_is_not_read_again(
    commented: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excludes, "RACY_NS", 0)
    follower = Follower(commented)
    fingerprint = Store(commented).read(PurePosixPath(PATH)).fingerprint
    os.utime(commented / PATH, ns=(10**18, 10**18))
    assert follower.recall(PATH, fingerprint) is None
    [standing] = follow(commented, follower)
    recalled = follower.recall(PATH, fingerprint)
    assert recalled is not None
    assert list(recalled.values()) == [standing]
    assert follower.recall(PATH, "other comments") is None
    write_source(commented, PATH, "# new\n" + CODE)
    assert follower.recall(PATH, fingerprint) is None


def test_a_file_that_was_touched_just_now_is_read_again(commented: Path) -> None:
    follower = Follower(commented)
    follow(commented, follower)
    fingerprint = Store(commented).read(PurePosixPath(PATH)).fingerprint
    assert follower.recall(PATH, fingerprint) is None


def test_an_orphan_is_looked_for_again(commented: Path) -> None:
    follower = Follower(commented)
    write_source(commented, PATH, "nothing = 1\n")
    assert follow(commented, follower)[0].is_orphaned
    write_source(commented, PATH, CODE)
    assert not follow(commented, follower)[0].is_orphaned


def test_the_editors_marker_is_found_by_its_words(workspace: Path) -> None:
    write_source(workspace, PATH, "# new\n# lines\n" + CODE)
    (workspace / f"{PATH}.comments").write_text(json.dumps(EDITOR), encoding="utf-8")
    [standing] = follow(workspace)
    assert (standing.line, standing.layer) == (7, "context")


@pytest.mark.parametrize(("lines", "state"), [(10, "unverified"), (3, "orphaned")])
def test_a_comment_with_a_line_number_alone_is_believed_while_there_is_such_a_line(
    workspace: Path, lines: int, state: str
) -> None:
    write_source(workspace, PATH, "x\n" * lines)
    (workspace / f"{PATH}.comments").write_text(json.dumps(DEMO), encoding="utf-8")
    [standing] = follow(workspace)
    assert (standing.state, standing.confidence) == (state, None)


@pytest.mark.parametrize("shape", [EARLIER, DEMO], ids=["earlier", "demo"])
def test_a_line_that_was_only_a_number_stays_unverified_when_others_are_written(
    workspace: Path, shape: dict[str, Any]
) -> None:
    document = write_source(workspace, PATH)
    (workspace / f"{PATH}.comments").write_text(json.dumps(shape), encoding="utf-8")
    with Store(workspace).editing(PurePosixPath(PATH), Job()) as draft:
        draft.add(Wording("unrelated", None, "me"), document, make_anchor(document, 1), NOON)
        draft.adopt(document)
    write_source(workspace, PATH, "# new\n" + CODE)
    first, _ = follow(workspace)
    assert (first.state, first.confidence) == ("unverified", None)
    assert first.line == shape["comments"][0]["line"] + 1


def test_a_symbol_that_another_program_wrote_down_is_looked_for(workspace: Path) -> None:
    write_source(workspace, PATH, "# new\n" * 20 + CODE)
    (workspace / f"{PATH}.comments").write_text(json.dumps(EARLIER), encoding="utf-8")
    [standing] = follow(workspace)
    assert (standing.line, standing.state, standing.symbol) == (29, "unverified", "second")


def test_a_damaged_sketch_is_done_without(commented: Path) -> None:
    place = commented / f"{PATH}.comments"
    raw = json.loads(place.read_bytes())
    raw["benchpin"]["sketches"] = dict.fromkeys(raw["benchpin"]["sketches"], "%%%")
    place.write_text(json.dumps(raw), encoding="utf-8")
    write_source(commented, PATH, "# new\n" + CODE)
    assert not parse(place.read_bytes()).problem
    assert follow(commented)[0].line == 6
