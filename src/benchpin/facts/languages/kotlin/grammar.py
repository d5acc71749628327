"""Kotlin. Cyclomatic complexity counts what detekt counts, except jumps and scope functions."""

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
    Masked,
    child_of,
    children_of,
    field_text,
    text_of,
    weigh_else_block,
    weigh_if,
)
from benchpin.facts.respelling import Rule

_HIDING = frozenset({"private", "internal", "protected"})
_KEYWORD_NAMES = {"secondary_constructor": "constructor", "anonymous_initializer": "init"}
_CLOSURES = frozenset({"anonymous_function", "lambda_literal"})
_OF_PROPERTIES = frozenset({"getter", "setter", *_CLOSURES})
_MAY_BE_ABSTRACT = frozenset({"function_declaration", "getter", "setter"})
_DECLARATIONS = frozenset(
    {
        "class_declaration",
        "function_declaration",
        "object_declaration",
        "property_declaration",
        "type_alias",
    }
)
_BODIES = frozenset({"source_file", "class_body", "enum_class_body"})
_JUMPS = frozenset({"break@", "continue@"})

# Not in the grammar: context parameters, guards of `when` entries, `$$` before a string.
_UNKNOWN = re.compile(
    rb"""
      ^[ \t]*(?P<context>context\([^()\n]*\))
    | ^[ \t]*(?:(?!->)[^\n{}]){1,200}?(?P<guard>[ ]if[ ][^\n{}]{1,200}?)[ ]?->
    | (?<!\$)(?P<dollars>\$\$+)(?=")
    """,
    re.VERBOSE | re.MULTILINE,
)

# Names that the grammar reads as keywords; `in1` at the start of a line, as `in`.
_SOFT_KEYWORD = re.compile(
    rb"""
      (?<=[)}\]][ ])get(?=[ ][\w(])
    | (?<![\w.])(?:set|where)(?=[ \t]*(?:[=.?),:!]|or[ ]|and[ ]))
    | (?<=[\n\t ])in(?=\d)
    | ^[ \t]*(?:annotation|data|external|inner|internal|open|operator|value)(?=[ ][-+]?=[ ])
    """,
    re.VERBOSE | re.MULTILINE,
)


def _callee(node: Node) -> Node:
    """Skip nested calls and signs: `run(x) { … }` and `!run(x)` call `run`."""
    while node.type in {"call_expression", "unary_expression"}:
        node = node.child_by_field_name("argument") or node.children[0]
    return node


def _function_name(node: Node) -> str:
    """Name a function by itself, an accessor by its property, a closure by its variable."""
    if node.type in _MAY_BE_ABSTRACT and child_of(node, "function_body") is None:
        return ""
    own = field_text(node, "name") or _KEYWORD_NAMES.get(node.type)
    if own:
        return own
    outer = node.parent
    is_of_property = outer is not None and outer.type == "property_declaration"
    return (outer is not None and is_of_property and _variable(outer)) or "(anonymous)"


def _variable(node: Node) -> str:
    declared = child_of(node, "variable_declaration")
    return text_of(child_of(declared, "identifier")) if declared is not None else ""


def _count_parameters(node: Node) -> int:
    if node.type == "lambda_literal":
        listed = child_of(node, "lambda_parameters")
        return 0 if listed is None else sum(1 for it in listed.named_children if not it.is_extra)
    if node.type == "setter":
        return sum(1 for _ in children_of(node, "identifier"))
    listed = child_of(node, "function_value_parameters")
    return 0 if listed is None else sum(1 for _ in children_of(listed, "parameter"))


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
    if child_of(node, "interface") is not None:
        return "interface"
    modifiers = child_of(node, "modifiers")
    kinds = () if modifiers is None else children_of(modifiers, "class_modifier")
    is_enum = any(text_of(kind) == "enum" for kind in kinds)
    return "enum" if is_enum or child_of(node, "enum") is not None else "class"


def _bases(node: Node) -> tuple[str, ...]:
    listed = child_of(node, "delegation_specifiers")
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
    return ".".join(text_of(part) for part in children_of(node, "identifier"))


def _is_public(node: Node, _name: str) -> bool:
    """Everything is public without a modifier, except inside a function."""
    outer = node.parent
    if node.type in _OF_PROPERTIES:
        if outer is None or outer.type != "property_declaration" or _hides(node):
            return False
        node, outer = outer, outer.parent
    return not _hides(node) and (outer is None or outer.type in _BODIES)


def _hides(node: Node) -> bool:
    modifiers = child_of(node, "modifiers")
    if modifiers is None:
        return False
    return any(text_of(it) in _HIDING for it in children_of(modifiers, "visibility_modifier"))


def _read_decorators(node: Node) -> tuple[str, ...]:
    modifiers = child_of(node, "modifiers")
    if modifiers is None:
        return ()
    texts = (text_of(it) for it in children_of(modifiers, "annotation"))
    return tuple(text.lstrip("@").partition("(")[0].strip() for text in texts)


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import a.b.C`, `import a.b.*` and `import a.b.C as D`."""
    path = text_of(child_of(node, "qualified_identifier")).replace(" ", "")
    line = node.start_point[0] + 1
    if child_of(node, "*") is not None:
        return (Import(path, ("*",), line),)
    module, _, name = path.rpartition(".")
    alias = text_of(child_of(node, "identifier"))
    return (Import(module, (name,), line, 0, (alias,) if alias else ()),) if name else ()


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the full names of the public declarations of a file."""
    header = child_of(root, "package_header")
    package = "" if header is None else text_of(child_of(header, "qualified_identifier")) + "."
    shown = (it for it in root.named_children if it.type in _DECLARATIONS and not _hides(it))
    names = (field_text(it, "name") or field_text(it, "type") or _variable(it) for it in shown)
    return tuple(package + name for name in names if name)


def _mask(source: bytes) -> Masked:
    """Blank out what the grammar does not know, and respell soft keywords that are names."""
    masked = bytearray(source)
    spans = [found.span(found.lastgroup or 0) for found in _UNKNOWN.finditer(source)]
    for start, end in spans:
        masked[start:end] = b" " * (end - start)
    for found in _SOFT_KEYWORD.finditer(source):
        masked[found.end() - 1] = ord("_")
        spans.append((found.end(), found.end()))
    return bytes(masked), spans


# Kotlin 2.2 and 2.3: guards of `when`, which are read as further conditions, and nested type
# aliases.
_NEW_SYNTAX: tuple[Rule, ...] = (
    # 2.3: `field = …` below a property becomes its getter.
    (
        re.compile(
            rb"\bva[lr]\s{1,9}\w{1,80}+\s{0,9}:[^\n={}]{1,200}+\n[ \t]{1,80}+"
            rb"(field(?:[ \t]{0,9}:[^\n={}]{1,99}+)?[ \t]{0,9}=)(?!=)"
        ),
        b"get() =",
    ),
    # 2.3: `(val a = b, val c) = d` becomes `val (a, c) = d`, and `val [a, b]` `val (a, b)`.
    (
        re.compile(rb"^[ \t]{0,80}+(\(va[lr][ \t])(?=[^()\n]{1,200}+\)[ \t]{0,9}=)", re.MULTILINE),
        b"val (",
    ),
    *(
        [
            (
                re.compile(
                    rb"\bval \((?:[^()=\n]|\bval\b){0,200}?([ \t]=[ \t]\w{1,80}+)(?=[ \t]{0,9}[,)])"
                ),
                b"",
            )
        ]
        * 3
    ),
    (re.compile(rb",[ \t]{0,9}(va[lr])(?=[ \t]{1,9}\w{1,80}+[ \t]{0,9}[,)])"), b""),
    (re.compile(rb"\bva[lr][ \t](\[)(?=[^\[\]\n]{1,200}+\][ \t]{0,9}=)"), b"("),
    (re.compile(rb"\bva[lr][ \t]\([^()\[\]\n]{1,200}+(\])"), b")"),
    (
        re.compile(
            rb"^[ \t]{1,80}+((?:(?:private|public|internal)[ \t])?typealias[ \t][^\n{}]{1,200}+)$",
            re.MULTILINE,
        ),
        b"",
    ),
    (
        re.compile(
            rb"[\n;{]\s{0,80}+!?(?:is|in)\s{1,9}[\w.<>*?,]{1,200}+\s{1,9}(if)"
            rb"(?=\s[^\n{};]{1,200}?->)"
        ),
        b",",
    ),
    (re.compile(rb"[\n;{]\s{0,80}+(else\s{1,9}if)(?=\s[^\n{};]{1,200}?->)"), b""),
)

LANGUAGE = Language(
    name="kotlin",
    family="java",
    grammar="tree_sitter_kotlin:language",
    title="Kotlin",
    toolchains=("java-maven",),
    has_bare_members=True,
    contexts=(("class C { ", " }"),),
    extensions=(".kt", ".kts"),
    interpreters=("kotlin", "kscript"),
    name_scope="package",
    unit="package",
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
    body_kinds=frozenset({"function_body", "block"}),
    closures=_CLOSURES,
    folds_closures=True,
    types={
        "class_declaration": "class",
        "object_declaration": "object",
        "companion_object": "object",
        "object_literal": "object",
        "type_alias": "type",
    },
    types_nest=True,
    weights={
        "for_statement": DECISION,
        "while_statement": DECISION,
        "do_while_statement": DECISION,
        "catch_block": DECISION,
        "when_expression": STRUCTURE | NESTING,
        "when_entry": PATH,
    },
    token_weights={"?:": PATH},
    custom={
        "if_expression": weigh_if,
        "block": weigh_else_block,
        "labeled_expression": lambda node: FLAT if text_of(node.children[0]) in _JUMPS else NOTHING,
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
    read_exports=_read_exports,
    read_decorators=_read_decorators,
    mask=_mask,
    new_syntax=_NEW_SYNTAX,
)
