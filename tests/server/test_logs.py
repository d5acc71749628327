"""Logs: one JSON object a line, redacted, never in the way."""

import asyncio
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.server import log_fields
from benchpin.server._logs import JsonFormatter, StderrHandler, correlation_id
from benchpin.server.pipes import Oversized
from everything.serving import kernel_for
from wire import Wire, call, request


@pytest.fixture
def lines() -> Iterator[list[dict[str, object]]]:
    """Collect what the server logs, as it would be written."""
    collected: list[dict[str, object]] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            collected.append(json.loads(JsonFormatter().format(record)))

    logger = logging.getLogger("benchpin")
    handler = Collector()
    logger.addHandler(handler)
    before = logger.level
    logger.setLevel(logging.DEBUG)
    yield collected
    logger.removeHandler(handler)
    logger.setLevel(before)


def named(lines: list[dict[str, object]], tool: str) -> dict[str, object]:
    [line] = [line for line in lines if line.get("tool_name") == tool]
    return line


async def test_every_request_is_one_line_that_says_who_asked(
    wire: Wire, lines: list[dict[str, object]]
) -> None:
    message = call("echo", text="x")
    message["params"]["correlation_id"] = "corr-1"
    await wire.ask(message)
    line = named(lines, "echo")
    assert set(line) == {
        "timestamp",
        "level",
        "tool_name",
        "correlation_id",
        "snapshot_id",
        "duration_ms",
        "error_code",
        "agent_id",
        "from_agent",
        "session_id",
    }
    assert (line["agent_id"], line["from_agent"]) == ("mcp_client", "mcp")
    assert str(line["session_id"]).startswith("mcp_session_")
    assert (line["level"], line["correlation_id"], line["error_code"]) == ("info", "corr-1", None)


@pytest.mark.parametrize(
    ("message", "tool", "code"),
    [
        (call("fail_known"), "fail_known", -32001),
        (call("fail_oddly"), "fail_oddly", "internal_error"),
        (request("nope"), "nope", -32601),
        (request("tools/call", name="echo", arguments=5), "echo", -32602),
    ],
)
async def test_a_failure_is_logged_with_its_code(
    wire: Wire, lines: list[dict[str, object]], message: object, tool: str, code: object
) -> None:
    await wire.ask(message)
    line = named(lines, tool)
    assert (line["level"], line["error_code"]) == ("warning", code)


@pytest.mark.parametrize(
    "message",
    [
        request("echo.nope", text="x"),
        request("echo.say", text=5),
        request("fail.oddly"),
        request("tools/call", name="echo", arguments=5),
        request("resources/read", uri="nope://x"),
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        5,
    ],
    ids=str,
)
async def test_the_logged_code_is_the_code_that_was_answered(
    wire: Wire, lines: list[dict[str, object]], message: object
) -> None:
    answer = await wire.ask(message)
    await asyncio.sleep(0)
    [line] = [line for line in lines if "error_code" in line]
    assert (line["level"], line["error_code"]) == ("warning", answer["error"]["code"])


async def test_a_line_that_is_too_long_is_logged(
    wire: Wire, lines: list[dict[str, object]]
) -> None:
    await wire.session.receive_oversized(
        Oversized(size_bytes=2_000_000, head=b'{"id": 7', tail=b"}")
    )
    answer = await wire.receive()
    await asyncio.sleep(0)
    [line] = [line for line in lines if "error_code" in line]
    assert (line["error_code"], line["reason"]) == (answer["error"]["code"], "request_too_large")


SECRETS = "postgres://bob:s3cr3t@db/x SELECT a FROM t WHERE b = 's3cr3t'"


async def test_a_correlation_id_is_logged_without_secrets_and_not_at_any_length(
    wire: Wire, lines: list[dict[str, object]]
) -> None:
    message = call("echo", text="x")
    message["params"]["correlation_id"] = SECRETS + "x" * 10_000
    await wire.ask(message)
    logged = str(named(lines, "echo")["correlation_id"])
    assert "s3cr3t" not in logged
    assert len(logged) < 300


async def test_a_message_during_a_request_has_its_correlation_id_without_secrets() -> None:
    correlation_id.set(SECRETS)
    record = logging.LogRecord("x", logging.INFO, "f", 1, SECRETS, (), None)
    assert "s3cr3t" not in JsonFormatter().format(record)


async def test_a_defect_leaves_its_traceback_in_the_log_alone(
    wire: Wire, lines: list[dict[str, object]]
) -> None:
    answer = await wire.call("fail_oddly")
    assert "a secret detail" not in str(answer)
    [defect] = [line for line in lines if "a secret detail" in str(line.get("traceback"))]
    reference = answer["result"]["_meta"]["benchpin/error"]["data"]["reference"]
    assert defect["correlation_id"] in reference


async def test_the_snapshot_is_logged_when_the_params_name_one(
    wire: Wire, lines: list[dict[str, object]]
) -> None:
    await wire.ask(request("echo.say", text="x", normalized_snapshot_id="abc"))
    assert named(lines, "echo.say")["snapshot_id"] == "abc"


async def test_tracing_shows_messages_without_their_secrets(
    workspace: Path, lines: list[dict[str, object]]
) -> None:
    wire = Wire(kernel_for(workspace, debug=["protocol", "tools"]))
    message = call("echo", text=f"Authorization: Bearer s3cr3t {SECRETS}")
    message["params"]["_meta"] = {
        "authorization": "s3cr3t",
        "deep": [{"api_key": "s3cr3t", "privateKey": "s3cr3t", "db-passwd": ["s3cr3t"]}],
        SECRETS: 1,
    }
    await wire.ask(message)
    traced = [line for line in lines if "direction" in line or "event" in line]
    assert {"in", "out"} <= {line.get("direction") for line in traced}
    assert {"start", "end"} <= {line.get("event") for line in traced}
    assert "s3cr3t" not in json.dumps(traced)
    await wire.close()


async def test_without_debug_nothing_is_traced(wire: Wire, lines: list[dict[str, object]]) -> None:
    await wire.call("echo", text="x")
    assert [line for line in lines if "direction" in line or "event" in line] == []


def test_lines_are_dropped_and_counted_while_nobody_reads() -> None:
    reading, writing = os.pipe()
    handler = StderrHandler(os.fdopen(writing, "w", encoding="utf-8"))
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("full")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    for number in range(5_000):
        log_fields(logger, logging.INFO, {"number": number, "filler": "x" * 100})
    taken = os.read(reading, 2**20)
    log_fields(logger, logging.INFO, {"number": "last"})
    after = os.read(reading, 2**20)
    assert len(taken) <= 2**16
    assert b"lines dropped" in after
    assert json.loads(after.splitlines()[-1])["number"] == "last"
    os.close(reading)


def test_a_secret_in_a_sentence_is_replaced() -> None:
    record = logging.LogRecord("x", logging.INFO, "f", 1, "token=%s", ("s3cr3t",), None)
    assert "s3cr3t" not in JsonFormatter().format(record)
