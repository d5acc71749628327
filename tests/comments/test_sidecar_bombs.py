"""Sidecars that are small on disk, or large, and made to take memory or time."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from benchpin.comments import CommentStore, parse
from benchpin.comments import _store as sidecar_cache
from benchpin.comments._sidecar import MAX_COMMENTS, recover_objects
from benchpin.comments._store import SidecarCache
from benchpin.core.calls import Job, Permissions
from benchpin.core.errors import AccessDenied
from comment_kit import add, write_source

MANY = 3 << 20
# Made when they are wanted: together they have 100 MB.
BOMBS: dict[str, Callable[[], bytes]] = {
    "opened": lambda: b"{" * MANY,
    "closed": lambda: b"{}" * MANY,
    "lists": lambda: b'{"comments":[' + b"[]," * MANY + b"0]}",
    "objects": lambda: b'{"comments":[' + b"{}," * MANY + b"0]}",
    "markers": lambda: b'{"comments":[],"ghostMarkers":[' + b'{"id":"a"},' * MANY + b"{}]}",
    "strings": lambda: b'"\n' * (4 * MANY),
    "escapes": lambda: b'"' + b"\\" * MANY,
}


def entries(count: int) -> list[dict[str, object]]:
    return [{"id": f"c_{number}", "text": "x", "line": 1} for number in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_named_in_little_memory(name: str) -> None:
    bomb = BOMBS[name]()
    tracemalloc.start()
    try:
        sidecar = parse(bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sidecar.problem
    assert not sidecar.comments
    assert peak < 50 << 20


def test_objects_in_very_many_others_are_not_recovered() -> None:
    deep = b'{"a":' * 500 + b'{"id":"deep"}' + b"}" * 500
    assert recover_objects(b'{"id":"first"}' + deep + b'{"id":"last"}')[-1] == {"id": "last"}


def test_of_very_many_comments_the_first_are_read_and_the_number_is_named() -> None:
    sidecar = parse(json.dumps({"comments": entries(MAX_COMMENTS + 1)}).encode())
    assert len(sidecar.comments) == MAX_COMMENTS
    assert sidecar.problem == "it has 10,001 comments; only the first 10,000 are read"


def test_no_more_comments_are_written_than_are_read(workspace: Path) -> None:
    write_source(workspace)
    full = json.dumps({"comments": entries(MAX_COMMENTS)})
    (workspace / "src/app.py.comments").write_text(full, encoding="utf-8")
    with pytest.raises(AccessDenied, match="would have 10,001 comments"):
        add(CommentStore(workspace), "src/app.py", 1, "one too many")
    assert (workspace / "src/app.py.comments").read_text(encoding="utf-8") == full


def test_one_bad_sidecar_does_not_hide_the_comments_of_other_files(workspace: Path) -> None:
    store = CommentStore(workspace)
    for name in ("a.py", "b.py"):
        write_source(workspace, name)
    add(store, "b.py", 1, "good")
    (workspace / "a.py.comments").write_bytes(BOMBS["opened"]())
    found = SidecarCache(store).comments(Job(), Permissions())
    assert [it.text for it in found.by_file] == ["good"]
    assert list(found.damaged) == ["a.py"]


def test_comments_beyond_what_a_workspace_may_have_are_named(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecar_cache, "MAX_TOTAL_COMMENTS", 2)
    store = CommentStore(workspace)
    for name in ("a.py", "b.py", "c.py"):
        write_source(workspace, name)
        add(store, name, 1, name)
    cache = SidecarCache(store)
    found = cache.comments(Job(), Permissions())
    assert [it.text for it in found.by_file] == ["a.py", "b.py"]
    assert list(found.damaged) == ["c.py"]
    (workspace / store.place_of(PurePosixPath("a.py"))).unlink()
    again = cache.comments(Job(), Permissions())
    assert [it.text for it in again.by_file] == ["b.py", "c.py"]
    assert not again.damaged
