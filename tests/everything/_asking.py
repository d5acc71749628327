"""Ask the client something back, or say why that cannot be done."""

import json
from collections.abc import Mapping

from benchpin.core.calls import Bench, Client
from benchpin.core.errors import DependencyMissing

Request = tuple[str, Mapping[str, object]]
CAPITAL: Request = (
    "sampling/createMessage",
    {
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}
        ],
        "maxTokens": 100,
    },
)


def form(message: str, field: str, kind: str = "string") -> Request:
    """Return what asks a person to fill in one field."""
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return "elicitation/create", {"message": message, "requestedSchema": schema}


def client_of(bench: Bench) -> Client:
    """Return the client.

    Raises:
        DependencyMissing: when nobody is there to be asked.
    """
    if bench.client is None:
        raise DependencyMissing("Nobody answers here", suggestion="Call it from an MCP client.")
    return bench.client


async def ask(bench: Bench, method: str, params: Mapping[str, object]) -> Mapping[str, object]:
    """Return the client's answer.

    Raises:
        DependencyMissing: when nobody is there to be asked.
    """
    return await client_of(bench).request(method, params)


async def elicit(bench: Bench, message: str, schema: Mapping[str, object]) -> str:
    """Return what the user did with a form, and what was filled in."""
    answer = await ask(bench, "elicitation/create", {"message": message, "requestedSchema": schema})
    return f"action={answer.get('action')}, content={json.dumps(answer.get('content', {}))}"
