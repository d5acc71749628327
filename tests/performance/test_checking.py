"""A crafted snapshot or baseline is refused by name, or used without an accident."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.performance.snapshots._runs import SnapshotDamaged

LOG = """# Time: 2026-01-01T00:00:00.000000Z
# User@Host: a[a] @ localhost []  Id:     8
# Query_time: 0.200000  Lock_time: 0.000100 Rows_sent: 1  Rows_examined: 900
SET timestamp=1767225600;
select * from t where a = 1;
"""
TIMINGS = "url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb\nhttp://shop.example/,/,10,20,0,0\n"
ABSURD = (0, -1, 10**400)


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    return Workbench.open(workspace)


@pytest.fixture
def snapshot(shop: Workbench, workspace: Path) -> dict[str, Any]:
    """Store a small snapshot of everything, and return its content."""
    stacks = "main;work (a.py:3) 100\nmain;rest 70\n"
    texts = {"a.txt": stacks, "slow.log": LOG * 3, "t.csv": TIMINGS}
    for name, text in texts.items():
        (workspace / name).write_text(text, encoding="utf-8")
    shop.call("ingest_artifacts", artifacts=[{"path": name} for name in texts])
    [file] = workspace.rglob("snapshot.json")
    found: dict[str, Any] = json.loads(file.read_bytes())
    return found


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where a document has numbers and lists."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in items:
            yield from places(each, (*path, key))
    if path and isinstance(value, list | int) and not isinstance(value, bool):
        yield path


def changed(document: dict[str, Any], path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    copy: Any = json.loads(json.dumps(document))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = [] if isinstance(inner[path[-1]], list) else value
    return dict(copy)


def stored(workspace: Path, document: dict[str, Any]) -> str:
    """Put a snapshot where the store expects one of this content, and return its id."""
    content = json.dumps(document).encode()
    name = hashlib.sha256(content).hexdigest()
    [known] = {it.parent for it in workspace.rglob("snapshot.json")}
    folder = known.parent / f"snapshot_{name}"
    folder.mkdir()
    (folder / "snapshot.json").write_bytes(content)
    metadata = json.loads((known / "metadata.json").read_bytes())
    metadata["run"] |= {"id": name, "size_bytes": len(content)}
    (folder / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    return name


@pytest.mark.slow
@pytest.mark.parametrize("value", ABSURD)
def test_no_number_of_a_snapshot_breaks_a_tool(
    shop: Workbench, workspace: Path, snapshot: dict[str, Any], value: int
) -> None:
    known = shop.call("list_runs").runs[0].id  # type: ignore[attr-defined]  # of its report
    used = 0
    for path in places(snapshot):
        (workspace / "b.json").write_text(json.dumps(changed(snapshot, path, value)))
        with suppress(BenchpinError):  # a refusal; anything else that is raised is a bug
            shop.call("performance_gate", baseline="b.json", snapshot_id=known).to_text()
            used += 1
    assert used


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (("profiles", 0, "profile", "edges", 0, "caller"), 99, "not among its 3"),
        (("profiles", 0, "profile", "metrics"), [], "has no metric"),
        (("profiles", 0, "profile", "functions", 0, "self"), [], "its 1 metrics"),
        (("profiles", 0, "profile", "tree", 0, 0), 7, "before their callers"),
        (("profiles", 0, "profile", "functions", 0, "calls"), -3, "negative number of calls"),
        (("queries", 0, "count"), 0, "count of 0, less than 1"),
        (("queries", 0, "total_time_us"), 10**400, "too large"),
    ],
)
def test_what_is_wrong_with_a_snapshot_is_named(
    shop: Workbench,
    workspace: Path,
    snapshot: dict[str, Any],
    path: tuple[str | int, ...],
    value: object,
    problem: str,
) -> None:
    crafted = changed(snapshot, path, value)
    (workspace / "b.json").write_text(json.dumps(crafted), encoding="utf-8")
    known = shop.call("list_runs").runs[0].id  # type: ignore[attr-defined]  # of its report
    with pytest.raises(InvalidParams, match=rf"b\.json is not a baseline: .*{problem}"):
        shop.call("performance_gate", baseline="b.json", snapshot_id=known)
    with pytest.raises(SnapshotDamaged, match=problem):
        shop.call("run_analysis", snapshot_id=stored(workspace, crafted))


@pytest.mark.parametrize("value", [-1, 10**17 * 9, 10**400])
def test_a_moment_that_no_calendar_has_is_named(
    shop: Workbench, workspace: Path, snapshot: dict[str, Any], value: int
) -> None:
    assert snapshot
    [index] = workspace.rglob("index.json")
    [metadata] = workspace.rglob("metadata.json")
    index.unlink()
    content = json.loads(metadata.read_bytes())
    content["run"]["ingested_at_us"] = value
    metadata.write_text(json.dumps(content), encoding="utf-8")
    assert "metadata.json" in shop.call("check_health").to_text() or not shop.call("list_runs").runs  # type: ignore[attr-defined]  # of its report
