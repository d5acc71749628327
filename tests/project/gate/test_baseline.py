import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.errors import InvalidParams
from benchpin.project.gate import MEASURES
from benchpin.project.gate._values import GateValue
from benchpin.project.gate.baseline import Baseline, KnownViolation, dump, load, record

CYCLOMATIC, COVERAGE = MEASURES["max_cyclomatic"], MEASURES["min_file_coverage_percent"]


def value_of(value: float, name: str = "f", file: str = "a.py", line: int = 1) -> GateValue:
    return GateValue(value, file, line, line + 9, name)


def baseline(*values: GateValue) -> Baseline:
    return Baseline(tuple(record(CYCLOMATIC, it, 10) for it in values))


def anywhere(_path: str) -> bool:
    return True


def test_what_is_as_bad_as_before_is_known_wherever_its_lines_are() -> None:
    known = baseline(value_of(12, line=3))
    for now in (value_of(12, line=400), value_of(11)):
        matching = known.match(CYCLOMATIC, 10, [now], anywhere)
        assert (matching.new, matching.known, matching.fixed) == ([], 1, [])


def test_what_got_worse_is_new_with_its_value_from_before() -> None:
    matching = baseline(value_of(12)).match(CYCLOMATIC, 10, [value_of(13)], anywhere)
    assert [(it.value, recorded) for it, recorded in matching.new] == [(13, 12)]
    assert matching.fixed == []


def test_for_coverage_less_is_worse() -> None:
    known = Baseline((record(COVERAGE, value_of(40), 80),))
    assert known.match(COVERAGE, 80, [value_of(41)], anywhere).known == 1
    assert known.match(COVERAGE, 80, [value_of(39)], anywhere).new[0][1] == 40


def test_what_changes_by_itself_may_drift_a_little() -> None:
    measure = MEASURES["max_defect_probability"]
    known = Baseline((record(measure, value_of(0.5, ""), 0.3),))
    assert known.match(measure, 0.3, [value_of(0.54, "")], anywhere).known == 1
    assert known.match(measure, 0.3, [value_of(0.56, "")], anywhere).new[0][1] == 0.5


def test_functions_of_one_name_are_told_apart_by_their_values() -> None:
    known = baseline(value_of(20), value_of(15))
    assert known.match(CYCLOMATIC, 10, [value_of(15, line=9), value_of(20)], anywhere).known == 2
    matching = known.match(CYCLOMATIC, 10, [value_of(20), value_of(16), value_of(11)], anywhere)
    assert [(it.value, recorded) for it, recorded in matching.new] == [(16, None)]
    matching = known.match(CYCLOMATIC, 10, [value_of(21)], anywhere)
    assert matching.new[0][1] == 20
    assert [it.value for it in matching.fixed] == [15]


def test_a_function_that_moved_to_another_file_is_known() -> None:
    known = baseline(value_of(12))
    assert known.match(CYCLOMATIC, 10, [value_of(12, file="b.py")], anywhere).known == 1
    assert known.match(CYCLOMATIC, 10, [value_of(13, file="b.py")], anywhere).known == 0
    both = [value_of(12), value_of(12, file="b.py")]
    new = known.match(CYCLOMATIC, 10, both, anywhere).new
    assert [it.file for it, _ in new] == ["b.py"]


def test_functions_without_a_name_are_not_followed_into_other_files() -> None:
    known = baseline(value_of(12, "(anonymous)"))
    matching = known.match(CYCLOMATIC, 10, [value_of(12, "(anonymous)", "b.py")], anywhere)
    assert len(matching.new) == len(matching.fixed) == 1


def test_a_file_that_moved_is_known_by_its_own_name() -> None:
    lines = MEASURES["max_file_lines"]
    known = Baseline((record(lines, value_of(900, "", "old/big.py"), 800),))
    assert known.match(lines, 800, [value_of(900, "", "new/big.py")], anywhere).known == 1
    assert known.match(lines, 800, [value_of(900, "", "new/other.py")], anywhere).known == 0


def test_what_is_gone_is_fixed_unless_nobody_looked() -> None:
    known = baseline(value_of(12), value_of(12, file="lib/b.py"))
    matching = known.match(CYCLOMATIC, 10, [], lambda path: not path.startswith("lib/"))
    assert [it.file for it in matching.fixed] == ["a.py"]
    assert [it.file for it in known.elsewhere(CYCLOMATIC, lambda path: path == "a.py")] == [
        "lib/b.py"
    ]


@pytest.mark.parametrize(
    ("now", "is_fixed"), [(12, False), (11, False), (14, False), (10, True), (1, True)]
)
def test_only_what_is_within_the_limit_of_then_is_fixed(now: float, is_fixed: object) -> None:
    known = baseline(value_of(12))
    for file in ("a.py", "b.py") if now <= 12 else ("a.py",):
        matching = known.match(CYCLOMATIC, 15, [value_of(now, file=file)], anywhere)
        assert (matching.new, matching.known) == ([], 0)
        assert bool(matching.fixed) is is_fixed


def test_each_is_fixed_by_its_own_limit() -> None:
    strict, lax = (
        record(CYCLOMATIC, value_of(30, "f"), 10),
        record(CYCLOMATIC, value_of(30, "g"), 20),
    )
    now = [value_of(18, "f"), value_of(18, "g")]
    assert Baseline((strict, lax)).match(CYCLOMATIC, 25, now, anywhere).fixed == [lax]


def test_a_baseline_of_another_version_says_so() -> None:
    with pytest.raises(InvalidParams, match="it has version 1, not 2"):
        load(b'{"version": 1, "violations": [{"threshold": "max_cyclomatic"}]}', "b.json")


def test_a_baseline_is_the_same_bytes_whatever_the_order_and_can_be_read_again() -> None:
    some = baseline(value_of(12, "g"), value_of(30.5, "f"))
    assert dump(some) == dump(baseline(value_of(30.5, "f"), value_of(12, "g")))
    assert dump(some).decode() == (
        '{"version": 2, "violations": [\n'
        '  {"threshold":"max_cyclomatic","file":"a.py","name":"f","value":30.5,"limit":10},\n'
        '  {"threshold":"max_cyclomatic","file":"a.py","name":"g","value":12,"limit":10}\n'
        "]}\n"
    )
    assert load(dump(some), "b.json").violations == tuple(sorted(some.violations))
    assert load(dump(Baseline()), "b.json") == Baseline()


@given(st.text(), st.text(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_name_can_be_recorded(file: str, name: str, value: float) -> None:
    some = baseline(value_of(value, name, file))
    assert load(dump(some), "b.json") == some


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"version": 1, "violations": []}',
        b'{"version": 2}',
        b'{"version": 2, "violations": [{}]}',
        b'{"version": 2, "violations": [], "more": 1}',
        b'{"version":2,"violations":[{"threshold":"max_x","file":"","name":"","value":1,"limit":0}]}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_baseline_is_an_error_that_names_it(content: bytes) -> None:
    with pytest.raises(InvalidParams, match=r"kept\.json is not a baseline") as raised:
        load(content, "kept.json")
    assert "update_baseline" in raised.value.suggestion


def test_a_project_value_is_its_own_entry() -> None:
    measure = MEASURES["max_duplication_percent"]
    known = Baseline((KnownViolation("max_duplication_percent", "", "", 7.5, 5),))
    assert known.of_project(measure) == known.violations[0]
    assert known.of_project(CYCLOMATIC) is None
    assert known.match(measure, 5, [], anywhere).fixed == []
