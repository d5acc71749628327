"""JSON Schemas as MCP clients need them: short, and without references.

Several hosts reject `$ref`, and an agent pays for every byte of a tool list, so the output of
pydantic is inlined and its titles removed. Recursion cannot be inlined: it ends in a bare type.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import cast

from pydantic import BaseModel

Schema = dict[str, object]

# `discriminator` is OpenAPI's, not JSON Schema's, and points into the definitions.
_PARAMS_NOISE = frozenset({"title", "discriminator"})
_RESULT_NOISE = _PARAMS_NOISE | {"description", "default", "examples", "additionalProperties"}
_LISTED = ("type", "enum", "items", "anyOf", "properties", "required", "description")
# The schema has limits up to this one, which a caller may exceed; larger ones only cost tokens,
# but for those of how long an answer may be.
_MAX_LISTED_LIMIT = 20
_LIMITED = frozenset({"budget", "token_budget"})
# Arguments that mean the same in every tool, which the server's instructions explain once, and
# those whose names say it all. Their descriptions are in the whole schema.
_SELF_EXPLANATORY = frozenset(
    """
    after arguments artifacts author base_url baseline before budget category command commentId
    content cursor dag_type dateRange depth detection_type diff direction dry_run dryRun edits
    end end_line executive_summary filePath filters focus format hasAIMetadata id include_body
    include_diff include_patterns limit line max_cognitive max_cyclomatic min_confidence
    min_lines min_severity new_name new_text normalized_snapshot_id old_text outputPath patch
    path period_days profile public_only question rewrite run_id scope search_type slow_log_path
    spx_dirs start start_line status subject symbol tag tags targetFile targetLine tests text
    timeout to token_budget toolchain top_k url_paths write
    """.split()  # noqa: SIM905 - easier to read as a table
)
_CLAUSE_END = re.compile(r"[;.] |;$")
_SINGLE = frozenset({"items", "additionalProperties", "propertyNames", "not"})


def params_schema(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's arguments, with descriptions."""
    schema = _Inliner(
        model.model_json_schema(by_alias=True), _PARAMS_NOISE, keep_null=False
    ).inline()
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def listed_schema(whole: Schema, rare: AbstractSet[str], renamed: Mapping[str, str]) -> Schema:
    """Return the schema of a tool's arguments for `tools/list`, where every token costs.

    Defaults and most bounds are left out: errors name them. A description ends at its first clause.
    """
    properties = {
        renamed.get(name, name): _listed(node, is_limited=name in _LIMITED)
        for name, node in cast("Mapping[str, Schema]", whole["properties"]).items()
        if name not in rare
    }
    for name, node in properties.items():
        if _is_workspace(whole, name, renamed):
            node.pop("description", None)
    _drop_explanations(properties)
    required = [renamed.get(name, name) for name in cast("list[str]", whole.get("required", []))]
    listed: Schema = {"type": "object", "properties": properties}
    return {**listed, "required": required} if required else listed


def _drop_explanations(properties: Mapping[str, Schema]) -> None:
    """Leave out what the names of arguments say, also inside objects and lists of them."""
    for name, node in properties.items():
        if name in _SELF_EXPLANATORY:
            node.pop("description", None)
        items = cast("Schema", node.get("items", {}))
        items.pop("description", None)
        for inner in (node, items):
            _drop_explanations(cast("Mapping[str, Schema]", inner.get("properties", {})))


def _is_workspace(whole: Schema, name: str, renamed: Mapping[str, str]) -> bool:
    """Whether an argument is a path which is the workspace by default, as in most tools."""
    nodes = cast("Mapping[str, Schema]", whole["properties"])
    own = next((old for old, new in renamed.items() if new == name), name)
    return name == "path" and nodes[own].get("default") == "."


def first_clause(text: str) -> str:
    """Return a text up to its first semicolon or full stop."""
    return _CLAUSE_END.split(" ".join(text.split()), maxsplit=1)[0].rstrip(".")


def _listed(node: Schema, *, is_limited: bool = False) -> Schema:
    """Return one argument with its type, its choices and a few words."""
    thin = {key: node[key] for key in _LISTED if key in node}
    most = node.get("maximum")
    is_told = isinstance(most, int) and (is_limited or most <= _MAX_LISTED_LIMIT)
    if node.get("type") == "integer" and is_told:
        thin["maximum"] = most
    if "description" in thin:
        thin["description"] = first_clause(str(thin["description"]))
    for key in ("items", "additionalProperties"):
        if isinstance(thin.get(key), dict):
            thin[key] = _listed(cast("Schema", thin[key]))
    if "anyOf" in thin:
        thin["anyOf"] = [_listed(branch) for branch in cast("list[Schema]", thin["anyOf"])]
    if "properties" in thin:
        inner = cast("Mapping[str, Schema]", thin["properties"])
        thin["properties"] = {name: _listed(child) for name, child in inner.items()}
    return thin


def result_schema(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's structured result: types only.

    The root stays open, because `partial` and `missing` are added when a result is incomplete.
    """
    raw = model.model_json_schema(by_alias=True, mode="serialization")
    schema = _Inliner(raw, _RESULT_NOISE, keep_null=True).inline()
    for name in ("partial", "missing"):
        cast("dict[str, object]", schema.get("properties", {})).pop(name, None)
    return schema


class _Inliner:
    """Rewrites one schema without references."""

    def __init__(
        self, raw: Mapping[str, object], noise: frozenset[str], *, keep_null: bool
    ) -> None:
        self._root = {key: value for key, value in raw.items() if key != "$defs"}
        self._definitions = cast("Mapping[str, Mapping[str, object]]", raw.get("$defs", {}))
        self._noise = noise
        self._keep_null = keep_null
        self._open: list[str] = []

    def inline(self) -> Schema:
        return self._schema(self._root)

    def _schema(self, node: Mapping[str, object]) -> Schema:
        if (reference := node.get("$ref")) is not None:
            return self._resolved(str(reference).rpartition("/")[2], node)
        out: Schema = {}
        for key, value in node.items():
            if key in self._noise and not (key == "additionalProperties" and value is not False):
                continue
            if key in {"properties", "patternProperties"}:
                children = cast("Mapping[str, Mapping[str, object]]", value)
                out[key] = {name: self._schema(child) for name, child in children.items()}
            elif isinstance(value, Mapping) and key in _SINGLE:
                out[key] = self._schema(value)
            elif key in {"anyOf", "allOf", "oneOf", "prefixItems"}:
                out[key] = [
                    self._schema(child) for child in cast("list[Mapping[str, object]]", value)
                ]
            else:
                out[key] = value
        return self._simplify_union(out)

    def _resolved(self, name: str, node: Mapping[str, object]) -> Schema:
        if name in self._open:
            kind = self._definitions[name].get("type")
            return {} if kind is None else {"type": kind}
        self._open.append(name)
        resolved = self._schema(
            {**self._definitions[name], **{k: v for k, v in node.items() if k != "$ref"}}
        )
        self._open.pop()
        return resolved

    def _simplify_union(self, node: Schema) -> Schema:
        """Turn `anyOf: [X, null]` into X (arguments) or into one type list (results)."""
        branches = cast("list[Schema] | None", node.get("anyOf"))
        if branches is None:
            return node
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        solid = [branch for branch in branches if branch != {"type": "null"}]
        if not self._keep_null:
            rest = {
                key: value
                for key, value in rest.items()
                if not (key == "default" and value is None)
            }
            return {**solid[0], **rest} if len(solid) == 1 else {"anyOf": solid, **rest}
        if all(set(branch) == {"type"} for branch in branches):
            return {"type": _flat([branch["type"] for branch in branches]), **rest}
        return node


def _flat(kinds: list[object]) -> list[object]:
    """Flatten the types of nested unions, without duplicates."""
    flat = [inner for kind in kinds for inner in (kind if isinstance(kind, list) else [kind])]
    return list(dict.fromkeys(flat))
