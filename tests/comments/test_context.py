import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments.anchoring import (
    Anchor,
    Layer,
    Placement,
    TrackedText,
    make_anchor,
    place_by_context,
)
from benchpin.comments.anchoring._anchor import Orphan
from benchpin.comments.anchoring._reanchor import reanchor
from benchpin.comments.anchoring._tracked_text import open_text

KETTLE = """\
fn boil(kettle: &mut Kettle) -> Result<Steam, Empty> {
    if kettle.water == 0 {
        return Err(Empty);
    }
    kettle.heat += 1;
    Ok(Steam::from(kettle))
}

fn pour(kettle: &mut Kettle, cup: &mut Cup) -> Result<(), Empty> {
    if kettle.water == 0 {
        return Err(Empty);
    }
    kettle.water -= cup.size;
    Ok(())
}
"""


def anchor_at(line: int) -> Anchor:
    return make_anchor(open_text("kettle.rs", KETTLE.encode()), line)


def place(line: int, new: str) -> Placement | Orphan:
    [found] = reanchor(
        "kettle.rs", [anchor_at(line)], None, lambda path: open_text(path, new.encode())
    )
    return found


def test_the_same_content_keeps_the_line() -> None:
    assert place(5, KETTLE) == Placement("kettle.rs", 5, Layer.SAME)


@pytest.mark.parametrize("line", [1, 5, 13, 14])
def test_a_line_among_its_neighbours_is_found(line: int) -> None:
    found = place(line, "// Kettles.\n\n" + KETTLE)
    assert isinstance(found, Placement)
    assert (found.line, found.layer) == (line + 2, Layer.CONTEXT)


def test_of_equal_lines_the_one_with_the_same_neighbours_is_chosen() -> None:
    new = "// Kettles.\n" + KETTLE
    for line in (2, 10):
        found = place(line, new)
        assert isinstance(found, Placement)
        assert found.line == line + 1


def test_an_edited_line_among_its_neighbours_is_found() -> None:
    found = place(13, KETTLE.replace("water -= cup.size;", "water -= cup.volume();"))
    assert isinstance(found, Placement)
    assert found.line == 13


def test_the_same_text_in_other_surroundings_is_only_suggested() -> None:
    new = "fn other() {\n    prepare();\n    kettle.heat += 1;\n    finish();\n}\n"
    found = place(5, new)
    assert isinstance(found, Orphan)
    assert [it.line for it in found.suggestions] == [3]


def test_a_neighbour_similar_to_a_deleted_line_is_not_mistaken_for_it() -> None:
    doubled = KETTLE.replace("Ok(Steam", "kettle.heat += 2;\n    Ok(Steam")
    anchor = make_anchor(open_text("kettle.rs", doubled.encode()), 5)
    new = open_text("kettle.rs", doubled.replace("    kettle.heat += 1;\n", "").encode())
    assert isinstance(place_by_context(anchor, "kettle.rs", new), Orphan)


def test_a_file_that_is_gone_leaves_an_orphan() -> None:
    assert place_by_context(anchor_at(5), "kettle.rs", None) == Orphan("the file is gone")


@given(st.binary(max_size=200), st.integers(1, 15))
def test_any_bytes_can_be_searched(text: bytes, line: int) -> None:
    found = place_by_context(anchor_at(line), "kettle.rs", TrackedText(text))
    spots = [found] if isinstance(found, Placement) else found.suggestions
    assert all(1 <= spot.line <= len(TrackedText(text).lines) for spot in spots)
