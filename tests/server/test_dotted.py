"""Dotted methods: the envelope of the performance protocol."""

import json
from pathlib import Path

import pytest

from benchpin.core.errors import TimeLimitExceeded
from benchpin.server.jsonrpc import Request
from benchpin.server.pipes import Oversized
from benchpin.server.wire import dotted_error, error_envelope
from everything.serving import kernel_for
from wire import Wire, request


async def test_a_dotted_method_returns_the_structured_result(wire: Wire) -> None:
    answer = await wire.ask(request("echo.say", "val-1", text="hi", correlation_id="corr-1"))
    assert answer == {"jsonrpc": "2.0", "id": "val-1", "result": {"text": "hi"}}


async def test_an_unknown_dotted_method_is_not_registered(wire: Wire) -> None:
    answer = await wire.ask(request("health.look", "health-1", correlation_id="corr-health-001"))
    assert answer["error"] == {
        "code": "METHOD_NOT_FOUND",
        "message": 'Tool "health.look" is not registered.',
        "correlation_id": "corr-health-001",
        "details": {"tool": "health.look"},
    }


async def test_bad_input_is_a_validation_error(wire: Wire) -> None:
    error = (await wire.ask(request("echo.say", txt="hi")))["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"]["kind"] == "invalid_params"
    assert {problem["path"] for problem in error["details"]["problems"]} == {"text", "txt"}


async def test_a_failing_tool_is_a_validation_error_with_details(wire: Wire) -> None:
    error = (await wire.ask(request("fail.known", path="x")))["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"] == {
        "kind": "file_missing",
        "suggestion": "Check that the file exists.",
        "filePath": "x",
    }


async def test_a_defect_is_an_internal_error_without_its_details(wire: Wire) -> None:
    error = (await wire.ask(request("fail.oddly")))["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert "secret detail" not in str(error)


async def test_a_malformed_envelope_is_an_invalid_request(wire: Wire) -> None:
    answer = await wire.ask({"jsonrpc": "2.0", "id": 1, "method": "echo.say", "params": [1]})
    assert answer["error"]["code"] == "INVALID_REQUEST"


async def test_a_dotted_request_without_an_id_is_answered_all_the_same(wire: Wire) -> None:
    answer = await wire.ask({"jsonrpc": "2.0", "method": "echo.say", "params": {"text": "x"}})
    assert answer == {"jsonrpc": "2.0", "id": None, "result": {"text": "x"}}


async def test_the_correlation_id_is_made_from_the_request_when_none_is_given(wire: Wire) -> None:
    first = (await wire.ask(request("nothing.here", 1, a=1)))["error"]["correlation_id"]
    again = (await wire.ask(request("nothing.here", 2, a=1)))["error"]["correlation_id"]
    other = (await wire.ask(request("nothing.here", 3, a=2)))["error"]["correlation_id"]
    assert first == again != other
    assert len(first) == 32


@pytest.mark.parametrize(
    "wrong",
    [{"jsonrpc": "1.0"}, {"jsonrpc": None}, {"params": [1]}, {"id": {}}],
    ids=["another version", "no version", "params as a list", "an object as id"],
)
async def test_a_bad_envelope_keeps_the_string_code_and_the_correlation_id(
    wire: Wire, wrong: dict[str, object]
) -> None:
    message = {**request("echo.say", "r-1", text="x", correlation_id="corr-7"), **wrong}
    error = (await wire.ask(message))["error"]
    assert error["code"] == "INVALID_REQUEST"
    if "params" in wrong:
        assert len(error["correlation_id"]) == 32
    else:
        assert error["correlation_id"] == "corr-7"


async def test_a_dotted_request_that_is_too_long_keeps_the_string_code(wire: Wire) -> None:
    raw = json.dumps(request("echo.say", "r-1", correlation_id="corr-8", text="x" * 5_000)).encode()
    await wire.session.receive_oversized(Oversized(len(raw), raw[:4_000], raw[-100:]))
    answer = await wire.receive()
    assert answer["id"] == "r-1"
    assert answer["error"]["code"] == "INVALID_REQUEST"
    assert answer["error"]["correlation_id"] == "corr-8"
    assert answer["error"]["details"]["kind"] == "request_too_large"


async def test_a_dotted_request_beyond_the_rate_limit_may_be_repeated(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"burst": 1, "per_second": 0.001}))
    asked = request("echo.say", "r-1", text="x", correlation_id="corr-9")
    await wire.ask(asked)
    error = (await wire.ask({**asked, "id": "r-2"}))["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert error["correlation_id"] == "corr-9"
    assert error["details"]["retry_after_ms"] > 0
    await wire.close()


async def test_a_call_that_runs_out_of_time_is_an_internal_error() -> None:
    error = error_envelope(
        Request(1, "echo.say", {}), dotted_error(TimeLimitExceeded("Too slow", suggestion="Wait."))
    )["error"]
    assert error["code"] == "INTERNAL_ERROR"  # type: ignore[index]  # a dict
