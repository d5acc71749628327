import hashlib
import json
from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from benchpin.performance.snapshots import (
    Counts,
    Endpoint,
    Snapshot,
    Spread,
    Totals,
    build_snapshot,
)
from benchpin.performance.values import ArtifactFault, CallerShare, Reading, Sample, SlowLog
from profile_values import (
    log_reading,
    profile,
    profile_reading,
    query_class,
    sample,
    slow_log,
    source,
    timings_reading,
)

_TIMES = st.lists(st.integers(1, 10**12), min_size=1, max_size=6)
_LOGS: st.SearchStrategy[SlowLog] = st.dictionaries(
    st.sampled_from("ABCDé"), _TIMES, min_size=1
).map(lambda found: slow_log([query_class(name, times) for name, times in sorted(found.items())]))
_SAMPLES: st.SearchStrategy[list[Sample]] = st.lists(
    st.builds(sample, st.sampled_from(["/", "/?p", "/?s"]), st.integers(0, 10**9)), max_size=5
)


@given(
    logs=st.lists(_LOGS, max_size=3),
    timings=st.lists(_SAMPLES, max_size=3),
    routes=st.lists(st.sampled_from(["/", "/?p", None]), max_size=3),
    shuffler=st.randoms(),
)
def test_the_order_of_artefacts_does_not_matter(
    logs: list[SlowLog],
    timings: list[list[Sample]],
    routes: list[str | None],
    shuffler: Random,
) -> None:
    readings = [
        *(log_reading(number, log) for number, log in enumerate(logs, 1)),
        *(timings_reading(number, each) for number, each in enumerate(timings, 100)),
        *(profile_reading(number, profile(each)) for number, each in enumerate(routes, 200)),
    ]
    shuffled = [*readings, *readings[:2]]
    shuffler.shuffle(shuffled)
    hints: dict[str, object] = {"env": "test", "ratio": 1.5}
    first = build_snapshot(readings, hints)
    second = build_snapshot(shuffled, dict(reversed(hints.items())))
    assert first.encoded == second.encoded
    assert first.id == second.id


def test_another_value_gives_another_id() -> None:
    ids = {
        build_snapshot([log_reading(1, slow_log([query_class("A", times)]))]).id
        for times in ([1, 2], [1, 3])
    }
    assert len(ids) == 2


def test_the_content_is_canonical_json_of_whole_numbers() -> None:
    snapshot = build_snapshot(
        [log_reading(1, slow_log([query_class("é", [2**40] * 3)]))], {"b": 1.25, "a": [True, None]}
    )
    content = json.loads(snapshot.encoded)
    again = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert snapshot.encoded == again.encode()
    assert content["environment_hints"] == {"a": [True, None], "b": "1.25"}
    assert content["queries"][0]["squares_us2"] == 3 * 2**80
    assert not [value for value in _leaves(content) if isinstance(value, float)]
    assert snapshot.id == hashlib.sha256(snapshot.encoded).hexdigest()
    assert msgspec.json.decode(snapshot.encoded, type=Snapshot) == snapshot


def test_hints_that_are_secret_are_not_kept() -> None:
    hints = {"env": "test", "db": {"DB_PASSWORD": "hunter2", "ApiKey": 7}, "Set-Cookie": ["a"]}
    assert build_snapshot([], hints).environment_hints == {
        "env": "test",
        "db": {"DB_PASSWORD": "[REDACTED]", "ApiKey": "[REDACTED]"},
        "Set-Cookie": "[REDACTED]",
    }


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]


def test_a_class_of_two_logs_is_one_with_both_as_evidence() -> None:
    snapshot = build_snapshot(
        [
            log_reading(2, slow_log([query_class("A", [10, 30], full_scans=1)])),
            log_reading(1, slow_log([query_class("A", [50]), query_class("B", [5])])),
        ]
    )
    merged, other = snapshot.queries
    assert (merged.query_id, merged.count, merged.total_time_us) == ("A", 3, 90)
    assert (merged.min_us, merged.max_us, merged.squares_us2) == (10, 50, 3500)
    assert merged.p95_us is None
    assert merged.full_scans is None, "one of the logs does not tell"
    assert [(part.source[-1], part.p95_us) for part in merged.parts] == [("1", 50), ("2", 30)]
    assert (other.query_id, other.p50_us) == ("B", 5)
    assert snapshot.counts.queries == 2
    assert snapshot.counts.query_events == 4
    assert snapshot.totals.query_time_us == 95


def test_functions_are_added_up_over_profiles() -> None:
    snapshot = build_snapshot(
        [
            profile_reading(1, profile("/", [("main", 1000), ("work", 3000)])),
            profile_reading(2, profile("/", [("main", 2000), ("work", 500)])),
        ]
    )
    work, main = snapshot.spans
    assert (work.function, work.calls, work.self_ns, work.inclusive_ns) == ("work", 2, 3500, 3500)
    assert (work.worst_self_ns, work.worst_source[-1], work.profiles) == (3000, "1", 2)
    assert work.callers == (CallerShare(function="main", calls=2, inclusive_ns=3500),)
    assert (main.self_ns, main.inclusive_ns, main.callers) == (3000, 6500, ())
    assert snapshot.totals == Totals(0, 6, 6, 0)
    assert len(snapshot.sources) == 4


def test_functions_of_one_profile_with_one_name_stay_apart() -> None:
    twice = profile("/", [("main", 5), ("{closure}", 3), ("{closure}", 2)])
    alone = build_snapshot([profile_reading(1, twice)])
    assert [(each.function, each.self_ns, each.calls) for each in alone.spans] == [
        ("main", 5, 1),
        ("{closure}", 3, 1),
        ("{closure}", 2, 1),
    ]
    both = build_snapshot([profile_reading(1, twice), profile_reading(2, twice)])
    assert [(each.self_ns, each.profiles) for each in both.spans] == [(10, 2), (6, 2), (4, 2)]


def test_failed_samples_count_as_errors_and_not_as_times() -> None:
    samples = [
        *(sample("/", wall) for wall in range(100, 2100, 100)),
        sample("/", 9_000_000, status=500),
        sample("/", 9_000_000, status=None, error="timeout"),
    ]
    snapshot = build_snapshot([timings_reading(1, samples), profile_reading(2, profile("/a"))])
    times = Spread(
        count=20, total_us=21_000, squares_us2=28_700_000, p50_us=1000, p95_us=1900, max_us=2000
    )
    profiled = Spread(1, 4000, 16_000_000, 4000, 4000, 4000)
    assert snapshot.endpoints == (
        Endpoint("/", 22, 2, ttfb=times, wall=times, profiled_wall=None),
        Endpoint("/a", 0, 0, ttfb=None, wall=None, profiled_wall=profiled),
    )
    assert snapshot.counts == Counts(2, 0, 0, spans=2, profiles=1, samples=22)


def test_of_two_readings_of_one_file_the_one_with_metadata_counts() -> None:
    with_metadata = profile_reading(1, profile("/known"))
    alone = Reading(sources=(source(1, "spx"),), content=profile(None))
    for readings in ([with_metadata, alone], [alone, with_metadata]):
        snapshot = build_snapshot(readings)
        assert [each.route for each in snapshot.endpoints] == ["/known"]
        assert snapshot.counts.profiles == 1


def test_a_file_that_says_nothing_alone_is_a_source_still() -> None:
    snapshot = build_snapshot([Reading(sources=(source(1, "spx"),), content=None)])
    assert [each.sha256[-1] for each in snapshot.sources] == ["1"]
    assert snapshot.counts == Counts(0, 0, 0, 0, 0, 0)


def test_faults_keep_their_source() -> None:
    log = msgspec.structs.replace(slow_log([]), faults=(ArtifactFault("line 3", "cut"),))
    (fault,) = build_snapshot([log_reading(7, log)]).faults
    assert (fault.source[-1], fault.place, fault.problem) == ("7", "line 3", "cut")
