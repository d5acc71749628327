"""Any bytes as a file of any language are measured, in bounded time, and the numbers hang together.

Each test has the time limit of the suite; a parser that hangs fails it.
"""

import subprocess
import sys
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchpin.facts import Comments, Facts, Function, Links, Outline, Tokens, languages
from benchpin.facts.parsing import extract
from benchpin.facts.store import SECTIONS
from benchpin.facts.workers._worker import encode
from language_facts import sample_of
from waiting import WAIT_S

TYPES = {"outline": Outline, "links": Links, "comments": Comments, "tokens": Tokens}

PIECES = (
    *("(", ")", "[", "]", "{", "}", "<", ">", '"', "'", "`", "/*", "*/", "//", "#", "\\", "\n"),
    *("\r", "\r\n", "\0", "\t", "\f", "\u2028", "é", "\ufeff", "\ud7ff", "${", "<<EOF\n", "EOF\n"),
    *("if ", "else ", "for ", "case ", "def ", "fn ", "function ", "class ", "#if\n", "#endif\n"),
    *("=", "=>", "->", "::", ";", ",", "@", "!", "?", "&&", "||", 'r#"', "<?php ", "?>"),
)


def assert_sound(facts: Facts, source: bytes) -> None:
    """Check what must hold for any file."""
    outline = facts.outline
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    last = max(lines, 1)
    assert outline.lines == lines
    assert outline.code_lines >= 0
    assert outline.comment_lines >= 0
    assert outline.code_lines + outline.comment_lines <= lines
    assert 0 <= outline.error_line <= last + 1
    assert outline.cyclomatic >= 0
    assert outline.cognitive >= 0
    count = len(facts.tokens.stream) // 4
    for function in outline.functions:
        assert_function_sound(function, last, count)
    for found in outline.types:
        assert 1 <= found.line <= found.end_line <= last + 1
    for comment in facts.comments.comments:
        assert 1 <= comment.line <= comment.end_line <= last + 1
    for imported in facts.links.imports:
        assert 1 <= imported.line <= last + 1
    assert len(facts.links.calls) == 1 + len(outline.functions)
    assert len(facts.tokens.kinds) == len(facts.tokens.texts)
    assert all(0 <= index < len(facts.tokens.texts) for index in facts.tokens.indices())
    halstead = outline.halstead
    assert halstead.operators + halstead.operands == count
    assert halstead.distinct_operators + halstead.distinct_operands == len(facts.tokens.texts)


def assert_function_sound(function: Function, last: int, count: int) -> None:
    assert 1 <= function.line <= function.end_line <= last + 1
    assert 0 <= function.first_token <= function.last_token <= count
    assert function.cyclomatic >= 1
    assert min(function.cognitive, function.nesting, function.parameters) >= 0
    assert 0 <= function.code_lines <= function.end_line - function.line + 1


def check(source: bytes, language: str) -> Facts:
    facts = extract(source, language)
    assert_sound(facts, source)
    for section, data in encode(source, language).items():
        assert msgspec.msgpack.decode(data, type=TYPES[section]) == getattr(facts, section)
    return facts


def test_every_section_is_checked() -> None:
    assert TYPES.keys() == set(SECTIONS)


@pytest.mark.parametrize("language", languages.NAMES)
def test_a_sample_parses(language: str) -> None:
    outline = check(sample_of(language), language).outline
    assert outline.error_line == 0
    assert outline.functions or outline.types


@pytest.mark.parametrize("language", languages.NAMES)
@settings(max_examples=100, derandomize=True)
@given(source=st.binary(max_size=400))
@example(source=b"")
@example(source=b"\n")
@example(source=b"\0")
@example(source=b"\xff\xfe\x00")
def test_any_bytes_are_measured(language: str, source: bytes) -> None:
    check(source, language)


@pytest.mark.parametrize("language", languages.NAMES)
@settings(max_examples=100, derandomize=True)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_soup_of_symbols_is_measured(language: str, pieces: list[str]) -> None:
    check("".join(pieces).encode(), language)


@pytest.mark.parametrize("language", languages.NAMES)
@settings(max_examples=100, derandomize=True)
@given(
    edits=st.lists(
        st.tuples(
            st.floats(0, 1), st.floats(0, 0.3), st.one_of(st.just(""), st.sampled_from(PIECES))
        ),
        min_size=1,
        max_size=4,
    )
)
def test_broken_code_is_measured(language: str, edits: list[tuple[float, float, str]]) -> None:
    text = sample_of(language).decode()
    for start, share, piece in edits:
        at = int(start * len(text))
        text = text[:at] + piece + text[at + int(share * len(text)) :]
    check(text.encode(errors="replace"), language)


@pytest.mark.parametrize("language", languages.NAMES)
@pytest.mark.parametrize("end", [b"\r", b"\r\n", b"\n\r"])
def test_other_ends_of_lines_are_measured(language: str, end: bytes) -> None:
    check(sample_of(language).replace(b"\n", end), language)


@pytest.mark.parametrize("language", languages.NAMES)
@pytest.mark.parametrize(
    "opening", ['"', "'", "`", '"""', "/*", "//", "#", "<<EOF\n", 'f"{', "${", '"\\', "<!--", "/"]
)
def test_what_never_ends_is_measured(language: str, opening: str) -> None:
    source = sample_of(language) + (opening + " x y z\n" * 200).encode()
    check(source, language)
    check(opening.encode(), language)


@pytest.mark.parametrize("language", languages.NAMES)
def test_zeros_among_the_code_are_measured(language: str) -> None:
    source = sample_of(language)[:400]
    for at in range(0, len(source), 7):
        check(source[:at] + b"\0" + source[at:], language)


_STACK_BYTES = 1 << 20
_DEEP = 25_000
"""Twice what 100,000 levels would be for the eight times as large stack of a real worker."""
_PREFIX = {"php": "<?php ", "go": "package p\nvar x = ", "java": "class A { int x = "}
_HUGE: dict[str, Callable[[int], str]] = {
    "round brackets": lambda size: "(" * size,
    "square brackets": lambda size: "[" * size,
    "curly brackets": lambda size: "{" * size,
    "angle brackets": lambda size: "<" * size,
    "pairs of brackets": lambda size: "(" * size + "x" + ")" * size,
    "all brackets": lambda size: "([{" * (size // 3),
    "signs": lambda size: "-" * size + "x",
    "nots": lambda size: "!" * size + "x",
    "ifs": lambda size: "if (a) { " * (size // 5),
    "else ifs": lambda size: "if (a) {} " + "else if (a) {} " * (size // 5),
    "a chain of ands": lambda size: "x = " + "a && " * (size // 2) + "b",
    "a chain of calls": lambda size: "a" + ".b()" * (size // 2),
    "a long line": lambda size: "x = [" + "1, " * (size * 10 // 3) + "1]",
    "a long word": lambda size: "x" * (size * 40),
    "a long string": lambda size: '"' + "x" * (size * 40) + '"',
    "empty lines": lambda size: "\n" * (size * 4),
    "comments": lambda size: "// x\n" * (size * 4),
}
_QUADRATIC: dict[str, dict[str, int]] = {
    "bash": {"angle brackets": 5_000, "a chain of ands": 5_000, "a chain of calls": 5_000},
    "c": {"a long line": 1_000},
    "julia": {"comments": 1_250, "a chain of calls": 5_000},
    "kotlin": {"angle brackets": 5_000, "else ifs": 5_000},
    "lua": {"comments": 1_250},
    "php": {"a long line": 1_000},
    "ruby": {"comments": 1_250},
    "scala": {
        "square brackets": 5_000,
        "all brackets": 5_000,
        "ifs": 5_000,
        "else ifs": 5_000,
        "a long line": 1_000,
    },
    "swift": {"else ifs": 5_000},
}
"""Where time grows with the square of what is no sensible code in the language: less has to do.
The pool gives up on such a file in the end."""
_PROGRAM = f"""
import sys, threading
from benchpin.facts.workers._worker import encode
language, *sources = sys.stdin.read().split(chr(1))
def work():
    for source in sources:
        encode(source.encode(), language)
        print(end=".", flush=True)
threading.stack_size({_STACK_BYTES})
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize("language", languages.NAMES)
def test_nothing_is_too_deep_or_too_long(language: str) -> None:
    """In a process of its own: an overflow of the stack of C would end this one."""
    sizes = _QUADRATIC.get(language, {})
    sources = [
        _PREFIX.get(language, "") + make(sizes.get(name, _DEEP)) for name, make in _HUGE.items()
    ]
    made = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input="\x01".join([language, *sources]).encode(),
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    left = [*_HUGE][len(made.stdout) :]
    assert (made.returncode, left, made.stderr[-500:]) == (0, [], b"")
