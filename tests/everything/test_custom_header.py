# ruff: noqa: PT019 - the suite looks for a tool like this one; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, Schema, tool

from ._samples import Told


class RegionParams(Params):
    region: str = ""
    """Sent as a header too."""

    @classmethod
    def json_schema(cls) -> Schema:
        return {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
            "additionalProperties": False,
        }

    @classmethod
    def listed_schema(cls) -> Schema:
        return cls.json_schema()


@tool(title="Take a header", effect=Effect.READ)
async def test_custom_header(params: RegionParams, _bench: Bench) -> Told:
    """Take an argument that clients repeat in a header (SEP-2243)."""
    return Told(text=f"region {params.region}")
