import msgspec
import pytest

from benchpin.performance.findings import PerformanceFinding, analyze
from benchpin.performance.snapshots import build_snapshot
from benchpin.performance.values import Cost, Profile, QueryClass
from profile_values import log_reading, profile_reading, query_class, slow_log

REST = [query_class(f"R{number}", [20_000]) for number in range(20)]
"""Other queries, of 0.4 s in total: below every limit."""


def _findings(*classes: QueryClass) -> dict[str, PerformanceFinding]:
    snapshot = build_snapshot([log_reading(1, slow_log([*classes, *REST]))])
    return {each.subject: each for each in analyze(snapshot, top_n=20).findings}


def _rules(*classes: QueryClass) -> list[str]:
    found = _findings(*classes)
    return [signal.rule for signal in found["A"].signals] if "A" in found else []


def _with(found: QueryClass, **fields: object) -> QueryClass:
    return msgspec.structs.replace(found, **fields)


def test_a_query_with_most_of_the_time_is_found_below_every_limit() -> None:
    found = _findings(query_class("A", [70_000] * 10))["A"]
    assert found.severity == "P2"
    assert found.exceeded == ()
    assert found.title.startswith("Most of the query time")
    assert "64% of all query time" in found.why


def test_the_title_names_the_cause_rather_than_the_share() -> None:
    scans = _with(query_class("A", [70_000] * 10), full_scans=10, rows_examined=52_100)
    found = _findings(scans)["A"]
    assert found.title.startswith("Scans whole tables")
    assert [signal.rule for signal in found.signals] == [
        "share_of_time",
        "full_scans",
        "rows_examined",
    ]


def test_full_scans_of_large_tables_are_found_and_of_small_ones_not() -> None:
    scans = _with(query_class("A", [10_000] * 10), full_scans=10, rows_examined=52_100)
    assert "full_scans" in _rules(scans)
    assert "full_scans" not in _rules(_with(scans, rows_examined=500))
    assert "full_scans" not in _rules(_with(scans, full_scans=None))


def test_rows_read_for_each_row_sent_say_what_could_be_saved() -> None:
    found = _findings(_with(query_class("A", [10_000] * 10), rows_examined=52_100, rows_sent=100))
    (signal,) = found["A"].signals
    assert signal.says == "It reads 521 rows for each row that it sends."
    assert signal.could_save_us == round(100_000 * 520 / 521)


def test_waiting_for_locks_is_found_by_its_share() -> None:
    locked = _with(query_class("A", [10_000] * 10), lock_time_us=40_000)
    assert _rules(locked) == ["lock_wait"]
    assert _rules(_with(locked, lock_time_us=20_000)) == []


def test_a_query_of_two_speeds_is_found() -> None:
    assert _rules(query_class("A", [1_000] * 38 + [40_000] * 3))[-1:] == ["two_speeds"]
    assert "two_speeds" not in _rules(query_class("A", [3_000] * 41))


def test_what_takes_little_of_the_time_is_fine() -> None:
    scans = _with(query_class("A", [1_500] * 10), full_scans=10, rows_examined=90_000, rows_sent=1)
    assert _rules(scans) == []


def _functions(metric: str, *costs: tuple[str, int]) -> list[PerformanceFinding]:
    functions = tuple(Cost(name, 0, (cost,), (cost,)) for name, cost in costs)
    content = Profile("made", (metric,), None, 9, functions, (), (), is_complete=True)
    return analyze(build_snapshot([profile_reading(1, content)])).findings


def test_a_function_with_most_samples_is_found_though_no_time_is_known() -> None:
    (found,) = _functions("samples", ("hot", 300), *[(f"f{it}", 20) for it in range(30)])
    assert found.subject == "hot"
    assert "33% of all samples" in found.why


@pytest.mark.parametrize("name", ["(idle)", "(program)"])
def test_waiting_is_no_finding(name: str) -> None:
    assert _functions("samples", (name, 300), ("work", 10)) == []


def test_few_samples_are_chance() -> None:
    assert _functions("samples", ("hot", 40), ("work", 10)) == []
