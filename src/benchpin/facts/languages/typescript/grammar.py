"""TypeScript: JavaScript, and what it adds."""

from msgspec.structs import replace
from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.languages.javascript.grammar import LANGUAGE as JAVASCRIPT
from benchpin.facts.parsing import NOTHING, PATH, NameUses, Weight


def _weigh_parameter(node: Node) -> Weight:
    """A default value is a path, as in JavaScript."""
    return PATH if node.child_by_field_name("value") is not None else NOTHING


def _complete_import(imported: Import, uses: NameUses) -> Import:
    """Tell imports that the compiler drops: no name of theirs is used as a value.

    Decorators keep them: with `emitDecoratorMetadata` types of parameters are values.
    """
    names = imported.aliases or imported.names
    is_kept = not names or uses.has_decorators or not uses.values.isdisjoint(names)
    if is_kept or imported.kind != "runtime":
        return imported
    return replace(imported, kind="type-only")


LANGUAGE = replace(
    JAVASCRIPT,
    name="typescript",
    family="javascript",
    grammar="tree_sitter_typescript:language_typescript",
    title="TypeScript",
    is_dialect=True,
    aliases=("ts",),
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
    labels=frozenset(
        {
            "property_identifier",
            "private_property_identifier",
            "statement_identifier",
            "type_identifier",
        }
    ),
    type_references=frozenset({"nested_type_identifier", "type_query"}),
    literals=JAVASCRIPT.literals | {"predefined_type"},
    binding_imports=frozenset({"import_statement"}),
    complete_import=_complete_import,
)
