"""Each layer in small cases; lines are counted from 1."""

from collections.abc import Mapping

import pytest

from benchpin.comments.anchoring import Layer, Placement, Suggestion, TrackedText
from benchpin.comments.anchoring._anchor import Orphan, Outcome
from benchpin.comments.anchoring._comparison import TextComparison
from benchpin.comments.anchoring._moves import MoveTarget
from benchpin.comments.anchoring._tracked_text import open_text

CLOCK = """\
import time


class Clock:
    def __init__(self, zone):
        self.zone = zone
        self.started = time.monotonic()

    def elapsed(self):
        now = time.monotonic()
        return now - self.started

    def restart(self):
        self.started = time.monotonic()
        return self


def wait_for(clock, seconds):
    while clock.elapsed() < seconds:
        time.sleep(0.1)
    return clock
"""


def line_of(text: str, part: str) -> int:
    [line] = [number for number, it in enumerate(text.split("\n"), 1) if part in it]
    return line


def find(
    old: str,
    new: str | None,
    line: int,
    elsewhere: Mapping[str, tuple[str | None, str]] | None = None,
) -> Outcome:
    """Find a line of `clock.py`; other files are given by their old and new text."""
    others = [
        MoveTarget(path, reading(path, now), reading(path, then))
        for path, (then, now) in (elsewhere or {}).items()
    ]
    document = None if new is None else open_text("clock.py", new.encode())
    base = open_text("clock.py", old.encode())
    return TextComparison("clock.py", base, document, others).find(line)


class reading:  # noqa: N801 - reads as the call that it is
    def __init__(self, path: str, text: str | None) -> None:
        self.path, self.text = path, text

    def __call__(self) -> TrackedText | None:
        return None if self.text is None else open_text(self.path, self.text.encode())


def test_the_same_content_keeps_the_line() -> None:
    assert find(CLOCK, CLOCK, 7) == Placement("clock.py", 7, Layer.SAME)


def test_lines_above_shift_a_line() -> None:
    assert find(CLOCK, "# A clock.\n\n" + CLOCK, 7) == Placement("clock.py", 9, Layer.DIFF)


def test_a_new_indentation_is_no_change() -> None:
    new = CLOCK.replace("    ", "\t")
    assert find(CLOCK, new, 11) == Placement("clock.py", 11, Layer.DIFF)


def test_an_edited_line_is_found_in_its_place() -> None:
    new = CLOCK.replace("time.sleep(0.1)", "time.sleep(clock.pause)")
    found = find(CLOCK, new, line_of(CLOCK, "sleep"))
    assert isinstance(found, Placement)
    assert (found.line, found.layer) == (line_of(new, "sleep"), Layer.EDITED)
    assert "alike" in found.reason


def test_two_edited_lines_do_not_take_each_others_place() -> None:
    old = "def check(app):\n    assert is_flask(best(info))\n    assert best(info).name == 'x'\n"
    new = (
        "def check(app):\n    found = best(info)\n    assert is_flask(found)\n"
        "    assert found.name == 'x'\n"
    )
    outcomes = [find(old, new, line) for line in (2, 3)]
    assert [it.line for it in outcomes if isinstance(it, Placement)] == [3, 4]


def test_swapped_and_edited_lines_are_not_confused() -> None:
    old = "import java.util.Date;\nimport java.util.Locale;\n"
    new = "import java.util.Locale\nimport java.util.Date\n"
    outcomes = [find(old, new, line) for line in (1, 2)]
    assert [it.line for it in outcomes if isinstance(it, Placement)] == [2, 1]


def test_a_replaced_line_is_an_orphan() -> None:
    new = CLOCK.replace("        time.sleep(0.1)", "        pass")
    assert find(CLOCK, new, line_of(CLOCK, "sleep")) == Orphan(
        "no line is similar enough", path="clock.py"
    )


def test_a_barely_similar_line_is_only_suggested() -> None:
    old = "def area(width, height):\n    return width * height\n"
    new = "def area(width, height):\n    return rectangle(width).area(2)\n"
    found = find(old, new, 2)
    assert isinstance(found, Orphan)
    assert found.suggestions == (Suggestion("clock.py", 2, 0.5, "a similar line"),)


def test_a_removed_block_is_an_orphan() -> None:
    start, end = CLOCK.index("    def restart"), CLOCK.index("def wait_for")
    found = find(CLOCK, CLOCK[:start] + CLOCK[end:], line_of(CLOCK, "def restart"))
    assert found == Orphan("no line is similar enough", path="clock.py")


ONE = """\
def one():
    try:
        work()
    finally:
        close()


"""
TWO = ONE.replace("one", "two").replace("work", "rest")
THREE = "def three():\n    pass\n"


def test_of_equal_lines_the_one_in_the_same_symbol_is_chosen() -> None:
    assert find(ONE + THREE, TWO + ONE + THREE, 4) == Placement("clock.py", 11, Layer.DIFF)
    assert find(ONE + THREE, ONE + TWO + THREE, 4) == Placement("clock.py", 4, Layer.DIFF)


def test_a_diff_that_takes_a_twin_is_corrected_by_the_symbol() -> None:
    old = ONE + THREE
    new = (ONE + TWO + THREE).replace("        work()\n", "        labour()\n", 1)
    found = find(old, new, 4)
    assert found == Placement("clock.py", 4, Layer.TWIN, "the only such line in one")


def test_a_twin_in_another_symbol_is_not_the_line_while_its_own_symbol_is_there() -> None:
    shared = "        if key.isupper():\n"
    first = (
        "def from_names(self):\n    for key in self.names:\n" + shared + "            take(key)\n"
    )
    old = (
        "def from_json(self):\n    items = load(self.path)\n    for key in items.keys():\n"
        f"{shared}            self[key] = items[key]\n    return True\n"
    )
    new = (
        "def from_json(self):\n    return self.from_pairs(load(self.path))\n\n\n"
        f"def from_pairs(self, pairs):\n    for name, value in pairs:\n{shared}"
        "            self[name] = value\n    return True\n"
    )
    found = find(first + old, first + new, 8)
    assert isinstance(found, Orphan)
    assert found.reason == "it was in from_json, which has no such line any more"
    assert [it.line for it in found.suggestions] == [11]


def test_a_block_that_moved_within_the_file_is_followed() -> None:
    start, end = CLOCK.index("    def elapsed"), CLOCK.index("    def restart")
    block = CLOCK[start:end]
    new = CLOCK[:start] + CLOCK[end:].replace(
        "        return self\n", "        return self\n\n" + block
    )
    found = find(CLOCK, new, line_of(CLOCK, "now - self"))
    assert isinstance(found, Placement)
    assert found.line == line_of(new, "now - self")


def test_a_block_that_moved_to_another_file_is_followed() -> None:
    start = CLOCK.index("def wait_for")
    others = {"waiting.py": (None, "import time\n\n\n" + CLOCK[start:])}
    found = find(CLOCK, CLOCK[:start], line_of(CLOCK, "sleep"), others)
    assert isinstance(found, Placement)
    assert (found.path, found.line, found.layer) == ("waiting.py", 6, Layer.MOVED)


def test_the_lines_of_a_deleted_file_are_traced() -> None:
    others = {"time/clock.py": (None, "# Moved.\n" + CLOCK)}
    found = find(CLOCK, None, 11, others)
    assert isinstance(found, Placement)
    assert (found.path, found.line) == ("time/clock.py", 12)


def test_a_small_moved_function_is_recognised_by_its_name() -> None:
    small = (
        "def discount_for(customer):\n    if customer.years > 10:\n        return 0.2\n    return 0"
    )
    other = small.replace("discount_for", "rebate_for")
    found = find(small, None, 2, {"discounts.py": (None, "RATE = 2\n\n\n" + small)})
    assert isinstance(found, Placement)
    assert (found.path, found.line) == ("discounts.py", 5)
    assert isinstance(find(small, None, 2, {"rebates.py": (None, other)}), Orphan)


def test_lines_that_were_there_before_are_no_destination() -> None:
    start = CLOCK.index("def wait_for")
    others = {"waiting.py": (CLOCK[start:], "# Old.\n" + CLOCK[start:])}
    found = find(CLOCK, CLOCK[:start], line_of(CLOCK, "sleep"), others)
    assert found == Orphan("no line is similar enough", path="clock.py")


def test_code_moves_from_a_source_file_to_a_header() -> None:
    start = CLOCK.index("def wait_for")
    others = {"waiting.h": (None, CLOCK[start:])}
    found = find(CLOCK, CLOCK[:start], line_of(CLOCK, "sleep"), others)
    assert isinstance(found, Placement)
    assert (found.path, found.line) == ("waiting.h", 3)


def test_the_same_line_further_down_beats_a_similar_one_in_place() -> None:
    shout = '    """Say a word as loudly as can be."""\n    return word.upper()\n'
    whisper = '    """Say a word as softly as can be."""\n    return word.lower()\n'
    old = f"def say(word):\n{shout}"
    new = f"def say(word):\n{whisper}\n\ndef cry(word):\n{shout}"
    found = find(old, new.replace("return word.upper", "yield word.upper"), 2)
    assert isinstance(found, Placement)
    assert (found.line, found.layer) in {(7, Layer.DIFF), (7, Layer.MOVED)}


def test_a_file_of_another_kind_is_no_destination() -> None:
    start = CLOCK.index("def wait_for")
    found = find(
        CLOCK, CLOCK[:start], line_of(CLOCK, "sleep"), {"waiting.md": (None, CLOCK[start:])}
    )
    assert found == Orphan("no line is similar enough", path="clock.py")


def test_a_short_line_without_neighbours_is_only_suggested() -> None:
    old = "def one():\n    return total(items)\n\n\ndef two():\n    go()\n"
    others = {"other.py": (None, "def three():\n    stop()\n    return total(items)\n")}
    found = find(old, "def two():\n    go()\n", 2, others)
    assert isinstance(found, Orphan)
    assert found.reason == "the same text is too common"
    assert [(it.file_path, it.line) for it in found.suggestions] == [("other.py", 3)]


def test_a_block_copied_to_two_places_is_placed_in_neither() -> None:
    start = CLOCK.index("def wait_for")
    others: dict[str, tuple[str | None, str]] = dict.fromkeys(
        ("a.py", "b.py"), (None, CLOCK[start:])
    )
    found = find(CLOCK, CLOCK[:start], line_of(CLOCK, "sleep"), others)
    assert isinstance(found, Orphan)
    assert [it.file_path for it in found.suggestions] == ["a.py", "b.py"]


def test_an_edited_line_is_found_in_a_huge_hunk() -> None:
    old = [f"value_{it} = compute({it * 7919 % 1009})" for it in range(300)]
    new = [f"{it * 31 % 997}: [{'-' * (it % 9)}]," for it in range(300)]
    new[150] = "value_150 = compute(175, cached=True)"
    found = find("\n".join(old), "\n".join(new), 151)
    assert isinstance(found, Placement)
    assert (found.line, found.layer) == (151, Layer.EDITED)


def test_the_number_of_files_that_are_searched_has_a_limit() -> None:
    start = CLOCK.index("def wait_for")
    others: dict[str, tuple[str | None, str]] = {
        f"far/{number}.py": (None, "nothing = 0\n") for number in range(600)
    }
    others["waiting.py"] = (None, CLOCK[start:])
    found = find(CLOCK, CLOCK[:start], line_of(CLOCK, "sleep"), others)
    assert isinstance(found, Placement)
    assert found.path == "waiting.py"


@pytest.mark.parametrize("layer", list(Layer))
def test_every_layer_has_a_confidence(layer: Layer) -> None:
    assert 0.5 < Placement("a.py", 1, layer).confidence <= 1


HEADER = """\
def parse_header(text):
    kind, _, rest = text.partition(":")
    log("header")
    check_header(kind)
    options = {}
    for part in rest.split(";"):
        options[part.strip()] = True
    return kind, options
"""
FOOTER = HEADER.replace('partition(":")', 'rpartition("/")').replace("header", "footer")
TWINS = {
    "alike": (HEADER, FOOTER),
    "with another beginning": (HEADER, FOOTER.replace("options = {}", "options = new(kind)")),
}


@pytest.mark.parametrize("twins", TWINS.values(), ids=TWINS)
@pytest.mark.parametrize("line", range(1, 9))
def test_a_line_goes_with_its_function_when_it_changes_places_with_a_twin(
    twins: tuple[str, str], line: int
) -> None:
    header, footer = twins
    found = find(f"{header}\n\n{footer}", f"{footer}\n\n{header}", line)
    assert isinstance(found, Orphan) or found.line == line + 10
