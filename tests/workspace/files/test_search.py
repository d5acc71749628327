import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, InvalidParams
from benchpin.workspace.search import (
    MAX_LINE_CHARS,
    compile_pattern,
    matching_lines,
    search_content,
)
from benchpin.workspace.search._content import SearchOutcome
from waiting import cpu_limit


def search(root: Path, pattern: str, most: int = 50, **options: int) -> SearchOutcome:
    paths = sorted(
        place.relative_to(root).as_posix() for place in root.rglob("*") if place.is_file()
    )
    compiled = compile_pattern(pattern, ignore_case=False)
    return search_content(root, paths, compiled, Job(), most=most, **options)


@given(
    lines=st.lists(st.text("ab \r", max_size=6), max_size=8),
    pattern=st.sampled_from(["a", "^a", "b$", "a+b", "^$", "a|b", r"\s", ".", "x*"]),
    ends=st.booleans(),
)
def test_lines_are_those_that_python_finds(lines: list[str], pattern: str, *, ends: bool) -> None:
    content = "\n".join(lines) + "\n" * ends
    expected = [
        number
        for number, line in enumerate(content.removesuffix("\n").split("\n"), start=1)
        if content and re.search(pattern, line)
    ]
    compiled = compile_pattern(pattern, ignore_case=False)
    found = [match.line for match in matching_lines("x", content.encode(), compiled, 0)]
    assert found == expected


def test_context_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    [match] = search(tmp_path, "three", context=1).matches
    assert (match.line, match.before, match.after) == (3, ("two",), ("four",))
    [match] = search(tmp_path, "one", context=9).matches
    assert (match.before, match.after) == ((), ("two", "three", "four", "five"))


def test_matches_are_in_order_and_cut(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text("hit\nhit\n")
    found = search(tmp_path, "hit", most=3)
    places = [(match.path, match.line) for match in found.matches]
    assert places == [("a.txt", 1), ("a.txt", 2), ("b.txt", 1)]
    assert found.is_cut
    assert not search(tmp_path, "hit", most=4).is_cut


def test_binary_files_and_links_are_not_searched(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "secret.txt").write_text("hit")
    (tmp_path / "root/binary").write_bytes(b"hit\0")
    (tmp_path / "root/link").symlink_to(tmp_path / "secret.txt")
    found = search(tmp_path / "root", "hit")
    assert found.matches == []
    assert found.skipped == {"binary": 1, "unreadable": 1}


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+b", "(.*)*x"])
@cpu_limit(20)
def test_no_pattern_hangs(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.txt").write_text("a" * 100_000 + "!")
    assert search(tmp_path, pattern).matches == []


@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", r"(?<=a)b", r"(a)\1", "*", "\ud800(", "(a{1,50}){1,50}b"]
)
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams) as raised:
        compile_pattern(pattern, ignore_case=True)
    assert "not a regular expression" in raised.value.message


def test_a_long_line_is_cut_around_the_match(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 5_000 + "needle" + "y" * 5_000)
    [match] = search(tmp_path, "needle").matches
    assert "needle" in match.text
    assert len(match.text) <= MAX_LINE_CHARS + 2


def test_letters_beyond_ascii_fold_case(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("STRASSE Ärger\n", encoding="utf-8")
    compiled = compile_pattern("ärger", ignore_case=True)
    assert len(search_content(tmp_path, ["a.txt"], compiled, Job(), most=5).matches) == 1


def test_a_cancelled_search_ends(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hit")
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        search_content(tmp_path, ["a.txt"], compile_pattern("x", ignore_case=True), job, most=1)


@given(st.text("ab -_:\n", max_size=30).map(str.encode), st.text("ab -_:", min_size=1, max_size=3))
def test_a_plain_text_is_found_where_a_pattern_is(content: bytes, text: str) -> None:
    plain = compile_pattern(text, ignore_case=False)
    pattern = compile_pattern(f"(?:{text})", ignore_case=False)
    spans = [[(it.start(), it.end()) for it in way.finditer(content)] for way in (plain, pattern)]
    assert spans[0] == spans[1]
    assert (plain.search(content) is None) == (pattern.search(content) is None)
