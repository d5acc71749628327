from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments.anchoring import Layer, Placement, TrackedText, make_anchor, sketch_of
from benchpin.comments.anchoring._anchor import Orphan, Outcome, SketchedText
from benchpin.comments.anchoring._moves import MoveTarget
from benchpin.comments.anchoring._reanchor import reanchor
from benchpin.comments.anchoring._tracked_text import open_text

POND = """\
type Pond struct {
	frogs []Frog
	depth int
}

func (p *Pond) Add(frog Frog) error {
	if len(p.frogs) >= p.depth*10 {
		return ErrFull
	}
	p.frogs = append(p.frogs, frog)
	return nil
}

func (p *Pond) Drain() {
	p.frogs = nil
	p.depth = 0
}
"""

code_lines = st.text("abcdef (){}=.,;", max_size=12)
texts = st.lists(code_lines, min_size=1, max_size=25)


def joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def place(
    path: str, old: bytes, files: Mapping[str, bytes], line: int, *, is_sketched: bool = False
) -> Outcome:
    """Place one line of a file in uncommitted files."""
    base = open_text(path, old)
    anchor = make_anchor(base, line)

    def read_now(name: str) -> TrackedText | None:
        return open_text(name, files[name]) if name in files else None

    others = [
        MoveTarget(name, lambda name=name: read_now(name), lambda: None)  # type: ignore[misc]  # the default binds
        for name in files
        if name != path
    ]
    known = SketchedText(base.blob_id, sketch_of(base), [anchor]) if is_sketched else base
    [outcome] = reanchor(path, [anchor], known, read_now, elsewhere=others)
    return outcome


@given(texts, st.data())
def test_an_unchanged_file_keeps_every_line(lines: list[str], data: st.DataObject) -> None:
    line = data.draw(st.integers(1, len(lines)))
    text = joined(lines)
    assert place("a.go", text, {"a.go": text}, line) == Placement("a.go", line, Layer.SAME)


@given(texts, st.data())
def test_inserted_lines_shift_a_line_by_their_number(lines: list[str], data: st.DataObject) -> None:
    lines = [f"{line} # {number}" for number, line in enumerate(lines)]
    line = data.draw(st.integers(1, len(lines)))
    at = data.draw(st.integers(0, len(lines)))
    more = [f"more {number}" for number in range(data.draw(st.integers(1, 5)))]
    new = lines[:at] + more + lines[at:]
    shifted = line + len(more) if at < line else line
    for is_sketched in (False, True):
        found = place("a.go", joined(lines), {"a.go": joined(new)}, line, is_sketched=is_sketched)
        assert found == Placement("a.go", shifted, Layer.DIFF)


@given(st.integers(0, 15), st.integers(1, 6))
def test_a_line_whose_block_is_deleted_is_an_orphan(start: int, size: int) -> None:
    lines = [f"step_{number} = run({chr(97 + number) * 9})" for number in range(22)]
    new = joined(lines[:start] + lines[start + size :])
    for line in range(start + 1, start + size + 1):
        assert isinstance(place("a.go", joined(lines), {"a.go": new}, line), Orphan)


@given(texts, texts, st.data())
def test_every_line_is_in_range_and_the_result_is_repeatable(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    line = data.draw(st.integers(1, len(old)))
    files = {"a.go": joined(new), "b.go": joined(old[::-1])}
    counts = {name: text.count(b"\n") for name, text in files.items()}
    for is_sketched in (False, True):
        found = place("a.go", joined(old), files, line, is_sketched=is_sketched)
        assert found == place("a.go", joined(old), files, line, is_sketched=is_sketched)
        if isinstance(found, Placement):
            assert 1 <= found.line <= counts[found.path]
        else:
            assert all(1 <= it.line <= counts[it.file_path] for it in found.suggestions)


@given(
    st.binary(min_size=1, max_size=120),
    st.binary(max_size=120),
    st.sampled_from(["py", "c", "js", "txt"]),
)
def test_any_bytes_are_compared(old: bytes, new: bytes, suffix: str) -> None:
    name = f"a.{suffix}"
    for line in range(1, len(TrackedText(old).lines) + 1):
        for is_sketched in (False, True):
            place(name, old, {name: new, f"b.{suffix}": old}, line, is_sketched=is_sketched)


def test_a_sketch_finds_an_edited_line_as_the_text_does() -> None:
    new = POND.replace("p.depth*10", "p.depth*p.crowd").encode()
    for is_sketched in (False, True):
        found = place("pond.go", POND.encode(), {"pond.go": new}, 7, is_sketched=is_sketched)
        assert isinstance(found, Placement)
        assert (found.line, found.layer) == (7, Layer.EDITED)


def test_a_sketch_finds_a_moved_block_as_the_text_does() -> None:
    start, end = POND.index("func (p *Pond) Add"), POND.index("func (p *Pond) Drain")
    files = {
        "pond.go": (POND[:start] + POND[end:]).encode(),
        "add.go": b"package pond\n\n" + POND[start:end].encode(),
    }
    for is_sketched in (False, True):
        found = place("pond.go", POND.encode(), files, 8, is_sketched=is_sketched)
        assert isinstance(found, Placement)
        assert (found.path, found.line, found.layer) == ("add.go", 5, Layer.MOVED)


def test_a_sketch_is_small() -> None:
    sketch = sketch_of(TrackedText(b"some_value = compute(other_value)\n" * 1000))
    assert len(sketch) < 5400


def test_a_file_that_was_renamed_and_edited_is_followed_without_git() -> None:
    new = POND.replace("p.depth*10", "p.depth*p.crowd").encode()
    files = {"lake.go": b"package lake\n" + new, "other.go": b"package lake\n"}
    for is_sketched in (False, True):
        for line in (2, 7, 12):
            found = place("pond.go", POND.encode(), files, line, is_sketched=is_sketched)
            assert isinstance(found, Placement)
            assert (found.path, found.line) == ("lake.go", line + 1)


@pytest.mark.parametrize("keys", ["not base 64", "AAAAAAA="])
def test_a_damaged_sketch_is_refused(keys: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        SketchedText("0" * 40, keys, [])


@pytest.mark.parametrize("line", [0, -3, 18, 57])
def test_an_anchor_outside_its_text_is_placed_by_its_lines(line: int) -> None:
    document = open_text("pond.go", POND.encode())
    anchor = msgspec.structs.replace(make_anchor(document, 7), line=line)
    [found] = reanchor("pond.go", [anchor], document, lambda _: document)
    assert isinstance(found, Placement)
    assert (found.line, found.layer) == (7, Layer.CONTEXT)


def test_anchors_of_one_file_are_placed_together_in_their_order() -> None:
    base = open_text("pond.go", POND.encode())
    new = open_text("pond.go", b"package pond\n\n" + POND.encode())
    anchors = [make_anchor(base, line) for line in (14, 2, 2, 7)]
    found = reanchor("pond.go", anchors, base, lambda _: new)
    assert [it.line for it in found if isinstance(it, Placement)] == [16, 4, 4, 9]
