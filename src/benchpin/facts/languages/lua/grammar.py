"""Lua. Cyclomatic complexity counts what lizard counts."""

from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import DECISION, FLAT, PATH, Language, child_of, field_text, text_of

_FILES = frozenset({b"dofile", b"loadfile"})
_PROTECTED = frozenset({b"pcall", b"xpcall"})
_INDEXED = frozenset({"dot_index_expression", "method_index_expression"})


def _function_name(node: Node) -> str:
    """Name a function by itself, or by what it is assigned to."""
    own = node.child_by_field_name("name")
    if own is None:
        own = _assigned(node)
    return "(anonymous)" if own is None else text_of(own).replace(":", ".").strip("'\"")


def _assigned(node: Node) -> Node | None:
    """Return the variable, or the key of a table, that gets a function."""
    outer = node.parent
    if outer is not None and outer.type == "field":
        return outer.child_by_field_name("name")
    if outer is None or outer.type != "expression_list" or outer.parent is None:
        return None
    targets = outer.prev_named_sibling
    if outer.parent.type != "assignment_statement" or targets is None:
        return None
    at = outer.named_children.index(node)
    return targets.named_children[at] if at < targets.named_child_count else None


def _is_public(node: Node, name: str) -> bool:
    """Whether it is a global or a member of a table; a leading underscore hides a member."""
    if name.startswith("_") and not name.startswith("__"):
        return False
    outer = node
    while outer.parent is not None and outer.parent.type in {
        "expression_list",
        "assignment_statement",
        "variable_declaration",
    }:
        outer = outer.parent
    return outer.type != "variable_declaration" and child_of(node, "local") is None


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `require "a.b"`, `pcall(require, "a.b")` and `dofile("a.lua")`."""
    listed = node.child_by_field_name("arguments")
    given = [] if listed is None else listed.named_children
    callee = node.child_by_field_name("name")
    if callee is not None and callee.text in _PROTECTED:
        if not given or given[0].text != b"require":
            return ()
        given = given[1:]
    if not given or given[0].type != "string":
        return ()
    module = text_of(given[0].child_by_field_name("content"))
    is_path = callee is not None and callee.text in _FILES
    alias = _bound_by(node)
    return (Import(module, (), node.start_point[0] + 1, int(is_path), alias),) if module else ()


def _bound_by(call: Node) -> tuple[str, ...]:
    """Return the name in `local name = require "a.b"`."""
    target = _assigned(call)
    return (text_of(target),) if target is not None and target.type == "identifier" else ()


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the members of the table that a module returns."""
    last = next((it for it in reversed(root.named_children) if not it.is_extra), None)
    returned = child_of(last, "expression_list") if last is not None else None
    if last is None or last.type != "return_statement" or returned is None:
        return ()
    value = returned.named_children[0]
    if value.type == "table_constructor":
        fields = (it.child_by_field_name("name") for it in value.named_children)
        return tuple(text_of(it) for it in fields if it is not None and it.type == "identifier")
    return tuple(dict.fromkeys(_members(root, value.text)))


def _members(root: Node, table: bytes | None) -> Iterator[str]:
    for statement in root.named_children:
        targets = child_of(statement, "variable_list")
        named = [] if targets is None else targets.named_children
        if statement.type == "function_declaration":
            named = [it for it in statement.named_children if it.type in _INDEXED]
        for target in named:
            owner = target.child_by_field_name("table")
            if owner is not None and owner.text == table:
                yield field_text(target, "field") or field_text(target, "method")


LANGUAGE = Language(
    name="lua",
    grammar="tree_sitter_lua:language",
    title="Lua",
    toolchains=("luarocks",),
    extensions=(".lua", ".rockspec"),
    filenames=(".busted", ".luacheckrc"),
    interpreters=("lua", "luajit", "texlua"),
    name_scope="project",
    functions=frozenset({"function_declaration", "function_definition"}),
    weights={
        "if_statement": DECISION,
        "elseif_statement": PATH | FLAT,
        "else_statement": FLAT,
        "for_statement": DECISION,
        "while_statement": DECISION,
        "repeat_statement": DECISION,
        "goto_statement": FLAT,
    },
    logicals=frozenset({"binary_expression"}),
    logical_operators=frozenset({"and", "or"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"function_call"}),
    importing_callees=frozenset({b"require", *_FILES, *_PROTECTED}),
    strings=frozenset({"string"}),
    literals=frozenset({"number", "nil", "true", "false", "string_content", "vararg_expression"}),
    qualified=frozenset({"dot_index_expression", "method_index_expression"}),
    function_name=_function_name,
    has_dotted_methods=True,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith("---"),
    has_plain_docs=True,
    read_imports=_read_imports,
    runs_imports=True,
    read_exports=_read_exports,
)
