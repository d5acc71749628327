from random import Random

from benchpin.performance.comparing import change_points
from benchpin.performance.snapshots import Snapshot, build_snapshot
from profile_values import profile, profile_reading

MS = 1_000_000


def nightly(night: int, work_ms: float) -> Snapshot:
    """Make the snapshot of one night: three profiles of a route that spends its time in work()."""
    chance = Random(night)  # noqa: S311 - statistics, not secrets
    runs = [
        [("main", 2 * MS), ("work", round(work_ms * MS * chance.uniform(0.95, 1.05)))]
        for _ in range(3)
    ]
    hints = {"night": night}
    return build_snapshot(
        [profile_reading(at, profile("/", it)) for at, it in enumerate(runs)], hints
    )


def test_a_change_point_names_the_first_snapshot_of_the_new_level() -> None:
    nights = [nightly(it, 10 if it < 9 else 14) for it in range(14)]
    found = change_points(nights)
    assert {(it.subject, it.metric) for it in found} == {
        ("/ work", "self_us"),
        ("/", "profiled_us"),
    }
    assert {it.snapshot for it in found} == {nights[9].id}
    (point,) = [it for it in found if it.metric == "self_us"]
    assert (point.verdict, point.before_count, point.after_count) == ("regressed", 9, 5)
    assert 9_800 < point.before < 10_200
    assert 13_600 < point.after < 14_400


def test_snapshots_of_one_level_have_no_change_point() -> None:
    assert change_points([nightly(it, 10) for it in range(14)]) == []
    assert change_points([nightly(it, 10 + it) for it in range(5)]) == []


def test_newer_change_points_come_first() -> None:
    nights = [nightly(it, {0: 10, 1: 20, 2: 10}[it // 7]) for it in range(21)]
    found = [it for it in change_points(nights) if it.metric == "self_us"]
    assert [it.verdict for it in found] == ["improved", "regressed"]
    assert [it.snapshot for it in found] == [nights[14].id, nights[7].id]
