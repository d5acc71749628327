from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, Schema, tool

from ._samples import Told


class Address(Params):
    street: str = ""
    city: str = ""


class PersonParams(Params):
    name: str = ""
    address: Address = Address()

    @classmethod
    def json_schema(cls) -> Schema:
        text = {"type": "string"}
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": text, "city": text},
                },
            },
            "properties": {
                "name": text,
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": text,
                "email": text,
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {
                "properties": {"contactMethod": {"const": "phone"}},
                "required": ["contactMethod"],
            },
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        }

    @classmethod
    def listed_schema(cls) -> Schema:
        return cls.json_schema()


@tool(title="JSON Schema 2020-12", effect=Effect.READ)
async def json_schema_2020_12_tool(params: PersonParams, _bench: Bench) -> Told:
    """Take arguments whose schema uses what is new in JSON Schema 2020-12 (SEP-1613, SEP-2106)."""
    return Told(text=f"{params.name} lives in {params.address.city}")
