import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments.anchoring import Anchor, TrackedText, make_anchor
from benchpin.comments.anchoring._tracked_text import SymbolSpan, key_of, open_text, weigh
from repositories import GIT

SHELF = b"""\
class SidecarCache:
    def add(self, book):
        for other in self.books:
            if other == book:
                return False
        self.books.append(book)
        return True

    def clear(self):
        self.books = []


def main():
    SidecarCache().clear()
"""


def test_a_blob_is_named_as_git_names_it() -> None:
    named = subprocess.run(
        [GIT, "hash-object", "--stdin"], input=SHELF, stdout=subprocess.PIPE, check=True
    )
    assert TrackedText(SHELF).blob_id == named.stdout.decode().strip()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\rc\n", ["a\r", "b\rc"]),
        (b"\xff\n", ["�"]),
    ],
)
def test_a_line_ends_with_a_line_feed_and_nothing_else(text: bytes, lines: list[str]) -> None:
    assert TrackedText(text).lines == lines


def test_white_space_does_not_change_a_key() -> None:
    assert key_of("\tif  x :") == key_of("if x:")
    assert key_of("if x:") != key_of("if y:")


def test_the_weight_of_a_line_counts_letters_and_digits() -> None:
    assert weigh("    } else if (ünder_9) {") == len("elseifünder9")


def test_symbols_are_those_of_the_source_engine() -> None:
    document = open_text("shelf.py", SHELF)
    assert document.symbol_at(4) == SymbolSpan("SidecarCache.add", "method", 2, 7)
    assert document.symbol_path(8) == "SidecarCache"
    assert document.symbol_path(11) == ""
    assert document.symbols_named("main") == [SymbolSpan("main", "function", 13, 14)]


def test_a_closure_without_a_name_is_no_symbol() -> None:
    source = b"function run() {\n  each((it) => {\n    use(it);\n  });\n}\n"
    assert open_text("run.js", source).symbol_path(3) == "run"


def test_a_text_that_no_grammar_reads_has_no_symbols() -> None:
    assert open_text("notes.txt", b"def f():\n    pass\n").symbols == ()


@pytest.mark.parametrize("text", [SHELF + b"#" * (1 << 18), SHELF + b"\0"])
def test_a_very_large_or_binary_file_is_not_parsed(text: bytes) -> None:
    assert open_text("shelf.py", text).symbols == ()


def test_an_anchor_has_the_line_and_its_surroundings() -> None:
    anchor = make_anchor(open_text("shelf.py", SHELF), 5, commit="c" * 40)
    assert anchor == Anchor(
        blob_id=TrackedText(SHELF).blob_id,
        line=5,
        text="                return False",
        before=(
            "    def add(self, book):",
            "        for other in self.books:",
            "            if other == book:",
        ),
        after=("        self.books.append(book)", "        return True", ""),
        symbol="SidecarCache.add",
        symbol_kind="method",
        symbol_offset=3,
        symbol_lines=6,
        commit="c" * 40,
    )


def test_an_anchor_at_the_ends_has_fewer_neighbours() -> None:
    document = TrackedText(b"one\ntwo\n")
    assert make_anchor(document, 1).before == ()
    assert make_anchor(document, 1).after == ("two",)
    assert make_anchor(document, 2).after == ()


@pytest.mark.parametrize("line", [0, 3, -1])
def test_a_line_that_is_not_there_has_no_anchor(line: int) -> None:
    with pytest.raises(IndexError):
        make_anchor(TrackedText(b"one\ntwo\n"), line)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_text(text: bytes) -> None:
    document = TrackedText(text)
    assert len(document.keys) == len(document.lines)
    assert sorted(place for found in document.places.values() for place in found) == list(
        range(len(document.lines))
    )
