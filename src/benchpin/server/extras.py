"""Fields that Benchpin adds to standard results, once the SDK has dropped what it does not know."""

from mcp.server.context import CallNext, HandlerResult

from .failures import NUMBERED_ERRORS_VERSION
from .messages import Json
from .peer import Context
from .presenting import EXTRAS


async def add_extras(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Put `metadata`, `category`, `raw_content`, `resources.write` and `pong` where they belong."""
    result = await call_next(ctx)
    if not isinstance(result, dict):
        return result
    if ctx.method in {"initialize", "server/discover"}:
        return {**result, "capabilities": _capabilities(result.get("capabilities", {}))}
    if ctx.method == "ping":
        asks_pong = ctx.params == {} and ctx.protocol_version == NUMBERED_ERRORS_VERSION
        return {**result, "pong": True} if asks_pong else result
    return _with_extras(result)


def _capabilities(announced: Json) -> Json:
    """The tool and prompt lists never change after launch; resources do, and can be written."""
    return {
        **announced,
        "tools": {"listChanged": False},
        "prompts": {"listChanged": False},
        "resources": {"subscribe": True, "listChanged": True, "write": True},
    }


def _with_extras(result: Json) -> Json:
    meta = result.get("_meta")
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
