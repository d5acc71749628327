"""What pygls leaves open: messages of any length, and an answer to every request."""

import logging
from collections.abc import Callable, Generator
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

logger = logging.getLogger(__name__)
# An editor sends a document as one message.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_MAX_HEADER_BYTES = 8 * 1024
_CHUNK_BYTES = 1024 * 1024
# Longer numbers are no lengths; Python refuses to read those of more than 4,300 digits.
_MAX_DIGITS = 18


class Frames:
    """The input as pygls reads it: it would make room at once for a message of any length."""

    def __init__(self, stream: BinaryIO, refuse: Callable[[str], None]) -> None:
        self._stream = stream
        self._refuse = refuse
        self._is_head_open = False

    def readline(self) -> bytes:
        """Return the length of the next message as a header, then the end of its head."""
        if self._is_head_open:
            self._is_head_open = False
            return b"\r\n"
        digits = b""
        while line := self._stream.readline(_MAX_HEADER_BYTES):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                digits = value.strip()
            elif not line.strip() and digits:
                length = int(digits) if len(digits) <= _MAX_DIGITS else 10**_MAX_DIGITS
                if 0 < length <= MAX_MESSAGE_BYTES:
                    self._is_head_open = True
                    return b"Content-Length: %d\r\n" % length
                self._skip(length)
                digits = b""
        return b""

    def read(self, size: int) -> bytes:
        """Return the content of a message."""
        return self._stream.read(size)

    def _skip(self, length: int) -> None:
        if length:
            self._refuse(f"A message has {length:,} bytes; at most {MAX_MESSAGE_BYTES:,} are read")
        while length and (part := self._stream.read(min(length, _CHUNK_BYTES))):
            length -= len(part)


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol of pygls, which ignores requests that are malformed or come too early."""

    left_early = False
    """Whether `exit` came without `shutdown`."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return an object as it is: `handle_message` gives the outermost one its type."""
        return data

    def handle_message(self, message: Any) -> None:
        """Answer a request, or say what is wrong with it; drop such a notification."""
        asked = message if isinstance(message, dict) else {}
        ident, method = asked.get("id"), asked.get("method")
        is_answer = "id" in asked and method is None and asked.get("jsonrpc") == self.VERSION
        if not is_answer and (problem := self._problem(asked)):
            logger.warning("%s", problem[1])
            if "id" in asked or method is None:
                is_id = isinstance(ident, int | str) and not isinstance(ident, bool)
                self.refuse(*problem, ident=ident if is_id else None)
            return
        try:
            # Pygls wants arguments even for a method that it does not know.
            named = {} if method is None else {"params": None}
            structured = super().structure_message({**named, **asked})
        except JsonRpcException as error:
            logger.warning("no message: %s", error)
            if method is not None and "id" in asked:
                self.refuse(types.ErrorCodes.InvalidParams, _reason(method, error), ident=ident)
            return
        super().handle_message(structured)

    def refuse(
        self, code: types.ErrorCodes, message: str, *, ident: int | str | None = None
    ) -> None:
        """Send an error; the id is None for what cannot be read."""
        # A dictionary: the type would leave an id of None out, which JSON-RPC wants as null.
        error = {"code": code.value, "message": message}
        self._send_data({"jsonrpc": self.VERSION, "id": ident, "error": error})

    def _problem(self, asked: dict[str, Any]) -> tuple[types.ErrorCodes, str] | None:
        """Return what is wrong with a request or a notification before its arguments are read."""
        code, method = types.ErrorCodes, asked.get("method")
        ident = asked.get("id", 0)
        if asked.get("jsonrpc") != self.VERSION or not isinstance(method, str):
            return code.InvalidRequest, "A message needs jsonrpc: 2.0 and the name of a method"
        if not isinstance(ident, int | str) or isinstance(ident, bool):
            return code.InvalidRequest, "The id of a request is a number or a text"
        if method == types.EXIT:
            return None
        if self._shutdown:
            return code.InvalidRequest, f"{method} came after shutdown; only exit may"
        if (self._workspace is None) != (method == types.INITIALIZE):
            is_early = self._workspace is None
            wrong = "came before initialize" if is_early else "may be sent only once"
            return (
                code.ServerNotInitialized if is_early else code.InvalidRequest,
                f"{method} {wrong}",
            )
        return None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        """End, and note whether that was to be expected."""
        self.left_early = not self._shutdown
        yield from super().lsp_exit(*args)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(
        self, params: types.ExecuteCommandParams
    ) -> Generator[Any, Any, Any]:
        """Run a command; without arguments, pygls would not count them."""
        params.arguments = params.arguments or []
        return (yield from super().lsp_workspace__execute_command(params))

    def _send_response(
        self,
        msg_id: int | str,
        result: Any | None = None,
        error: types.ResponseError | None = None,
    ) -> None:
        """Send an answer; a traceback belongs in the log, which has it."""
        if error is not None:
            error.data = None
        super()._send_response(msg_id, result, error)


def _reason(method: str, error: JsonRpcException) -> str:
    """Return the innermost reason why arguments were not understood."""
    cause: BaseException = error
    while inner := getattr(cause, "exceptions", None) or [it for it in (cause.__cause__,) if it]:
        cause = inner[0]
    return f"The arguments of {method} are wrong: {cause}"
