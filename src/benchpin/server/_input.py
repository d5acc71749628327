"""Ask a client of the stateless era something back (SEP-2322).

There is no connection on which to ask. So the answer to a request is `input_required`, with what is
asked, and the client sends the request again with its answers: whatever asks runs again from its
start, and gets the answers that are known. Those of earlier rounds come back in `requestState`,
which is signed: it counts only for the same request, and only as we wrote it.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import CLIENT_CAPABILITIES_META_KEY, MISSING_REQUIRED_CLIENT_CAPABILITY
from pydantic import BaseModel, ValidationError

from .jsonrpc import INVALID_PARAMS, Json

Asked = Mapping[str, tuple[str, Mapping[str, object]]]
CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
# A new key for each process: what another one asked is asked again.
_KEY_BYTES = 32
_MAX_STATE_CHARS = 1 << 20
_INPUT = frozenset({"inputResponses", "requestState", "_meta"})


class InputRequired(Exception):
    """What is asked before there is a result."""

    def __init__(self, result: Json) -> None:
        """Take the result that asks."""
        super().__init__("the client is asked first")
        self.result = result


class StateSeal:
    """Signs what a client keeps for us between two rounds."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(_KEY_BYTES)

    def seal(self, answers: Mapping[str, object], request: str) -> str:
        """Return earlier answers as a text that only this process accepts."""
        content = base64.urlsafe_b64encode(json.dumps(answers).encode()).decode()
        return f"{content}.{self._mac(content, request)}"

    def open(self, state: object, request: str) -> dict[str, Any]:
        """Return the earlier answers.

        Raises:
            MCPError: when it was changed, or is of another request or process.
        """
        if isinstance(state, str) and len(state) <= _MAX_STATE_CHARS:
            content, _, mac = state.rpartition(".")
            if hmac.compare_digest(mac.encode(), self._mac(content, request).encode()):
                answers: dict[str, Any] = json.loads(base64.urlsafe_b64decode(content))
                return answers
        raise _refused(
            "requestState is not what this server sent for this request",
            "Send the request again without requestState and inputResponses.",
        )

    def _mac(self, content: str, request: str) -> str:
        return hmac.new(self._key, f"{request}.{content}".encode(), hashlib.sha256).hexdigest()


class StatelessAnswers:
    """The answers that came with a request, and what asks for those that are missing."""

    def __init__(self, method: str, params: Mapping[str, Any] | None, seal: StateSeal) -> None:
        """Check what came.

        Raises:
            MCPError: when the state is not ours.
        """
        params = params or {}
        self._seal = seal
        meta = params.get("_meta")
        declared = meta.get(CLIENT_CAPABILITIES_META_KEY) if isinstance(meta, Mapping) else None
        self._declared: Mapping[str, Any] = declared if isinstance(declared, Mapping) else {}
        asked = {key: params[key] for key in sorted(params.keys() - _INPUT)}
        text = json.dumps([method, asked], sort_keys=True, default=str)
        self._request = hashlib.sha256(text.encode()).hexdigest()
        state = params.get("requestState")
        self._earlier = {} if state is None else seal.open(state, self._request)
        given = params.get("inputResponses")
        self._given: Mapping[str, Any] = given if isinstance(given, Mapping) else {}

    def answers(self, method: str) -> bool:
        """Whether the client said that it answers such a request."""
        return CAPABILITIES[method] in self._declared

    def take(self, asked: Asked, types: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
        """Return the answers to what is asked, by name.

        Raises:
            InputRequired: when some are missing.
            MCPError: when one is no answer, or the client did not say that it answers such.
        """
        found = {}
        for name, (method, _) in asked.items():
            if name in self._earlier:
                found[name] = self._earlier[name]
            elif name in self._given:
                found[name] = self._earlier[name] = _checked(name, self._given[name], types[method])
        missing = {name: asked[name] for name in asked if name not in found}
        if missing:
            self._require_capabilities({CAPABILITIES[method] for method, _ in missing.values()})
            raise InputRequired(
                {
                    "resultType": "input_required",
                    "inputRequests": {
                        name: {"method": method, "params": dict(params)}
                        for name, (method, params) in missing.items()
                    },
                    "requestState": self._seal.seal(self._earlier, self._request),
                }
            )
        return found

    def _require_capabilities(self, names: set[str]) -> None:
        lacking = sorted(it for it in names if it not in self._declared)
        if lacking:
            raise MCPError(
                MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"This needs a client with {' and '.join(lacking)}",
                {
                    "kind": "client_refused",
                    "suggestion": "Declare it in the capabilities of the request, if it is there.",
                    "requiredCapabilities": {name: {} for name in lacking},
                },
            )


def _checked(name: str, answer: object, expected: type[BaseModel]) -> dict[str, Any]:
    try:
        parsed = expected.model_validate(answer)
    except ValidationError as error:
        raise _refused(
            f"inputResponses.{name[:100]} is no answer to what was asked: "
            f"{error.errors()[0]['msg']}",
            f"Send a {expected.__name__}.",
        ) from error
    return parsed.model_dump(mode="json", by_alias=True, exclude_none=True)


def _refused(message: str, suggestion: str) -> MCPError:
    details = {"kind": "invalid_params", "suggestion": suggestion}
    return MCPError(INVALID_PARAMS, f"Invalid params: {message}", details)
