"""C++. Cyclomatic complexity counts what lizard counts; pmccabe does the same but for `catch`."""

import re
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from benchpin.facts.languages.c import read_cpp_macros
from benchpin.facts.languages.c.grammar import LANGUAGE as C
from benchpin.facts.languages.c.grammar import count_parameters, declared_name, is_static, type_name
from benchpin.facts.parsing import DECISION, field_text, text_of
from benchpin.facts.respelling import Rule

_BASES = frozenset({"type_identifier", "qualified_identifier", "template_type"})
_NAMED_WITH_ARGUMENTS = frozenset({"template_type", "template_function", "template_method"})
# How many levels to go up: tree-sitter finds each parent by a search from the root.
_MAX_OUTER = 16


def _plain(node: Node) -> str:
    """Return a name without template arguments, joined with dots."""
    parts: list[str] = []
    here: Node | None = node
    while here is not None and here.type in {"qualified_identifier", "nested_namespace_specifier"}:
        first = here.child_by_field_name("scope") or here.named_children[0]
        last = here.child_by_field_name("name") or here.named_children[-1]
        if last != first:
            parts.append(_last_part(first))
        here = last
    if here is not None:
        parts.append(_last_part(here))
    return ".".join(part for part in parts if part)


def _last_part(node: Node) -> str:
    if node.type in _NAMED_WITH_ARGUMENTS:
        return field_text(node, "name")
    if node.type == "operator_cast":
        return f"operator {field_text(node, 'type')}"
    return "".join(text_of(node).split())


def _cast_declarator(node: Node) -> Node | None:
    """Find `operator T()`, which has no function declarator."""
    here = node.child_by_field_name("declarator")
    while here is not None and here.type != "operator_cast":
        here = here.child_by_field_name("declarator") or here.child_by_field_name("name")
    return here


def _function_name(node: Node) -> str:
    """Name a function as declared, and a lambda by its variable."""
    if node.type == "lambda_expression":
        outer = node.parent
        is_variable = outer is not None and outer.type == "init_declarator"
        return field_text(outer, "declarator") if outer and is_variable else "(anonymous)"
    if _cast_declarator(node) is not None:
        declared = node.child_by_field_name("declarator")
        return "" if declared is None else _plain(declared)
    name = declared_name(node)
    return "" if name is None else _plain(name)


def _count_parameters(node: Node) -> int:
    if node.type != "lambda_expression":
        return count_parameters(node)
    declarator = node.child_by_field_name("declarator")
    listed = None if declarator is None else declarator.child_by_field_name("parameters")
    return 0 if listed is None else sum(1 for it in listed.named_children if not it.is_extra)


def _type_name(node: Node) -> str:
    """Name a type without template arguments, and a namespace with the outer ones."""
    own = node.child_by_field_name("name")
    return type_name(node) if own is None else _plain(own)


def _bases(node: Node) -> tuple[str, ...]:
    clause = next((it for it in node.children if it.type == "base_class_clause"), None)
    if clause is None:
        return ()
    return tuple(_plain(it) for it in clause.named_children if it.type in _BASES)


def _outermost(node: Node) -> Node:
    """Return a definition with its `template <…>`."""
    while node.parent is not None and node.parent.type == "template_declaration":
        node = node.parent
    return node


def _is_public(node: Node, _name: str) -> bool:
    """Private: static functions, anonymous namespaces, and members that are not `public`."""
    outer = _outermost(node)
    place = outer.parent
    if place is not None and place.type == "field_declaration_list":
        return _access(place, outer) == "public"
    return node.type != "lambda_expression" and not is_static(node) and not _is_hidden(place)


def _access(members: Node, member: Node) -> str:
    found = "private" if members.parent and members.parent.type == "class_specifier" else "public"
    for child in members.children:
        if child.id == member.id:
            break
        if child.type == "access_specifier":
            found = text_of(child)
    return found


def _is_hidden(place: Node | None) -> bool:
    for _ in range(_MAX_OUTER):
        if place is None:
            break
        if place.type == "namespace_definition" and place.child_by_field_name("name") is None:
            return True
        place = place.parent
    return False


def _first_line(node: Node) -> int:
    return _outermost(node).start_point[0] + 1


def _read_decorators(node: Node) -> tuple[str, ...]:
    """Read `[[nodiscard]]`."""
    return tuple(
        text_of(attribute.child_by_field_name("name"))
        for attribute in _attributes(node)
        if attribute.type == "attribute"
    )


def _attributes(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "attribute_declaration":
            yield from child.named_children


# C++20 modules; C++23: `this` as a parameter, `if consteval`, lambdas without parentheses; C++26:
# pack indexing, `template for`, packs of bindings, `^^`, contracts.
_NEW_SYNTAX: tuple[Rule, ...] = (
    # C++26: `[:a:]` becomes `a`, and `.a{1}` in braces `a{1}`.
    (re.compile(rb"(\[:)(?=\s{0,9}[\w^])"), b""),
    (re.compile(rb"(?<=[\w\s)])(:\])"), b""),
    (re.compile(rb"(?<=[{,])\s{0,9}(\.)(?=\w{1,80}+\{)"), b""),
    (
        re.compile(
            rb"^[ \t]{0,80}((?:export[ \t]{1,9})?module\b[^\n;(){}=]{0,200}+;)", re.MULTILINE
        ),
        b"",
    ),
    (re.compile(rb"^[ \t]{0,80}(export)(?=\s{1,9}[\w{])", re.MULTILINE), b""),
    (re.compile(rb"\(\s{0,9}(this)(?=\s{1,9}[\w:])"), b""),
    (re.compile(rb"\bif\s{1,9}(consteval)(?=\s{0,80}\{)"), b"(constev)"),
    (re.compile(rb"\bif\s{1,9}(!\s{0,9}consteval)(?=\s{0,80}\{)"), b"(!const)"),
    (re.compile(rb"(?<=\w)(\.\.\.\[[^\[\]\n]{1,80}+\])"), b""),
    (re.compile(rb"(\btemplate)(?=\s{1,9}for\b)"), b""),
    (re.compile(rb"\bauto[&\s]{0,9}\[[^\[\]\n]{0,80}?(\.\.\.)"), b""),
    (re.compile(rb"(\^\^)(?=[\w:])"), b""),
    (
        re.compile(
            rb"(?<=[)\s])((?:pre|post)\s{0,9}\([^(){};]{1,200}+\))(?=\s{0,80}(?:pre\b|post\b|[;{]))"
        ),
        b"",
    ),
    (
        re.compile(
            rb"\]\s{0,9}((?:mutable|noexcept|constexpr)\s{1,9}(?:noexcept\b)?)(?=\s{0,9}\{)"
        ),
        b"",
    ),
)

LANGUAGE = replace(
    C,
    name="cpp",
    family="c",
    grammar="tree_sitter_cpp:language",
    title="C++",
    is_dialect=True,
    aliases=("cpp",),
    has_bare_members=True,
    contexts=(("void f() { ", " }"), ("void f() { ", "; }"), ("class C { ", " }")),
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl"),
    functions=frozenset({"function_definition", "lambda_expression"}),
    closures=frozenset({"lambda_expression"}),
    folds_closures=True,
    types={**C.types, "class_specifier": "class"},
    scopes={"namespace_definition": False},
    types_nest=True,
    weights={**C.weights, "for_range_loop": DECISION, "catch_clause": DECISION},
    logical_operators=frozenset({"&&", "||", "and", "or"}),
    strings=C.strings | {"raw_string_literal"},
    identifiers=C.identifiers | {"namespace_identifier"},
    literals=C.literals | {"this", "auto"},
    has_dotted_methods=True,
    is_header_muted=True,
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=_type_name,
    bases=_bases,
    is_public=_is_public,
    first_line=_first_line,
    read_decorators=_read_decorators,
    prepare=read_cpp_macros,
    new_syntax=_NEW_SYNTAX,
)
