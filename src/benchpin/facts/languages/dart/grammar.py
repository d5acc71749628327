"""Dart. The grammar has the signature of a function as the sibling before its body."""

from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import DependencyKind, Import
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

_SIGNATURES = frozenset(
    {
        *("function_signature", "getter_signature", "setter_signature", "operator_signature"),
        *(
            "constructor_signature",
            "factory_constructor_signature",
            "constant_constructor_signature",
        ),
        *("redirecting_factory_constructor_signature", "method_signature"),
    }
)
_TYPES = {
    "class_definition": "class",
    "mixin_declaration": "mixin",
    "enum_declaration": "enum",
    "extension_declaration": "extension",
    "extension_type_declaration": "extension type",
    "type_alias": "type",
}
_HERITAGE = frozenset({"superclass", "mixins", "interfaces"})
_CREATIONS = frozenset({"const_object_expression", "new_expression"})
_NAMES = frozenset({"identifier", "type_identifier"})
_DIRECTIVES = frozenset({"import_or_export", "part_directive", "part_of_directive"})


def _inner(header: Node) -> Node:
    """Return the signature inside of that of a method."""
    if header.type != "method_signature":
        return header
    return next((it for it in header.named_children if it.type in _SIGNATURES), header)


def _function_name(node: Node) -> str:
    """Name a function by its signature, a closure by the variable that gets it."""
    if node.type == "function_expression":
        holder = node.parent
        return (field_text(holder, "name") if holder is not None else "") or "(anonymous)"
    signature = _inner(node)
    if signature.type == "operator_signature":
        operator = signature.child_by_field_name("operator") or child_of(
            signature, "binary_operator"
        )
        return f"operator {text_of(operator)}".strip()
    if signature.type not in _SIGNATURES or signature.type == "method_signature":
        return ""
    if "constructor" in signature.type:
        # `Basket.filled` is the member `filled` of its class, `Basket` one of the same name.
        names = [text_of(it) for it in signature.children if it.type == "identifier"]
        return ".".join(names[1:] or names)
    return field_text(signature, "name")


def _count_parameters(node: Node) -> int:
    signature = _inner(node)
    listed = signature.child_by_field_name("parameters") or child_of(
        signature, "formal_parameter_list"
    )
    if listed is None:
        return 0
    optional = children_of(listed, "optional_formal_parameters")
    lists = (listed, *optional)
    return sum(1 for one in lists for _ in children_of(one, "formal_parameter"))


def _is_public(node: Node, name: str) -> bool:
    return not name.startswith("_") and node.type != "function_expression"


def _annotations(node: Node) -> Iterator[Node]:
    """Return the annotations of a definition: inside of a type, before anything else."""
    yield from children_of(node, "annotation")
    before = node.prev_named_sibling
    while before is not None and before.type in {"annotation", "comment", "documentation_comment"}:
        if before.type == "annotation":
            yield before
        before = before.prev_named_sibling


def _first_line(node: Node) -> int:
    return min(it.start_point[0] for it in (node, *_annotations(node))) + 1


def _read_decorators(node: Node) -> tuple[str, ...]:
    return tuple(field_text(it, "name") for it in _annotations(node))


def _type_name(node: Node) -> str:
    named = node.child_by_field_name("name")
    if named is None:
        named = next((it for it in node.named_children if it.type in _NAMES), None)
    return text_of(named)


def _bases(node: Node) -> tuple[str, ...]:
    """Return what a type extends, mixes in, implements, or is a mixin or extension on."""
    found: list[str] = []
    pending = [it for it in node.children if it.type in _HERITAGE]
    for part in pending:
        found += [text_of(it) for it in part.named_children if it.type == "type_identifier"]
        pending += [it for it in part.named_children if it.type in _HERITAGE]
    if node.type == "mixin_declaration":
        found += [text_of(it) for it in children_of(node, "type_identifier")]
    return tuple(found)


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import`, `export`, `part` and `part of`."""
    line = node.start_point[0] + 1
    if node.type != "import_or_export":
        kind: DependencyKind = "containment"
        uri = next(_strings(node), "")
        return (Import(uri, (), line, kind=kind),) if uri else ()
    uri = next(_strings(node), "")
    specification = next(_find(node, "import_specification"), node)
    shown = [it for it in _find(node, "combinator") if it.children[0].type == "show"]
    names = tuple(text_of(it) for one in shown for it in children_of(one, "identifier"))
    alias = tuple(text_of(it) for it in children_of(specification, "identifier"))
    if next(_find(node, "library_export"), None) is not None:
        names = names or ("*",)
    lazy: DependencyKind = "lazy" if b" deferred " in (node.text or b"") else "runtime"
    return (Import(uri, names, line, 0, () if names else alias, lazy),) if uri else ()


def _strings(node: Node) -> Iterator[str]:
    return (text_of(it).strip("'\"") for it in _find(node, "string_literal"))


def _find(node: Node, kind: str) -> Iterator[Node]:
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type == kind:
            yield one
        else:
            pending.extend(reversed(one.named_children))


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the public names of the library: what does not start with an underscore."""
    names: list[str] = []
    for statement in root.named_children:
        if statement.type in _TYPES:
            names.append(_type_name(statement))
        elif statement.type in _SIGNATURES:
            names.append(_function_name(statement))
        elif statement.type.endswith("_list"):
            names += [text_of(child_of(one, "identifier")) for one in statement.named_children]
    return tuple(dict.fromkeys(it for it in names if it and not it.startswith("_")))


def _callee(node: Node) -> Node:
    """Return what is before the arguments: a selector, or the name itself."""
    if node.type in _CREATIONS:
        return child_of(node, "type_identifier") or node.children[0]
    selector = node.parent if node.parent is not None and node.parent.type == "selector" else node
    before = selector.prev_named_sibling
    if before is None:
        return node
    named = [it for it in before.named_children if it.type == "identifier"]
    if before.type in {"selector", "cascade_selector"} and before.named_child_count:
        inner = before.named_children[0]
        named = [it for it in inner.named_children if it.type == "identifier"] or named
        return named[-1] if named else before
    return before


def _weigh_break(node: Node) -> Weight:
    """A jump to a label adds one; the word itself is a node of this grammar."""
    return FLAT if child_of(node, "identifier") is not None else NOTHING


def _weigh_arm(node: Node) -> Weight:
    """Each arm of a switch expression is a path, but `_`."""
    pattern = node.named_children[0] if node.named_child_count else None
    return NOTHING if pattern is not None and pattern.text == b"_" else PATH


LANGUAGE = Language(
    name="dart",
    grammar="tree_sitter_dart:language",
    title="Dart",
    toolchains=("flutter", "pub"),
    extensions=(".dart",),
    interpreters=("dart",),
    name_scope="project",
    unit="package",
    has_bare_members=True,
    functions=frozenset({"function_body", "function_expression"}),
    headers=_SIGNATURES,
    types=_TYPES,
    weights={
        "for_statement": DECISION,
        "while_statement": DECISION,
        "do_statement": DECISION,
        "for_element": DECISION,
        "if_element": DECISION,
        "conditional_expression": DECISION,
        "switch_statement": STRUCTURE | NESTING,
        "switch_expression": STRUCTURE | NESTING,
        "switch_statement_case": PATH,
        "catch_clause": DECISION,
        "if_null_expression": PATH,
    },
    custom={
        "switch_expression_case": _weigh_arm,
        "break_statement": _weigh_break,
        "continue_statement": _weigh_break,
    },
    ifs=frozenset({"if_statement"}),
    logicals=frozenset({"logical_and_expression", "logical_or_expression"}),
    logical_operators=frozenset({"logical_and_operator", "logical_or_operator"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"argument_part", *_CREATIONS}),
    imports=_DIRECTIVES,
    comments=frozenset({"comment", "documentation_comment"}),
    strings=frozenset({"string_literal"}),
    interpolation_marks=(b"$",),
    identifiers=frozenset({"identifier", "type_identifier", "identifier_dollar_escaped"}),
    literals=frozenset(
        {
            *("decimal_integer_literal", "hex_integer_literal", "decimal_floating_point_literal"),
            *("true", "false", "null_literal", "symbol_literal", "string_content"),
        }
    ),
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=_type_name,
    bases=_bases,
    is_public=_is_public,
    first_line=_first_line,
    doc_comment=lambda text: text.startswith(("///", "/**")),
    read_decorators=_read_decorators,
    callee=_callee,
    read_imports=_read_imports,
    read_exports=_read_exports,
)
