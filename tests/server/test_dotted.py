"""Dotted methods: the envelope of the performance protocol."""

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
