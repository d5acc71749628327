"""What the published schemas of MCP demand of answers, revision by revision.

Written from the facts of schema/<revision>/schema.json of the specification: which content blocks a
revision has, which fields are required, and their types. No revision forbids further fields, so a
field that only a later one knows is tolerated; a content block that it does not know is not.
"""

from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
STATELESS = "2026-07-28"


def _object(*required: str, **properties: Schema) -> Schema:
    return {"type": "object", "required": list(required), "properties": properties}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_STRING: Schema = {"type": "string"}
_BASE64: Schema = {"type": "string", "pattern": r"^[A-Za-z0-9+/]*={0,2}$"}
_URI: Schema = {"type": "string", "pattern": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$"}
_OBJECT: Schema = {"type": "object"}
_FLAG: Schema = {"type": "boolean"}


def _block(kind: str, *required: str, **properties: Schema) -> Schema:
    return _object("type", *required, type={"const": kind}, **properties)


_CONTENTS: Schema = {
    "anyOf": [
        _object("uri", "text", uri=_URI, text=_STRING, mimeType=_STRING),
        _object("uri", "blob", uri=_URI, blob=_BASE64, mimeType=_STRING),
    ]
}
_TEXT = _block("text", "text", text=_STRING)
_IMAGE = _block("image", "data", "mimeType", data=_BASE64, mimeType=_STRING)
_AUDIO = _block("audio", "data", "mimeType", data=_BASE64, mimeType=_STRING)
_RESOURCE = _block("resource", "resource", resource=_CONTENTS)
_LINK = _block(
    "resource_link",
    "uri",
    "name",
    uri=_URI,
    name=_STRING,
    mimeType=_STRING,
    description=_STRING,
    size={"type": "integer"},
)
_BLOCKS: dict[str, list[Schema]] = {
    "2024-11-05": [_TEXT, _IMAGE, _RESOURCE],
    "2025-03-26": [_TEXT, _IMAGE, _AUDIO, _RESOURCE],
    "2025-06-18": [_TEXT, _IMAGE, _AUDIO, _RESOURCE, _LINK],
    "2025-11-25": [_TEXT, _IMAGE, _AUDIO, _RESOURCE, _LINK],
    "2026-07-28": [_TEXT, _IMAGE, _AUDIO, _RESOURCE, _LINK],
}
_TOOL_SCHEMA = _object(
    "type",
    type={"const": "object"},
    properties={"type": "object", "additionalProperties": _OBJECT},
    required=_list(_STRING),
)
_RESOURCE_ENTRY = _object(
    "uri",
    "name",
    uri=_URI,
    name=_STRING,
    mimeType=_STRING,
    description=_STRING,
    size={"type": "integer"},
)
_PROMPT_ARGUMENT = _object("name", name=_STRING, description=_STRING, required=_FLAG)
_RESULTS: dict[str, Schema] = {
    "initialize": _object(
        "capabilities",
        "protocolVersion",
        "serverInfo",
        capabilities=_OBJECT,
        protocolVersion=_STRING,
        serverInfo=_object("name", "version", name=_STRING, version=_STRING),
        instructions=_STRING,
    ),
    "tools/list": _object(
        "tools",
        tools=_list(
            _object(
                "inputSchema",
                "name",
                name=_STRING,
                description=_STRING,
                inputSchema=_TOOL_SCHEMA,
                outputSchema=_TOOL_SCHEMA,
            )
        ),
        nextCursor=_STRING,
    ),
    "resources/list": _object("resources", resources=_list(_RESOURCE_ENTRY), nextCursor=_STRING),
    "resources/templates/list": _object(
        "resourceTemplates",
        resourceTemplates=_list(
            _object("uriTemplate", "name", uriTemplate=_STRING, name=_STRING, mimeType=_STRING)
        ),
        nextCursor=_STRING,
    ),
    "resources/read": _object("contents", contents=_list(_CONTENTS)),
    "prompts/list": _object(
        "prompts",
        prompts=_list(
            _object("name", name=_STRING, description=_STRING, arguments=_list(_PROMPT_ARGUMENT))
        ),
        nextCursor=_STRING,
    ),
    "ping": _OBJECT,
    "resources/subscribe": _OBJECT,
}
_ERROR = _object(
    "error",
    "jsonrpc",
    "id",
    jsonrpc={"const": "2.0"},
    id={"type": ["string", "integer"]},
    error=_object("code", "message", code={"type": "integer"}, message=_STRING),
)


def schema_of(method: str, revision: str) -> Schema:
    """Return the schema of a method's result."""
    block = {"anyOf": _BLOCKS[revision]}
    if method == "tools/call":
        schema = _object(
            "content", content=_list(block), isError=_FLAG, structuredContent=_OBJECT, _meta=_OBJECT
        )
    elif method == "prompts/get":
        message = _object("content", "role", content=block, role={"enum": ["user", "assistant"]})
        schema = _object("messages", messages=_list(message), description=_STRING, _meta=_OBJECT)
    else:
        schema = _RESULTS[method]
    if revision == STATELESS:
        return {**schema, "required": [*schema.get("required", []), "resultType"]}
    return schema


def assert_fits(answer: Any, method: str, revision: str) -> None:
    """Check an answer, a result or an error, against the schema of a revision."""
    if "error" in answer:
        Draft202012Validator(_ERROR).validate(answer)
    else:
        Draft202012Validator(schema_of(method, revision)).validate(answer["result"])
