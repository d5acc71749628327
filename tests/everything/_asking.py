"""Ask the client something back, or say why that cannot be done."""

import json
from collections.abc import Mapping

from benchpin.core.calls import Bench
from benchpin.core.errors import DependencyMissing


async def ask(bench: Bench, method: str, params: Mapping[str, object]) -> Mapping[str, object]:
    """Return the client's answer.

    Raises:
        DependencyMissing: when nobody is there to be asked.
    """
    if bench.client is None:
        raise DependencyMissing(
            f"Nobody answers {method!r} here", suggestion="Call the tool from an MCP client."
        )
    return await bench.client.request(method, params)


async def elicit(bench: Bench, message: str, schema: Mapping[str, object]) -> str:
    """Return what the user did with a form, and what was filled in."""
    answer = await ask(bench, "elicitation/create", {"message": message, "requestedSchema": schema})
    return f"action={answer.get('action')}, content={json.dumps(answer.get('content', {}))}"
