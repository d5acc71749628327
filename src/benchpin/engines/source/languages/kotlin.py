"""Kotlin. Cyclomatic complexity counts what lizard and detekt agree on, the elvis included."""

from collections.abc import Iterator

from tree_sitter import Node

from benchpin.engines.source.facts import Import
from benchpin.engines.source.language import (
    DECISION,
    FLAT,
    NESTING,
    NOTHING,
    PATH,
    STRUCTURE,
    Language,
    Weight,
    field_text,
    text_of,
)

_HIDING = frozenset({"private", "internal", "protected"})
_KEYWORD_NAMES = {"secondary_constructor": "constructor", "anonymous_initializer": "init"}
_CLOSURES = frozenset({"anonymous_function", "lambda_literal"})
_OF_PROPERTIES = frozenset({"getter", "setter", *_CLOSURES})
_JUMPS = frozenset({"break@", "continue@"})


def _children(node: Node, kind: str) -> Iterator[Node]:
    return (child for child in node.children if child.type == kind)


def _child(node: Node, kind: str) -> Node | None:
    return next(_children(node, kind), None)


def _is_alternative(node: Node) -> bool:
    before = node.prev_sibling
    return before is not None and before.type == "else"


def _weigh_if(node: Node) -> Weight:
    return PATH | FLAT if _is_alternative(node) else DECISION


def _weigh_block(node: Node) -> Weight:
    """An else with braces takes a thought; the one of a conditional expression does not."""
    return FLAT if _is_alternative(node) else NOTHING


def _weigh_entry(node: Node) -> Weight:
    return NOTHING if node.children[0].type == "else" else PATH


def _weigh_label(node: Node) -> Weight:
    return FLAT if text_of(node.children[0]) in _JUMPS else NOTHING


def _callee(node: Node) -> Node:
    """Look past arguments: `run(x) { … }` is a call whose callee is a call."""
    while node.type == "call_expression":
        node = node.children[0]
    return node


def _function_name(node: Node) -> str:
    """Name a function by itself, an accessor by its property, a closure by its variable."""
    own = field_text(node, "name") or _KEYWORD_NAMES.get(node.type)
    if own:
        return own
    outer = node.parent
    if outer is None or outer.type != "property_declaration":
        return "(anonymous)"
    declared = _child(outer, "variable_declaration")
    return text_of(_child(declared, "identifier")) if declared is not None else "(anonymous)"


def _count_parameters(node: Node) -> int:
    if node.type == "lambda_literal":
        listed = _child(node, "lambda_parameters")
        return 0 if listed is None else sum(1 for it in listed.named_children if not it.is_extra)
    if node.type == "setter":
        return sum(1 for _ in _children(node, "identifier"))
    listed = _child(node, "function_value_parameters")
    return 0 if listed is None else sum(1 for _ in _children(listed, "parameter"))


def _type_name(node: Node) -> str:
    own = field_text(node, "name") or field_text(node, "type")
    if node.type == "companion_object":
        return own or "Companion"
    return own or "(anonymous)"


def _type_kind(node: Node) -> str:
    if node.type == "type_alias":
        return "type"
    if node.type != "class_declaration":
        return "object"
    if _child(node, "interface") is not None:
        return "interface"
    modifiers = _child(node, "modifiers")
    kinds = () if modifiers is None else _children(modifiers, "class_modifier")
    is_enum = any(text_of(kind) == "enum" for kind in kinds)
    return "enum" if is_enum or _child(node, "enum") is not None else "class"


def _bases(node: Node) -> tuple[str, ...]:
    listed = _child(node, "delegation_specifiers")
    if listed is None:
        return ()
    found = (_supertype(it) for it in listed.named_children if it.type == "delegation_specifier")
    return tuple(name for name in found if name)


def _supertype(specifier: Node) -> str:
    node = specifier
    while node.type != "user_type":
        if not node.named_child_count:
            return ""
        node = node.named_children[0]
    return ".".join(text_of(part) for part in _children(node, "identifier"))


def _is_public(node: Node, _name: str) -> bool:
    """Everything is public unless it says otherwise, or stands inside a function."""
    outer = node.parent
    if node.type in _OF_PROPERTIES:
        if outer is None or outer.type != "property_declaration" or _hides(node):
            return False
        node, outer = outer, outer.parent
    return not _hides(node) and (outer is None or outer.type in {"source_file", "class_body"})


def _hides(node: Node) -> bool:
    modifiers = _child(node, "modifiers")
    if modifiers is None:
        return False
    return any(text_of(it) in _HIDING for it in _children(modifiers, "visibility_modifier"))


def _read_decorators(node: Node) -> tuple[str, ...]:
    modifiers = _child(node, "modifiers")
    if modifiers is None:
        return ()
    texts = (text_of(it) for it in _children(modifiers, "annotation"))
    return tuple(text.lstrip("@").partition("(")[0].strip() for text in texts)


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import a.b.C`, `import a.b.*` and `import a.b.C as D`."""
    path = text_of(_child(node, "qualified_identifier")).replace(" ", "")
    line = node.start_point[0] + 1
    if _child(node, "*") is not None:
        return (Import(path, ("*",), line),)
    module, _, name = path.rpartition(".")
    alias = text_of(_child(node, "identifier"))
    return (Import(module, (name,), line, 0, (alias,) if alias else ()),) if name else ()


LANGUAGE = Language(
    name="kotlin",
    grammar="tree_sitter_kotlin:language",
    extensions=(".kt", ".kts"),
    interpreters=("kotlin", "kscript"),
    functions=frozenset(
        {
            "function_declaration",
            "secondary_constructor",
            "anonymous_initializer",
            "getter",
            "setter",
            "anonymous_function",
            "lambda_literal",
        }
    ),
    closures=_CLOSURES,
    folds_closures=True,
    types={
        "class_declaration": "class",
        "object_declaration": "object",
        "companion_object": "object",
        "object_literal": "object",
        "type_alias": "type",
    },
    weights={
        "for_statement": DECISION,
        "while_statement": DECISION,
        "do_while_statement": DECISION,
        "catch_block": DECISION,
        "when_expression": STRUCTURE | NESTING,
    },
    token_weights={"?:": PATH},
    custom={
        "if_expression": _weigh_if,
        "block": _weigh_block,
        "when_entry": _weigh_entry,
        "labeled_expression": _weigh_label,
    },
    logicals=frozenset({"binary_expression"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"call_expression"}),
    callee=_callee,
    imports=frozenset({"import"}),
    comments=frozenset({"line_comment", "block_comment"}),
    strings=frozenset({"string_literal", "multiline_string_literal", "character_literal"}),
    interpolation_marks=(b"$",),
    literals=frozenset({"number_literal", "float_literal", "string_content", "escape_sequence"}),
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=_type_name,
    type_kind=_type_kind,
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith("/**"),
    read_imports=_read_imports,
    read_decorators=_read_decorators,
)
