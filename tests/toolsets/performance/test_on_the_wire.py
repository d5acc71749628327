"""The performance tools as dotted methods, in an envelope of their own, and as MCP tools."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from wire import Wire, request


def kernel(root: Path) -> Kernel:
    return Kernel(Workbench(configure(root=root, allow=["network"])))


@pytest.fixture
async def wire(workspace: Path) -> AsyncIterator[Wire]:
    """Give a connection without a handshake, as a piped line has."""
    connection = Wire(kernel(workspace))
    yield connection
    await connection.close()


async def dotted(wire: Wire, method: str, **params: object) -> Any:
    return await wire.ask(request(method, 1, **params))


async def test_a_line_validates_artefacts(wire: Wire, names: list[str]) -> None:
    answer = await dotted(wire, "artifacts.validate", artifacts=[{"path": names[-2]}])
    assert answer == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "results": [
                {
                    "path": "slow.log",
                    "ok": True,
                    "detected_type": "mysql_slow_log",
                    "detected_version": "mysql-slowlog-v1",
                    "errors": [],
                    "metadata": {},
                }
            ],
            "counts": {"ok": 1, "failed": 0},
        },
    }


@pytest.mark.slow
async def test_lines_lead_from_artefacts_to_a_report(wire: Wire, names: list[str]) -> None:
    artifacts = [{"path": name} for name in names]
    ingested = await dotted(wire, "artifacts.ingest", artifacts=artifacts)
    snapshot = ingested["result"]["normalized_snapshot_id"]
    assert {"endpoints", "queries", "spans", "query_events"} <= ingested["result"]["counts"].keys()
    source = ingested["result"]["sources"][0]
    assert source.keys() == {"path", "type", "version", "sha256", "size_bytes", "hints"}
    given = {"normalized_snapshot_id": snapshot, "correlation_id": "corr-1"}
    analyzed = await dotted(wire, "analysis.run", **given)
    assert analyzed["result"]["correlation_id"] == "corr-1"
    reported = await dotted(wire, "report.export", **given)
    assert reported["result"]["report"]["snapshot_id"] == snapshot
    assert reported["result"]["correlation_id"] == "corr-1"
    listed = await dotted(wire, "runs.list", limit=10)
    assert [run["run_id"] for run in listed["result"]["runs"]] == [snapshot]
    run = await dotted(wire, "runs.get", run_id=snapshot)
    assert len(run["result"]["sources"]) == len(names)
    healthy = await dotted(wire, "health.check")
    assert healthy["result"]["status"] == "ok"


async def test_a_bundle_has_a_method_of_its_own(wire: Wire, names: list[str]) -> None:
    answer = await dotted(wire, "ingest.bundle", bundle_dir=".")
    assert len(answer["result"]["sources"]) == len(names)


async def test_a_method_that_does_not_exist_is_named(wire: Wire) -> None:
    answer = await dotted(wire, "runs.delete", correlation_id="corr-2")
    assert answer["error"] == {
        "code": "METHOD_NOT_FOUND",
        "message": 'Tool "runs.delete" is not registered.',
        "correlation_id": "corr-2",
        "details": {"tool": "runs.delete"},
    }


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("artifacts.validate", {}),
        ("artifacts.validate", {"artifacts": []}),
        ("artifacts.ingest", {"artifacts": [{"path": "missing.log"}]}),
        ("artifacts.ingest", {"artifacts": [{"path": "/etc/passwd"}]}),
        ("analysis.run", {"normalized_snapshot_id": "0" * 64}),
        ("analysis.run", {"snapshot_id": "0" * 64, "top_n": "many"}),
        ("runs.get", {}),
        ("runs.list", {"cursor": "x"}),
        ("collect.run", {"base_url": "ftp://x", "url_paths": ["/"], "spx_dirs": []}),
    ],
)
async def test_input_that_makes_no_sense_is_a_validation_error(
    wire: Wire, method: str, params: dict[str, object]
) -> None:
    answer = await dotted(wire, method, **params)
    assert answer["error"]["code"] == "VALIDATION_ERROR"
    assert len(answer["error"]["correlation_id"]) == 32
    assert answer["error"]["details"]["suggestion"]


@pytest.mark.parametrize(
    "damage", ["content", "metadata", pytest.param("state", marks=pytest.mark.slow)]
)
async def test_what_fails_on_disk_is_an_internal_error(
    wire: Wire, workspace: Path, names: list[str], damage: str
) -> None:
    ingested = await dotted(wire, "artifacts.ingest", artifacts=[{"path": names[-1]}])
    [folder] = workspace.rglob("snapshot_*")
    if damage == "content":
        (folder / "snapshot.json").write_text("{}", encoding="utf-8")
    elif damage == "metadata":
        (folder / "metadata.json").unlink()
    else:
        reports = folder.parents[1] / "reports"
        reports.write_text("a file where a folder should be", encoding="utf-8")
    given = {"snapshot_id": ingested["result"]["normalized_snapshot_id"], "correlation_id": "c-1"}
    error = (await dotted(wire, "report.export", **given))["error"]
    assert error["code"] == "INTERNAL_ERROR", error
    assert error["correlation_id"] == "c-1"
    assert error["details"]["suggestion"]


async def test_an_envelope_that_makes_no_sense_is_an_invalid_request(wire: Wire) -> None:
    answer = await wire.ask({"jsonrpc": "2.0", "id": 1, "method": "runs.list", "params": [1]})
    assert answer["error"]["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_client_calls_them_as_tools(workspace: Path, names: list[str], era: str) -> None:
    async with Client(kernel(workspace), mode=era) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert {"validate_artifacts", "ingest_artifacts", "run_analysis", "export_report"} <= listed
        artifacts = [{"path": name} for name in names]
        ingested = await client.call_tool("artifacts.ingest", {"artifacts": artifacts})
        assert ingested.structured_content is not None
        snapshot = ingested.structured_content["normalized_snapshot_id"]
        analyzed = await client.call_tool("run_analysis", {"normalized_snapshot_id": snapshot})
        assert not analyzed.is_error
        assert analyzed.structured_content is not None
        assert analyzed.structured_content["summary"]["query_count"] == 34
