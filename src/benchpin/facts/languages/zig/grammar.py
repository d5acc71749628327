"""Zig. Cyclomatic complexity counts what lizard counts."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import (
    DECISION,
    FLAT,
    NESTING,
    NOTHING,
    PATH,
    STRUCTURE,
    Language,
    Weight,
    child_of,
    children_of,
    field_text,
    text_of,
)
from benchpin.facts.respelling import NAME, Rule

_TYPES = {
    "struct_declaration": "struct",
    "enum_declaration": "enum",
    "union_declaration": "union",
    "opaque_declaration": "opaque",
    "error_set_declaration": "error set",
}


def _weigh_case(node: Node) -> Weight:
    """The `else` of a switch is no path."""
    return NOTHING if node.children and node.children[0].type == "else" else PATH


def _weigh_jump(node: Node) -> Weight:
    return FLAT if child_of(node, "break_label") is not None else NOTHING


def _function_name(node: Node) -> str:
    """Name a function, or a test by its text; a function without a body is only declared."""
    if node.type == "test_declaration":
        named = child_of(node, "string") or child_of(node, "identifier")
        return f"test {text_of(named)}".replace('"', "").strip()
    return field_text(node, "name") if child_of(node, "block") is not None else ""


def _count_parameters(node: Node) -> int:
    listed = child_of(node, "parameters")
    return 0 if listed is None else sum(1 for _ in children_of(listed, "parameter"))


def _declaration(node: Node) -> Node | None:
    """Return what declares a type: `const Name = struct { … }`."""
    outer = node.parent
    return outer if outer is not None and outer.type == "variable_declaration" else None


def _type_name(node: Node) -> str:
    declaration = _declaration(node)
    return "" if declaration is None else text_of(child_of(declaration, "identifier"))


def _is_public(node: Node, _name: str) -> bool:
    holder = node if node.type not in _TYPES else _declaration(node)
    return holder is not None and any(it.type in {"pub", "export"} for it in holder.children)


def _read_decorators(node: Node) -> tuple[str, ...]:
    """Read what makes a function visible to programs in other languages."""
    return ("export",) if child_of(node, "export") is not None else ()


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `@import("a.zig")`; of `@import("a.zig").Name` the name too."""
    listed = child_of(node, "arguments")
    given = child_of(listed, "string") if listed is not None else None
    if given is None:
        return ()
    names: tuple[str, ...] = ()
    outer = node.parent
    if outer is not None and outer.type == "field_expression":
        names = (field_text(outer, "member"),)
        outer = outer.parent
    bound = ""
    if outer is not None and outer.type == "variable_declaration":
        bound = text_of(child_of(outer, "identifier"))
    elif outer is not None and outer.type == "using_namespace_declaration":
        names = ("*",)
    aliases = (bound,) if bound and (bound,) != names else ()
    return (Import(text_of(given).strip('"'), names, node.start_point[0] + 1, 0, aliases),)


def _read_exports(root: Node) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, _published(root))))


def _published(root: Node) -> Iterator[str]:
    for declaration in root.named_children:
        if any(it.type in {"pub", "export"} for it in declaration.children):
            yield text_of(child_of(declaration, "identifier"))


# The grammar takes no empty containers in expressions, and older words for keywords.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb"\b((?:(?:extern|packed) )?(?:struct|union|enum|opaque) ?\{\})"), NAME),
    (re.compile(rb"\b(async|await)(?=:)"), NAME),
)

LANGUAGE = Language(
    name="zig",
    grammar="tree_sitter_zig:language",
    title="Zig",
    extensions=(".zig",),
    unit="project",
    has_bare_members=True,
    functions=frozenset({"function_declaration", "test_declaration"}),
    types=_TYPES,
    weights={
        "if_statement": DECISION,
        "if_expression": DECISION,
        "if_type_expression": DECISION,
        "for_statement": DECISION,
        "for_expression": DECISION,
        "while_statement": DECISION,
        "while_expression": DECISION,
        "switch_expression": STRUCTURE | NESTING,
        "catch_expression": PATH | STRUCTURE,
        "try_expression": PATH,
    },
    custom={
        "switch_case": _weigh_case,
        "break_expression": _weigh_jump,
        "continue_expression": _weigh_jump,
    },
    ifs=frozenset({"if_statement", "if_expression"}),
    elses=frozenset({"else_clause"}),
    logicals=frozenset({"binary_expression"}),
    logical_operators=frozenset({"and", "or", "orelse"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"call_expression", "builtin_function"}),
    importing_callees=frozenset({b"@import"}),
    strings=frozenset({"string"}),
    literals=frozenset(
        {
            *("integer", "float", "character", "boolean", "string_content", "multiline_string"),
            *("null", "undefined", "unreachable"),
        }
    ),
    qualified=frozenset({"field_expression"}),
    function_name=_function_name,
    body_kinds=frozenset({"block"}),
    parameters=_count_parameters,
    type_name=_type_name,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith(("///", "//!")),
    read_decorators=_read_decorators,
    read_imports=_read_imports,
    read_exports=_read_exports,
    new_syntax=_NEW_SYNTAX,
)
