from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.workspace.git import find_repository
from benchpin.workspace.git_objects import FileNames, LogEntry, RawChange, list_commits, read_log
from benchpin.workspace.git_objects import _log as git_log
from repositories import Tree

IDS = b"1" * 40 + b" " + b"2" * 40
NAMES = st.binary(min_size=1, max_size=12).map(lambda it: it.replace(b"\0", b"n"))
COUNTS = st.integers(0, 10**6) | st.none()


def head_of(entry: LogEntry) -> list[bytes]:
    return [b"\x01" + entry.id.encode(), entry.time, entry.name, entry.email, entry.subject]


def number(lines: int | None) -> bytes:
    return b"-" if lines is None else b"%d" % lines


def written(entries: Iterable[LogEntry]) -> bytes:
    """Return what git writes for these commits."""
    fields: list[bytes] = []
    for entry in entries:
        fields += head_of(entry)
        origins = {new: old for old, new in entry.moved}
        raw: list[bytes] = []
        counts: list[bytes] = []
        for path, added, deleted in entry.changes:
            figures = number(added) + b"\t" + number(deleted) + b"\t"
            if path in origins:
                raw += [b":100644 100644 " + IDS + b" R090", origins[path], path]
                counts += [figures, origins[path], path]
            else:
                status = b"A" if path in entry.created else b"M"
                raw += [b":000000 100644 " + IDS + b" " + status, path]
                counts += [figures + path]
        if raw:
            raw[0] = b"\n" + raw[0]
        fields += raw + counts
    return b"".join(field + b"\0" for field in fields)


@st.composite
def entries(draw: st.DrawFn) -> LogEntry:
    paths = draw(st.lists(NAMES, unique=True, max_size=4))
    entry = LogEntry(
        draw(st.text("0123456789abcdef", min_size=40, max_size=40)),
        b"%d" % draw(st.integers(0, 2**33)),
        draw(NAMES),
        draw(NAMES),
        subject=draw(NAMES),
    )
    for path in paths:
        entry.changes.append((path, draw(COUNTS), draw(COUNTS)))
        match draw(st.sampled_from("AMR")):
            case "A":
                entry.created.append(path)
            case "R":
                entry.moved.append((draw(NAMES), path))
    return entry


@given(log=st.lists(entries(), max_size=5), size=st.integers(1, 50))
def test_what_git_writes_is_read_back_however_it_is_cut(log: list[LogEntry], size: int) -> None:
    text = written(log)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert list(read_log(pieces)) == log


@pytest.mark.parametrize(
    "path",
    [
        b"{a => b}/c.txt",
        b"src/{old => new}.txt",
        b"a => b",
        b"\x01" + b"f" * 40,
        b":100644 100644 R100",
        b"12\t3\tname",
        b"-",
        b"tab\tin\tname",
        b"line\nbreak",
        b'"quoted"',
        b"back\\slash",
        b"caf\xe9",
        "日本語.txt".encode(),
        b" leading and trailing ",
    ],
)
def test_a_name_is_never_taken_for_anything_else(path: bytes) -> None:
    entry = LogEntry("a" * 40, b"1", b"Ada", b"a@x", [(path, 3, None)], [], [(b"{x => y}", path)])
    other = LogEntry("b" * 40, b"1", b"Ada", b"a@x", [(path, 1, 2)], [path], [])
    assert list(read_log([written([entry, other])])) == [entry, other]


def test_commits_are_given_before_the_next_one_is_read_whole() -> None:
    log = [LogEntry("a" * 40, b"1", b"Ada", b"a@x", [(b"a", 1, 1)]) for _ in range(3)]
    seen: list[int] = []

    def pieces() -> Iterator[bytes]:
        for at, entry in enumerate(log):
            seen.append(at)
            yield written([entry])

    first = next(read_log(pieces()))
    assert first == log[0]
    assert seen == [0, 1]


def test_a_field_without_end_is_not_kept() -> None:
    flood = (b"x" * 70_000 for _ in range(50))
    assert list(read_log(flood)) == []


def test_more_changes_than_anybody_wants_are_counted_but_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(git_log, "MAX_CHANGES", 3)
    paths = [b"%d" % at for at in range(9)]
    entry = LogEntry("a" * 40, b"1", b"Ada", b"a@x", [(path, 1, 0) for path in paths], paths)
    (read,) = read_log([written([entry])])
    assert (len(read.changes), len(read.created)) == (4, 4)


def newest_of(steps: Sequence[tuple[str, bytes, bytes]], existing: set[bytes]) -> list[bytes]:
    """Follow steps backwards, the newest first, and name the file that each was about."""
    names = FileNames(existing)
    numbers = []
    for action, path, old in steps:
        numbers.append(names.number(path))
        if action == "create":
            names.create(path)
        elif action == "move":
            names.move(old, path)
    newest = names.newest()
    return [newest[it] for it in numbers]


def test_a_file_that_moved_twice_keeps_its_past() -> None:
    steps = [
        ("change", b"c", b""),
        ("move", b"c", b"b"),
        ("move", b"b", b"a"),
        ("create", b"a", b""),
    ]
    assert newest_of(steps, {b"c"}) == [b"c"] * 4


def test_a_file_that_moved_there_and_back_keeps_its_past() -> None:
    steps = [
        ("move", b"a", b"b"),
        ("change", b"b", b""),
        ("move", b"b", b"a"),
        ("change", b"a", b""),
    ]
    assert newest_of(steps, {b"a"}) == [b"a"] * 4


def test_a_new_file_at_an_old_path_is_another_one() -> None:
    steps = [("create", b"a", b""), ("move", b"b", b"a"), ("change", b"a", b"")]
    assert newest_of(steps, {b"a", b"b"}) == [b"a", b"b", b"b"]


def test_a_change_on_a_branch_beside_is_of_the_same_file() -> None:
    steps = [("change", b"a", b""), ("move", b"b", b"a"), ("change", b"a", b"")]
    assert newest_of(steps, {b"b"}) == [b"b"] * 3


def test_a_file_that_a_merge_kept_at_its_old_path_is_itself() -> None:
    steps = [("change", b"a", b""), ("move", b"b", b"a"), ("change", b"a", b"")]
    assert newest_of(steps, {b"a", b"b"}) == [b"a", b"b", b"a"]


def test_the_same_move_on_two_branches_is_one() -> None:
    steps = [("move", b"b", b"a"), ("move", b"b", b"a"), ("change", b"a", b"")]
    assert newest_of(steps, {b"b"}) == [b"b"] * 3


@given(
    actions=st.lists(
        st.tuples(
            st.sampled_from(["create", "change", "move", "delete"]),
            st.sampled_from([b"a", b"b", b"c", b"d"]),
            st.sampled_from([b"a", b"b", b"c", b"d"]),
        ),
        max_size=40,
    )
)
def test_in_a_straight_history_every_change_is_filed_under_the_last_path_of_its_file(
    actions: list[tuple[str, bytes, bytes]],
) -> None:
    """Live through the history forwards, where it is plain who is who, and compare."""
    fresh = count()
    at: dict[bytes, int] = {}
    last_path: dict[int, bytes] = {}
    steps: list[tuple[str, bytes, bytes]] = []
    files: list[int] = []
    for action, path, other in actions:
        if action == "create" and path not in at:
            at[path] = next(fresh)
        elif action == "move" and path in at and other not in at:
            at[other] = at.pop(path)
        elif action not in {"change", "delete"} or path not in at:
            continue
        place, old = (other, path) if action == "move" else (path, b"")
        last_path[at[place]] = place
        steps.append((action, place, old))
        files.append(at[place])
        if action == "delete":
            del at[place]
    found = newest_of(steps[::-1], set(at))
    assert found == [last_path[it] for it in files[::-1]]


def test_a_long_chain_of_files_that_were_one_is_followed_fast() -> None:
    steps = []
    for at in range(20_000):
        steps += [("change", b"%d" % (at + 1), b""), ("move", b"%d" % at, b"%d" % (at + 1))]
    assert Counter(newest_of(steps, {b"0"})) == {b"0": 40_000}


def test_a_copy_has_two_names_as_a_rename_has() -> None:
    ids = f"{'1' * 40} {'2' * 40}".encode()
    head = b"\0".join([b"\x01" + b"a" * 40, b"1", b"Ada", b"a@x", b"Copy"])
    copy = b":100644 100644 " + ids + b" C075\0old.py\0new.py"
    change = b":100644 100644 " + ids + b" M\0other.py"
    (entry,) = read_log([b"\0".join([head, copy, change]) + b"\0"], keeps_raw=True)
    assert [path for path, _, _ in entry.changes] == [b"new.py", b"other.py"]
    assert (entry.created, entry.moved) == ([b"new.py"], [])
    modes, contents = (b"100644", b"100644"), ("1" * 40, "2" * 40)
    assert entry.raw == [
        RawChange(*modes, *contents, b"old.py", b"new.py"),
        RawChange(*modes, *contents, b"other.py", b"other.py"),
    ]


def test_commits_are_listed_with_the_contents_of_their_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.commit({"a.py": b"a = 1\n"}, "Begin")
    tree.commit({"a.py": b"a = 2\n"}, "Go on")
    repository = find_repository(tmp_path, tmp_path)
    newest, oldest = list_commits(repository, (), (tree.head(),), (), Job())
    assert (newest.id, newest.subject, oldest.subject) == (tree.head(), b"Go on", b"Begin")
    (changed,), (added,) = newest.raw, oldest.raw
    assert changed.old_id == added.id == tree.git("rev-parse", "HEAD~1:a.py").decode()
    assert (added.old_mode, added.mode, added.path) == (b"000000", b"100644", b"a.py")
