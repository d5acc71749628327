"""All comments of a workspace, read again only where they changed."""

import os
from pathlib import Path, PurePosixPath

import msgspec
import pytest

from benchpin.comments import CommentStore, Sidecar
from benchpin.comments import _store as sidecar_cache
from benchpin.comments._store import AllComments, SidecarCache
from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.workspace.search import compile_line_pattern
from comment_kit import add, write_source

LONG_AGO = 1_000_000_000


class CountingStore(CommentStore):
    """Counts how many sidecars are read."""

    reads = 0

    def read(self, path: PurePosixPath) -> Sidecar:
        self.reads += 1
        return super().read(path)


def look(cache: SidecarCache) -> AllComments:
    rules = (Rule("**", frozenset({Operation.READ})), Rule("secret.py", frozenset()))
    return cache.comments(Job(), Permissions((rules,)))


def settle(root: Path) -> None:
    """Make every sidecar old, so that its times prove that it did not change."""
    for place in root.rglob("*.comments"):
        os.utime(place, ns=(LONG_AGO, LONG_AGO))


@pytest.fixture
def store(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> CountingStore:
    monkeypatch.setattr(sidecar_cache, "RACY_NS", -(10**12))
    store = CountingStore(workspace)
    for name in ("a.py", "b.py", "deep/er/c.py", "secret.py"):
        write_source(workspace, name)
        add(store, name, 5, f"about {name}")
    settle(workspace)
    store.reads = 0
    return store


def test_comments_are_found_by_file(store: CountingStore) -> None:
    found = look(SidecarCache(store))
    assert list(found.files) == ["a.py", "b.py", "deep/er/c.py"]
    assert {it.text for it in found.by_file} == {
        "about a.py",
        "about b.py",
        "about deep/er/c.py",
    }


def test_unchanged_sidecars_are_not_read_again(store: CountingStore) -> None:
    cache = SidecarCache(store)
    first = look(cache)
    reads = store.reads
    assert look(cache).files == first.files
    assert store.reads == reads
    add(store, "b.py", 1, "news")
    reads = store.reads
    texts = {it.text for it in look(cache).by_file}
    assert "news" in texts
    assert store.reads == reads + 1


def test_sidecars_that_were_not_read_in_time_are_reported_and_read_by_the_next_call(
    store: CountingStore,
) -> None:
    cache = SidecarCache(store)
    late = Job(time_limit_s=1, monotonic=lambda: float(store.reads))
    assert list(cache.comments(late, Permissions()).files) == ["a.py"]
    assert late.missing == ["3 of 4 comment files"]
    assert list(look(cache).files) == ["a.py", "b.py", "deep/er/c.py"]


def test_added_and_deleted_sidecars_are_noticed(store: CountingStore, workspace: Path) -> None:
    cache = SidecarCache(store)
    look(cache)
    (workspace / "a.py.comments").unlink()
    write_source(workspace, "new.py")
    add(store, "new.py", 1, "new")
    assert list(look(cache).files) == ["b.py", "deep/er/c.py", "new.py"]


def test_ignored_files_are_included_and_third_party_code_is_not(workspace: Path) -> None:
    store = CommentStore(workspace)
    (workspace / ".gitignore").write_text("*.comments\n", encoding="utf-8")
    for name in ("a.py", "node_modules/x.js"):
        write_source(workspace, name)
        add(store, name, 1, name)
    assert list(look(SidecarCache(store)).files) == ["a.py"]


def test_the_central_store_is_not_searched_as_a_source_folder(workspace: Path) -> None:
    write_source(workspace, "a.py")
    central = CommentStore(workspace, PurePosixPath(".benchpin/comments"))
    add(central, "a.py", 1, "central")
    assert list(look(SidecarCache(central)).files) == ["a.py"]
    assert list(look(SidecarCache(CommentStore(workspace))).files) == []


def test_a_workspace_without_comments_has_none(workspace: Path) -> None:
    assert (
        look(SidecarCache(CommentStore(workspace, PurePosixPath(".benchpin/comments")))).files == {}
    )


def test_damaged_sidecars_are_named(store: CountingStore, workspace: Path) -> None:
    (workspace / "a.py.comments").write_text("{", encoding="utf-8")
    assert "not JSON" in look(SidecarCache(store)).damaged["a.py"]


def test_other_files_with_the_suffix_are_ignored(workspace: Path) -> None:
    (workspace / "letter.comments").write_text("Dear all", encoding="utf-8")
    assert look(SidecarCache(CommentStore(workspace))).damaged == {}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ABOUT b", ["about b.py"]),
        ("about.*py$", ["about a.py", "about b.py", "about deep/er/c.py"]),
        ("a.py.*b.py", []),
        (r"py\s+about", []),
        ("x*", ["about a.py", "about b.py", "about deep/er/c.py"]),
        ("^about a", ["about a.py"]),
        (r"\Qa.py", ["about a.py"]),
        ("b|c", ["about a.py", "about b.py", "about deep/er/c.py"]),
        ("$", ["about a.py", "about b.py", "about deep/er/c.py"]),
    ],
)
def test_a_pattern_matches_within_a_comment(
    store: CountingStore, query: str, expected: list[str]
) -> None:
    found = look(SidecarCache(store)).matching(compile_line_pattern(query, ignore_case=True))
    assert sorted(it.text for it in found) == expected


def test_a_comment_is_found_once_however_often_it_matches(workspace: Path) -> None:
    write_source(workspace, "a.py")
    store = CommentStore(workspace)
    add(store, "a.py", 1, "one\ntwo one\nöne")
    add(store, "a.py", 1, "")
    add(store, "a.py", 1, "none")
    found = look(SidecarCache(store)).matching(compile_line_pattern("one|öne", ignore_case=True))
    assert [it.text for it in found] == ["one\ntwo one\nöne", "none"]


def test_one_pass_over_fifty_thousand_comments_visits_only_matches(workspace: Path) -> None:
    write_source(workspace, "a.py")
    store = CommentStore(workspace)
    add(store, "a.py", 1, "needle")
    [sidecar] = look(SidecarCache(store)).files.values()
    [comment] = sidecar.comments
    hay = tuple(
        msgspec.structs.replace(comment, id=f"c_{number}", text=f"hay {number}")
        for number in range(50_000)
    )
    every = AllComments({"a.py": type(sidecar)((comment, *hay), "", "")})
    pattern = compile_line_pattern("needle|hay 4999", ignore_case=True)
    text, _ = every._joined
    assert len(list(pattern.finditer(text))) == 12
    assert len(list(every.matching(pattern))) == 12
