import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.server.jsonrpc import (
    ENCODED,
    INVALID_REQUEST,
    PARSE_ERROR,
    Batch,
    Fault,
    Notification,
    Request,
    Response,
    decode,
    encode,
    encode_answer,
    is_dotted,
    parsed,
    request_within,
)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"id": 1, "method": "ping"}, Request(1, "ping", None)),
        ({"id": "a", "method": "ping", "params": {}}, Request("a", "ping", {})),
        ({"method": "notifications/initialized"}, Notification("notifications/initialized", None)),
        ({"id": 1, "result": {"a": 1}}, Response(1, {"a": 1}, None)),
        ({"id": 1, "error": {"code": 1}}, Response(1, None, {"code": 1})),
        ({"method": "health.check"}, Request(None, "health.check", None)),
        ({"id": None, "method": "health.check"}, Request(None, "health.check", None)),
    ],
)
def test_a_good_message_is_recognised(raw: dict[str, object], message: object) -> None:
    assert decode(json.dumps({"jsonrpc": "2.0", **raw})) == message


@pytest.mark.parametrize(
    ("raw", "request_id", "code"),
    [
        (b"{", None, -32700),
        (b"", None, -32700),
        (b"\xff\xfe", None, -32700),
        (b"\xef\xbb\xbf{}", None, -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 1, -32600),
        (b"[" * 100_000, None, -32700),
        (b'{"a":' * 100_000, None, -32700),
        (b'{"jsonrpc":"2.0"} trailing', None, -32700),
        (b"1", None, -32600),
        (b'"text"', None, -32600),
        (b"null", None, -32600),
        (b"[]", None, -32600),
        (b"{}", None, -32600),
        (b'{"id":7,"method":"ping"}', 7, -32600),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":""}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', 7, -32602),
    ],
)
def test_a_bad_message_becomes_a_fault_with_its_id(
    raw: bytes, request_id: int | None, code: int
) -> None:
    fault = decode(raw)
    assert isinstance(fault, Fault)
    assert (fault.id, fault.code) == (request_id, code)


def test_an_array_is_a_batch_of_good_and_bad() -> None:
    batch = decode('[{"jsonrpc":"2.0","id":1,"method":"ping"},5]')
    assert isinstance(batch, Batch)
    assert isinstance(batch.messages[0], Request)
    assert isinstance(batch.messages[1], Fault)


@given(st.binary(max_size=300))
def test_any_bytes_are_answered_and_never_raise(raw: bytes) -> None:
    assert isinstance(decode(raw), Request | Notification | Response | Fault | Batch)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(json_values)
def test_any_json_value_is_classified(value: object) -> None:
    decoded = decode(json.dumps(value))
    assert isinstance(decoded, Request | Notification | Response | Fault | Batch)


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_what_is_encoded_is_one_line(value: dict[str, object]) -> None:
    encoded = encode(value)
    assert b"\n" not in encoded
    assert json.loads(encoded) == value


@pytest.mark.parametrize(
    ("method", "expected"),
    [("artifacts.validate", True), ("tools/call", False), ("get_status", False), ("a/b.c", False)],
)
def test_dotted_methods_are_those_of_the_performance_protocol(
    method: str, *, expected: bool
) -> None:
    assert is_dotted(method) is expected


@pytest.mark.parametrize(
    ("head", "tail", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"text":"aaa', b'aaa"}}', 7),
        (b'{"jsonrpc":"2.0","id":"a-1","method":"x","params":{"text":"a', b'a"}}', "a-1"),
        (b'{"method":"x","params":{"id":1,"t":"aa', b'aa"},"jsonrpc":"2.0","id":8}', 8),
        (b'{"method":"x","params":{"t":"aa', b'a"}, "id" : "\\"q" }', '"q'),
        (b'{"method":"x","params":{"t":"aa', b'aa","id":5}}', None),
        (b'{"id":true,"params":{"t":"aa', b'aa"}}', None),
        (b"xxxx", b"xxxx", None),
    ],
)
def test_the_id_of_a_request_is_found_at_either_end(
    head: bytes, tail: bytes, expected: object
) -> None:
    assert request_within(head, tail).id == expected


@pytest.mark.parametrize("chunks", [(b"{}",), (b'{"a":1}',), (b'{"a":', b"1", b"}")])
@pytest.mark.parametrize("rest", [{}, {"_meta": {"b": 2}}])
def test_fields_that_are_encoded_already_belong_to_the_result(
    chunks: tuple[bytes, ...], rest: dict[str, object]
) -> None:
    whole = {**json.loads(b"".join(chunks)), **rest}
    assert parsed({ENCODED: chunks, **rest}) == whole
    answer = encode_answer("x", {ENCODED: chunks, **rest})
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": "x", "result": whole}


@pytest.mark.parametrize(
    "escape", ["\\ud800", "\\uDFFF", "\\ud83dx", "\\udc00\\ud800", "\\\\\\ud83d", "\\ud83d\\ud83d"]
)
def test_a_request_with_half_a_surrogate_pair_is_refused_under_its_id(escape: str) -> None:
    line = f'{{"jsonrpc":"2.0","id":7,"method":"echo","params":{{"text":"{escape}"}}}}'
    for raw in (line, line.encode()):
        fault = decode(raw)
        assert isinstance(fault, Fault)
        assert (fault.id, fault.code, fault.method) == (7, INVALID_REQUEST, "echo")
        assert "half of a surrogate pair" in fault.message


@pytest.mark.parametrize("escape", ["\\ud83d\\ude00", "\\\\ud800", "\\uFFFD", "\\\\\\\\udfff"])
def test_whole_pairs_and_escaped_backslashes_are_no_halves(escape: str) -> None:
    message = decode(f'{{"jsonrpc":"2.0","id":7,"method":"echo","params":{{"text":"{escape}"}}}}')
    assert isinstance(message, Request)


def test_each_request_of_a_batch_with_half_a_pair_is_refused_under_its_id() -> None:
    line = '{"jsonrpc":"2.0","id":%s,"method":"echo","params":{"text":"%s"}}'
    batch = decode(f"[{line % (1, 'x')},{line % (2, chr(92) + 'ud800')}]")
    assert isinstance(batch, Batch)
    assert [getattr(it, "id", None) for it in batch.messages] == [1, 2]
    assert all(isinstance(it, Fault) for it in batch.messages)


def test_a_cancellation_with_half_a_pair_in_its_reason_is_taken() -> None:
    line = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"a\\ud83d"}}'
    assert decode(line) == Notification("notifications/cancelled", {"reason": "a\ufffd"})


def test_half_a_pair_in_what_is_no_json_is_a_parse_error() -> None:
    fault = decode('{"id":1,"text":"\\ud800"')
    assert isinstance(fault, Fault)
    assert (fault.id, fault.code) == (None, PARSE_ERROR)


@pytest.mark.parametrize(
    "item", ["1", '{"jsonrpc":"2.0","method":"x","params":{"text":"\\ud800"}}']
)
def test_a_batch_of_too_many_messages_is_refused_as_a_whole(item: str) -> None:
    fault = decode(f"[{','.join([item] * 10_001)}]")
    assert isinstance(fault, Fault)
    assert (fault.id, fault.code) == (None, INVALID_REQUEST)
    assert "a batch of 10,001 messages; the limit is 10,000" in fault.message
    assert "several batches" in fault.suggestion
    assert isinstance(decode(f"[{','.join([item] * 10_000)}]"), Batch)
