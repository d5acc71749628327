"""PHP. Cyclomatic complexity counts what PHP Depend's CCN2, and so PHPMD, counts."""

import re

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import (
    DECISION,
    FLAT,
    NESTING,
    PATH,
    STRUCTURE,
    Language,
    child_of,
    children_of,
    field_text,
    text_of,
    weigh_jump,
)
from benchpin.facts.respelling import Rule

_CLOSURES = frozenset({"anonymous_function", "arrow_function"})
_INCLUDES = frozenset(
    {
        "include_expression",
        "include_once_expression",
        "require_expression",
        "require_once_expression",
    }
)

_NAMING_PARENTS = {"assignment_expression": "left", "property_element": "name"}
_BASE_CLAUSES = frozenset({"base_clause", "class_interface_clause", "use_declaration"})
_NAMES = frozenset({"name", "qualified_name", "relative_name"})
_STRINGS = frozenset({"string", "encapsed_string"})
_TYPES = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
    "anonymous_class": "class",
}


def _function_name(node: Node) -> str:
    """Name a function by itself, a closure by what it is assigned to."""
    own = field_text(node, "name")
    if own:
        return own
    outer = node.parent
    field = _NAMING_PARENTS.get(outer.type) if outer is not None else None
    if outer is None or field is None:
        return "(anonymous)"
    return field_text(outer, field).lstrip("$")


def _callee(node: Node) -> Node:
    if node.type == "object_creation_expression":
        named = next((it for it in node.children if it.type in _NAMES), None)
        return named or node.children[0]
    return node.child_by_field_name("name") or node.children[0]


def _bases(node: Node) -> tuple[str, ...]:
    """Return what a type extends and implements, and the traits that it uses."""
    body = node.child_by_field_name("body")
    clauses = (*node.children, *(() if body is None else body.children))
    return tuple(
        text_of(base)
        for clause in clauses
        if clause.type in _BASE_CLAUSES
        for base in clause.named_children
        if base.type in _NAMES
    )


def _is_public(node: Node, _name: str) -> bool:
    modifier = child_of(node, "visibility_modifier")
    return node.type not in _CLOSURES and text_of(modifier) not in {"private", "protected"}


def _read_decorators(node: Node) -> tuple[str, ...]:
    listed = node.child_by_field_name("attributes")
    if listed is None:
        return ()
    groups = (group for group in listed.named_children if group.type == "attribute_group")
    return tuple(
        text_of(it).partition("(")[0].strip() for group in groups for it in group.named_children
    )


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `use`, a group or not, and includes of a literal path."""
    line = node.start_point[0] + 1
    if node.type in _INCLUDES:
        return _included(node.named_children[-1], line) if node.named_child_count else ()
    group = node.child_by_field_name("body")
    # `use a\{b, c};`
    prefix = "" if group is None else text_of(child_of(node, "namespace_name")) + "\\"
    clauses = children_of(node if group is None else group, "namespace_use_clause")
    found = (next((it for it in clause.children if it.type in _NAMES), None) for clause in clauses)
    return tuple(Import((prefix + text_of(it)).lstrip("\\"), (), line) for it in found)


def _included(given: Node, line: int) -> tuple[Import, ...]:
    """Read a path; with `__DIR__`, the level is how many folders up from the file it starts."""
    while given.type == "parenthesized_expression" and given.named_child_count:
        given = given.named_children[0]
    if given.type in _STRINGS:
        return (Import(_unquoted(given), (), line),) if "$" not in text_of(given) else ()
    base, path = given.child_by_field_name("left"), given.child_by_field_name("right")
    if base is None or path is None or path.type not in _STRINGS:
        return ()
    start = text_of(base).replace(" ", "")
    # `dirname(__DIR__)` is one folder up; `dirname(__FILE__)` is the same as `__DIR__`.
    level = 1 + start.count("dirname(")
    if start.strip(")").removeprefix("dirname(" * (level - 1)) not in {"__DIR__", "__FILE__"}:
        return ()
    return (Import(_unquoted(path).lstrip("/"), (), line, level - start.count("__FILE__")),)


def _unquoted(node: Node) -> str:
    return text_of(node).strip("'\"")


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the full names of types and functions, as `use` in another file writes them."""
    names: list[str] = []
    namespace = ""
    for statement in root.named_children:
        if statement.type == "namespace_definition":
            namespace = field_text(statement, "name")
            body = statement.child_by_field_name("body")
            names += _declared(namespace, () if body is None else body.named_children)
        else:
            names += _declared(namespace, (statement,))
    return tuple(names)


def _declared(namespace: str, statements: tuple[Node, ...] | list[Node]) -> list[str]:
    kinds = {*_TYPES, "function_definition"}
    names = (field_text(it, "name") for it in statements if it.type in kinds)
    return [f"{namespace}\\{name}".lstrip("\\") for name in names]


# PHP 8.5: `(void)` before a call, and `final` properties in a constructor.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb"(?<=[;{}\s])(\(void\))"), b""),
    (
        re.compile(
            rb"[(,]\s{0,200}+(final)(?=\s{1,9}(?:public|protected|private|readonly|[\w\\?])[^(])"
        ),
        b"",
    ),
)

LANGUAGE = Language(
    name="php",
    grammar="tree_sitter_php:language_php",
    title="PHP",
    toolchains=("php-composer",),
    contexts=(("class C { ", " }"),),
    extensions=(".php", ".phtml", ".php5", ".php7", ".php8", ".phpt"),
    interpreters=("php",),
    name_scope="project",
    functions=frozenset({"function_definition", "method_declaration", *_CLOSURES}),
    closures=_CLOSURES,
    folds_closures=True,
    types=_TYPES,
    types_nest=True,
    needs_body=True,
    weights={
        "for_statement": DECISION,
        "foreach_statement": DECISION,
        "while_statement": DECISION,
        "do_statement": DECISION,
        "conditional_expression": DECISION,
        "catch_clause": DECISION,
        "switch_statement": STRUCTURE | NESTING,
        "case_statement": PATH,
        "match_expression": STRUCTURE | NESTING,
        "else_if_clause": PATH | FLAT,
        "goto_statement": FLAT,
    },
    custom={"break_statement": weigh_jump, "continue_statement": weigh_jump},
    ifs=frozenset({"if_statement"}),
    elses=frozenset({"else_clause"}),
    logicals=frozenset({"binary_expression"}),
    logical_operators=frozenset({"&&", "||", "and", "or"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset(
        {
            "function_call_expression",
            "member_call_expression",
            "nullsafe_member_call_expression",
            "scoped_call_expression",
            "object_creation_expression",
            *_INCLUDES,
        }
    ),
    calls_with_receiver=frozenset(
        {"member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"}
    ),
    callee=_callee,
    imports=frozenset({"namespace_use_declaration"}),
    importing_callees=frozenset({b"include", b"include_once", b"require", b"require_once"}),
    strings=frozenset({*_STRINGS, "heredoc", "nowdoc", "shell_command_expression"}),
    interpolation_marks=(b"$",),
    identifiers=frozenset({"name", "variable_name"}),
    literals=frozenset(
        {"integer", "float", "boolean", "null", "string_content", "escape_sequence", "text"}
    ),
    function_name=_function_name,
    type_name=lambda node: field_text(node, "name") or "(anonymous)",
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith("/**"),
    read_imports=_read_imports,
    runs_imports=True,
    read_exports=_read_exports,
    read_decorators=_read_decorators,
    new_syntax=_NEW_SYNTAX,
)
