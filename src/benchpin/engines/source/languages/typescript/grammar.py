"""TypeScript: JavaScript, and what it adds."""

from msgspec.structs import replace
from tree_sitter import Node

from benchpin.engines.source.language import NOTHING, PATH, Weight
from benchpin.engines.source.languages.javascript.grammar import LANGUAGE as JAVASCRIPT


def _weigh_parameter(node: Node) -> Weight:
    """A default value is a path, as in JavaScript."""
    return PATH if node.child_by_field_name("value") is not None else NOTHING


LANGUAGE = replace(
    JAVASCRIPT,
    name="typescript",
    family="javascript",
    grammar="tree_sitter_typescript:language_typescript",
    extensions=(".ts", ".mts", ".cts"),
    filenames=(),
    interpreters=("ts-node", "tsx"),
    types={
        **JAVASCRIPT.types,
        "abstract_class_declaration": "class",
        "interface_declaration": "interface",
        "enum_declaration": "enum",
        "type_alias_declaration": "type",
    },
    scopes={**JAVASCRIPT.scopes, "internal_module": False, "module": False},
    # The older grammar has no node for `call?.()`, only the token.
    weights={kind: it for kind, it in JAVASCRIPT.weights.items() if kind != "optional_chain"},
    token_weights={"?.": PATH},
    custom={
        **JAVASCRIPT.custom,
        "required_parameter": _weigh_parameter,
        "optional_parameter": _weigh_parameter,
    },
    identifiers=JAVASCRIPT.identifiers | {"type_identifier"},
    literals=JAVASCRIPT.literals | {"predefined_type"},
)
