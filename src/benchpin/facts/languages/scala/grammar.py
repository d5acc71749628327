"""Scala. Cyclomatic complexity counts conditions, loops, cases and guards, as lizard does."""

import re

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
    weigh_else_block,
    weigh_if,
)

_TYPES = {
    "class_definition": "class",
    "object_definition": "object",
    "package_object": "object",
    "trait_definition": "trait",
    "enum_definition": "enum",
    "type_definition": "type",
}
_DECLARATIONS = frozenset({*_TYPES, "function_definition", "val_definition", "given_definition"})
_BODIES = frozenset(
    {
        "compilation_unit",
        "enum_body",
        "extension_definition",
        "package_clause",
        "template_body",
        "with_template_body",
    }
)
_IMPORT = re.compile(r"([^,{]+)(\{[^}]*+(?:\}|\Z))?,?")
_RENAMED = re.compile(r"(?<!\s)\s*+=>\s*+|(?<!\s)\s++as\s++")
# Levels to look through, so that deep nesting does not take quadratic time.
_MAX_PARENTHESES = 8
_WILDCARDS = frozenset({"_", "*", "given"})


def _weigh_infix(node: Node) -> Weight:
    """Each logical operator adds a path; a chain of one operator adds one cognitive point."""
    operator = field_text(node, "operator")
    if operator not in {"&&", "||"}:
        return NOTHING
    operands = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    goes_on = any(_logical_operator(it) == operator for it in operands)
    return PATH if goes_on else PATH | FLAT


def _logical_operator(operand: Node | None) -> str:
    for _ in range(_MAX_PARENTHESES):
        if operand is None or operand.type != "parenthesized_expression":
            break
        operand = operand.named_children[0] if operand.named_child_count else None
    is_infix = operand is not None and operand.type == "infix_expression"
    return field_text(operand, "operator") if operand is not None and is_infix else ""


def _count_parameters(node: Node) -> int:
    return sum(
        1
        for listed in node.children_by_field_name("parameters")
        if listed.type == "parameters"
        for _ in children_of(listed, "parameter")
    )


def _callee(node: Node) -> Node:
    """Return the called function or class, without type arguments."""
    called = node.child_by_field_name("function") or node.named_children[0]
    if called.type in {"generic_function", "generic_type"}:
        called = called.children[0]
    return called.child_by_field_name("right") or called


def _bases(node: Node) -> tuple[str, ...]:
    clause = node.child_by_field_name("extend")
    if clause is None:
        return ()
    listed = clause.children_by_field_name("type")
    return tuple(text_of(it).partition("[")[0].strip() for it in listed if it.is_named)


def _is_public(node: Node, _name: str) -> bool:
    """Everything is public without a modifier, except inside a function."""
    outer = node.parent
    return not _hides(node) and outer is not None and outer.type in _BODIES


def _hides(node: Node) -> bool:
    modifiers = child_of(node, "modifiers")
    return modifiers is not None and child_of(modifiers, "access_modifier") is not None


def _read_decorators(node: Node) -> tuple[str, ...]:
    return tuple(field_text(it, "name") for it in children_of(node, "annotation"))


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import a.b.C`, `import a.b.{C, D => E}`, `import a.b._` and several at once."""
    line = node.start_point[0] + 1
    text = text_of(node).removeprefix("import")
    return tuple(_imported(path.strip(), names, line) for path, names in _IMPORT.findall(text))


def _imported(path: str, listed: str, line: int) -> Import:
    if listed:
        names = (_RENAMED.split(it.strip())[0] for it in listed.strip("{}").split(","))
        return Import(path.rstrip("."), tuple(map(_name, names)), line)
    module, _, name = _RENAMED.split(path)[0].rpartition(".")
    return Import(module, (_name(name),), line)


def _name(imported: str) -> str:
    return "*" if imported in _WILDCARDS else imported


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the full names of the public declarations of a file."""
    names: list[str] = []
    pending = [("", root)]
    while pending:
        package, node = pending.pop()
        for child in node.named_children:
            if child.type == "package_clause":
                inner = f"{package}{field_text(child, 'name')}."
                body = child.child_by_field_name("body")
                if body is None:
                    package = inner
                else:
                    pending.append((inner, body))
            elif child.type in _DECLARATIONS and not _hides(child):
                own = field_text(child, "name") or field_text(child, "pattern")
                names.append(package + own)
    return tuple(dict.fromkeys(names))


LANGUAGE = Language(
    name="scala",
    family="java",
    grammar="tree_sitter_scala:language",
    title="Scala",
    toolchains=("java-maven",),
    has_bare_members=True,
    contexts=(("class C { ", " }"),),
    extensions=(".scala", ".sc", ".sbt"),
    interpreters=("scala", "scala-cli", "amm"),
    name_scope="package",
    unit="package",
    functions=frozenset({"function_definition"}),
    types=_TYPES,
    types_nest=True,
    scopes={"given_definition": True},
    weights={
        "while_expression": DECISION,
        "do_while_expression": DECISION,
        "match_expression": STRUCTURE | NESTING,
        "catch_clause": STRUCTURE | NESTING,
        "case_clause": PATH,
        "guard": PATH,
    },
    custom={
        "if_expression": weigh_if,
        "block": weigh_else_block,
        "indented_block": weigh_else_block,
        "for_expression": lambda node: PATH if child_of(node, "yield") is not None else DECISION,
        "infix_expression": _weigh_infix,
    },
    calls=frozenset({"call_expression", "instance_expression"}),
    callee=_callee,
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"comment", "block_comment"}),
    strings=frozenset({"string", "character_literal", "symbol_literal"}),
    identifiers=frozenset({"identifier", "type_identifier"}),
    literals=frozenset(
        {"integer_literal", "floating_point_literal", "boolean_literal", "null_literal"}
    ),
    parameters=_count_parameters,
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith("/**"),
    read_imports=_read_imports,
    read_exports=_read_exports,
    read_decorators=_read_decorators,
)
