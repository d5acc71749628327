from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.code.structure import FileMatches, check_pattern
from benchpin.code.structure import _match_worker as match_worker
from benchpin.code.structure._match_worker import MatchOrder, find
from benchpin.code.structure._matcher import Matcher
from benchpin.code.structure._pattern import PatternRefused, names_of, rule_for, words_of
from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, InvalidParams
from long_texts import Long, whole

CALLS = {
    "bash": ("foo 1 2\n", "foo $$$A"),
    "c": ("int f(void) { foo(1, 2); return 0; }\n", "foo($$$A)"),
    "cpp": ("int f() { foo(1, 2); }\n", "foo($$$A)"),
    "csharp": ("class A { void F() { foo(1, 2); } }\n", "foo($$$A)"),
    "go": ("package a\nfunc f() { foo(1, 2) }\n", "foo($$$A)"),
    "java": ("class A { void f() { foo(1, 2); } }\n", "foo($$$A)"),
    "javascript": ("foo(1, 2);\n", "foo($$$A)"),
    "kotlin": ("fun f() { foo(1, 2) }\n", "foo($$$A)"),
    "php": ("<?php foo(1, 2);\n", "foo($$$A)"),
    "python": ("foo(1, 2)\n", "foo($$$A)"),
    "ruby": ("foo(1, 2)\n", "foo($$$A)"),
    "rust": ("fn f() { foo(1, 2); }\n", "foo($$$A)"),
    "scala": ("object A { foo(1, 2) }\n", "foo($$$A)"),
    "swift": ("func f() { foo(1, 2) }\n", "foo($$$A)"),
    "tsx": ("foo(1, 2);\n", "foo($$$A)"),
    "typescript": ("foo(1, 2);\n", "foo($$$A)"),
}


@pytest.fixture
def matcher() -> Iterator[Matcher]:
    made = Matcher()
    yield made
    made.close()


def found_in(
    tmp_path: Path, text: str, pattern: str, rewrite: str | None = None, language: str = "python"
) -> FileMatches:
    (tmp_path / "a").write_bytes(text.encode())
    order = MatchOrder(bytes(tmp_path), (), pattern, rewrite)
    return find(order, "a", language)


def rewritten(
    tmp_path: Path, text: str, pattern: str, rewrite: str, language: str = "python"
) -> str:
    found = found_in(tmp_path, text, pattern, rewrite, language)
    assert found.after is not None, found
    return found.after.decode()


@pytest.mark.parametrize("language", CALLS)
def test_a_call_is_found_in_every_language(tmp_path: Path, language: str) -> None:
    text, pattern = CALLS[language]
    found = found_in(tmp_path, text, pattern, language=language)
    assert [it.text for it in found.matches] == ["foo 1 2" if language == "bash" else "foo(1, 2)"]
    given = "1 2" if language == "bash" else "1, 2"
    assert found.matches[0].variables == {"$$$A": given}


@pytest.mark.parametrize(
    ("language", "text", "pattern"),
    [
        ("java", "class A { int f(int a) { return a; } }", "$R $F($$$P) { $$$B }"),
        ("c", "int f(int a) { if (a) { g(a); } }", "if ($C) { $$$B }"),
        ("rust", "impl A { fn f(&self) -> u8 { 1 } }", "fn $F(&self) -> $R { $$$B }"),
        ("typescript", "class A { f(): void { g(); } }", "f(): void { $$$B }"),
        ("go", "package a\nfunc f() { if err != nil { return err } }", "if err != nil { $$$B }"),
        ("go", "package a\nfunc f() { g(); x = 1 }", "x = $A"),
        ("go", "package a\nfunc f() { fmt.Println(1, 2) }", "fmt.Println($$$A)"),
        ("python", "def f(self):\n    return 1\n", "def $F(self): return $X"),
    ],
)
def test_a_piece_of_code_is_found_where_it_stands(
    tmp_path: Path, language: str, text: str, pattern: str
) -> None:
    assert found_in(tmp_path, text, pattern, language=language).count == 1


def test_a_place_is_told_in_lines_and_columns_also_after_wide_characters(tmp_path: Path) -> None:
    found = found_in(tmp_path, "é = 'ü'\nß = foo(\n  é)\n", "foo($A)")
    (match,) = found.matches
    assert (match.line, match.column, match.end_line) == (2, 5, 3)
    assert match.text == "foo( …"
    assert match.variables == {"$A": "é"}


def test_the_same_metavariable_stands_for_the_same_code(tmp_path: Path) -> None:
    assert found_in(tmp_path, "a == a\na == b\n", "$A == $A").count == 1


def test_what_lacks_a_word_of_the_pattern_is_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_worker, "_rule", None)
    assert found_in(tmp_path, "bar(1)\n", "foo($A)") == FileMatches("a")
    assert words_of("if $A: return foo.$B(bar)") == (b"return", b"bar", b"foo", b"if")


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"foo(\xff)", "not UTF-8"), (Long(b"foo(1)\n", 700_000), "larger than 4 MiB")],
)
def test_a_file_that_cannot_be_searched_says_why(
    tmp_path: Path, content: bytes | Long[bytes], problem: str
) -> None:
    (tmp_path / "a").write_bytes(whole(content))
    order = MatchOrder(bytes(tmp_path), (), "foo($A)")
    assert find(order, "a", "python").problem == problem
    assert find(order, "none", "python").problem


@pytest.mark.parametrize("pattern", ["a; b", "x = 1\ny = 2"])
def test_a_pattern_of_two_statements_is_refused(pattern: str) -> None:
    with pytest.raises(PatternRefused, match="more than one statement"):
        rule_for(pattern, "python")


@pytest.mark.parametrize("pattern", ["", "  ", "$A", "$$$", "$$$ARGS", "x" * 2_001])
def test_a_pattern_that_says_nothing_or_too_much_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        check_pattern(pattern)
    assert caught.value.suggestion


def test_a_rewrite_may_use_only_what_the_pattern_has() -> None:
    check_pattern("f($A, $$$B)", "g($$$B, $A)")
    with pytest.raises(InvalidParams, match=r"\$C, which the pattern does not; it has \$A"):
        check_pattern("f($A)", "g($C)")
    assert names_of("f($A, $_, $$$, $_B, $$$C, $A)") == ["$A", "$$$C"]


def test_a_rewrite_keeps_what_the_metavariables_stand_for(tmp_path: Path) -> None:
    text = "print('a',  b , # c\n   d)\nprint()\n"
    assert rewritten(tmp_path, text, "print($$$A)", "log($$$A)") == text.replace("print", "log")


def test_code_that_moves_to_another_depth_is_indented_there_and_strings_are_not(
    tmp_path: Path,
) -> None:
    text = 'def f():\n    if a:\n        x = """\n  raw\n"""\n        y = 2\n    return\n'
    new = "if a:\n    try:\n        $$$B\n    finally:\n        pass"
    assert rewritten(tmp_path, text, "if a:\n    $$$B", new) == (
        'def f():\n    if a:\n        try:\n            x = """\n  raw\n"""\n            y = 2\n'
        "        finally:\n            pass\n    return\n"
    )


def test_a_line_whose_metavariable_is_empty_goes(tmp_path: Path) -> None:
    text = "void f() { if (a) { } }"
    new = "{\n  $$$B\n  g();\n}"
    assert rewritten(tmp_path, text, "if (a) { $$$B }", new, "c") == "void f() { {\n  g();\n} }"


def test_line_ends_stay_those_of_the_file(tmp_path: Path) -> None:
    text = "if a:\r\n    b()\r\n"
    assert rewritten(tmp_path, text, "b()", "c()\nd()") == "if a:\r\n    c()\r\n    d()\r\n"


def test_a_match_inside_another_one_is_counted_and_left_alone(tmp_path: Path) -> None:
    found = found_in(tmp_path, "f(f(1))\n", "f($A)", "g($A)")
    assert found.after == b"g(f(1))\n"
    assert (found.count, found.inside_others) == (2, 1)


def test_a_file_that_would_no_longer_parse_is_refused(tmp_path: Path) -> None:
    found = found_in(tmp_path, "f(1)\n", "f($A)", "def")
    assert found.after is None
    assert found.problem == "would no longer parse"


def fill(root: Path, **texts: str) -> list[tuple[str, str]]:
    for name, text in texts.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    return [(f"{name}.py", "python") for name in texts]


@pytest.mark.slow
def test_files_are_searched_in_processes_that_are_kept(tmp_path: Path, matcher: Matcher) -> None:
    files = fill(tmp_path, **{f"f{number}": f"foo({number})\n" for number in range(150)})
    found = list(matcher.search(tmp_path, files, "foo($A)", Job()))
    assert sorted(it.path for it in found) == sorted(path for path, _ in files)
    assert sum(it.count for it in found) == 150
    kept = list(matcher._idle)
    assert kept
    list(matcher.search(tmp_path, files[:1], "foo($A)", Job()))
    assert set(matcher._idle) == set(kept)


@pytest.mark.slow
def test_a_file_that_kills_the_process_is_named_and_the_others_are_searched(
    tmp_path: Path, matcher: Matcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "faults"
    folder.mkdir()
    (folder / "faulty_matcher.py").write_text(
        "import os\n"
        "from benchpin.code.structure import _match_worker as match_worker\n"
        "real = match_worker.find\n"
        "match_worker.find = lambda order, path, language: (\n"
        "    os.abort() if path == 'bad.py' else real(order, path, language))\n"
        "match_worker.main()\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr("benchpin.code.structure._matcher._MODULE", "faulty_matcher")
    files = fill(tmp_path, a="foo(1)\n", bad="foo(2)\n", c="foo(3)\n")
    found = {it.path: it for it in matcher.search(tmp_path, files, "foo($A)", Job())}
    assert found["bad.py"].problem == "crashes ast-grep"
    assert found["a.py"].count == found["c.py"].count == 1


@pytest.mark.slow
def test_a_search_that_is_cancelled_ends(tmp_path: Path, matcher: Matcher) -> None:
    files = fill(tmp_path, **{f"f{number}": "foo(1)\n" for number in range(200)})
    job = Job()
    results = matcher.search(tmp_path, files, "foo($A)", job)
    next(results)
    job.cancel()
    with pytest.raises(Cancelled):
        for _ in results:
            pass
