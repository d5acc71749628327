"""Fields that Benchpin adds to standard results after the SDK has removed unknown ones."""

from typing import cast

from mcp.server.context import CallNext, HandlerResult

from benchpin.app import Workbench
from benchpin.server import Context, capabilities
from benchpin.server.apps import UI, negotiated
from benchpin.server.jsonrpc import Json

from ._wire_errors import NUMBERED_ERRORS_VERSION
from ._wire_results import EXTRAS


class ExtraFields:
    """Middleware that adds `category`, `raw_content`, `resources.write` and `pong`."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Add the fields to a result."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method in {"initialize", "server/discover"}:
            announced = capabilities(self._workbench)
            if negotiated(ctx):
                others = cast("Json", announced.get("extensions", {}))
                announced["extensions"] = {**others, UI: {}}
            return {**result, "capabilities": announced}
        if ctx.method == "ping":
            asks_pong = ctx.params == {} and ctx.protocol_version == NUMBERED_ERRORS_VERSION
            return {**result, "pong": True} if asks_pong else result
        return _with_extras(result) if "_meta" in result else result


def _with_extras(result: Json) -> Json:
    meta = result["_meta"]
    if not isinstance(meta, dict) or EXTRAS not in meta:
        return result
    extras = meta[EXTRAS]
    rest = {key: value for key, value in meta.items() if key != EXTRAS}
    shown = {key: value for key, value in result.items() if key != "_meta"}
    if rest:
        shown["_meta"] = rest
    prompts, by_name = shown.get("prompts"), extras.get("prompts")
    if isinstance(prompts, list) and isinstance(by_name, dict):
        return {**shown, "prompts": [prompt | by_name[prompt["name"]] for prompt in prompts]}
    return {**shown, **extras}
