"""Java. Cyclomatic complexity counts what lizard counts; lambdas count in their method."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import (
    DECISION,
    NESTING,
    PATH,
    STRUCTURE,
    Language,
    child_of,
    field_text,
    text_of,
    weigh_jump,
)
from benchpin.facts.respelling import NAME, Rule

_ANNOTATIONS = frozenset({"annotation", "marker_annotation"})
_SUPERTYPES = frozenset({"superclass", "super_interfaces", "extends_interfaces"})


def _callee(node: Node) -> Node:
    """Return the name of the called method, or the type of a new object."""
    field = "name" if node.type == "method_invocation" else "type"
    callee = node.child_by_field_name(field) or node.children[0]
    return callee.children[0] if callee.type == "generic_type" else callee


def _function_name(node: Node) -> str:
    """Name a method by itself, a lambda by its variable; a method without a body is left out."""
    if node.type != "lambda_expression":
        return field_text(node, "name") if node.child_by_field_name("body") is not None else ""
    outer = node.parent
    is_variable = outer is not None and outer.type == "variable_declarator"
    return field_text(outer, "name") if outer is not None and is_variable else "(anonymous)"


def _count_parameters(node: Node) -> int:
    """Count parameters; a lambda may have one without parentheses, and `this` is none."""
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return 0
    if listed.type == "identifier":
        return 1
    given = (it for it in listed.named_children if not it.is_extra)
    return sum(1 for it in given if it.type != "receiver_parameter")


def _type_name(node: Node) -> str:
    """Name a type; `new T() { … }` and an enum constant with a body are types too."""
    outer = node.parent
    if node.type != "class_body" or outer is None:
        return field_text(node, "name")
    if outer.type == "enum_constant":
        return field_text(outer, "name")
    return "(anonymous)" if outer.type == "object_creation_expression" else ""


def _bases(node: Node) -> tuple[str, ...]:
    if node.type == "class_body":
        made = node.parent.child_by_field_name("type") if node.parent is not None else None
        return () if made is None else (_plain_type(made),)
    return tuple(
        _plain_type(base)
        for clause in node.named_children
        if clause.type in _SUPERTYPES
        for base in _listed(clause)
    )


def _listed(clause: Node) -> Iterator[Node]:
    for child in clause.named_children:
        yield from child.named_children if child.type == "type_list" else (child,)


def _plain_type(node: Node) -> str:
    # `a.@NonNull List<T>`: without type arguments, and without an annotation before the name.
    return text_of(node).partition("<")[0].rpartition("@")[2].split(" ")[-1]


def _modifiers(node: Node) -> Node | None:
    return child_of(node, "modifiers")


def _is_public(node: Node, _name: str) -> bool:
    """Public, protected and interface members are public."""
    modifiers = _modifiers(node)
    words = {it.type for it in modifiers.children} if modifiers is not None else set()
    is_offered = node.parent is not None and node.parent.type == "interface_body"
    return "private" not in words and (is_offered or bool(words & {"public", "protected"}))


def _read_decorators(node: Node) -> tuple[str, ...]:
    modifiers = _modifiers(node)
    if modifiers is None:
        return ()
    return tuple(field_text(it, "name") for it in modifiers.children if it.type in _ANNOTATIONS)


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import a.b.C`, `import a.b.*` and `import static a.b.C.d`."""
    path = "".join(text_of(it) for it in node.named_children if it.type.endswith("identifier"))
    line = node.start_point[0] + 1
    if any(it.type == "asterisk" for it in node.named_children):
        return (Import(path, ("*",), line),)
    module, _, name = path.rpartition(".")
    return (Import(module, (name,), line),) if module else (Import(name, (), line),)


# Java 25: `import module a.b;`, and statements before `super(…)`, which is read as a call.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb"\bimport\s{1,9}(module)(?=\s{1,9}[\w.]{1,200}+\s{0,9};)"), b""),
    (re.compile(rb"(?<=[\s;{}])(super|this)(?=\s{0,9}\()"), NAME),
)

LANGUAGE = Language(
    name="java",
    grammar="tree_sitter_java:language",
    title="Java",
    toolchains=("java-maven",),
    has_bare_members=True,
    contexts=(("class C { ", " }"),),
    extensions=(".java",),
    name_scope="package",
    unit="package",
    functions=frozenset(
        {
            "method_declaration",
            "constructor_declaration",
            "compact_constructor_declaration",
            "lambda_expression",
        }
    ),
    closures=frozenset({"lambda_expression"}),
    folds_closures=True,
    types={
        "class_declaration": "class",
        "record_declaration": "record",
        "interface_declaration": "interface",
        "annotation_type_declaration": "annotation",
        "enum_declaration": "enum",
        "class_body": "class",
    },
    types_nest=True,
    weights={
        "for_statement": DECISION,
        "enhanced_for_statement": DECISION,
        "while_statement": DECISION,
        "do_statement": DECISION,
        "ternary_expression": DECISION,
        "catch_clause": DECISION,
        "switch_expression": STRUCTURE | NESTING,
    },
    token_weights={"case": PATH},
    custom={"break_statement": weigh_jump, "continue_statement": weigh_jump},
    ifs=frozenset({"if_statement"}),
    logicals=frozenset({"binary_expression"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"method_invocation", "object_creation_expression"}),
    calls_with_receiver=frozenset({"method_invocation"}),
    callee=_callee,
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"line_comment", "block_comment"}),
    strings=frozenset({"string_literal", "character_literal"}),
    identifiers=frozenset({"identifier", "type_identifier"}),
    literals=frozenset(
        {
            "decimal_integer_literal",
            "hex_integer_literal",
            "octal_integer_literal",
            "binary_integer_literal",
            "decimal_floating_point_literal",
            "hex_floating_point_literal",
            "true",
            "false",
            "null_literal",
            "this",
            "super",
            "void_type",
            "boolean_type",
            "integral_type",
            "floating_point_type",
        }
    ),
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=_type_name,
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith(("/**", "///")),
    read_imports=_read_imports,
    read_decorators=_read_decorators,
    new_syntax=_NEW_SYNTAX,
)
