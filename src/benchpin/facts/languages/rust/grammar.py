"""Rust. Cyclomatic complexity counts what lizard counts: `?` and every arm of a match but one."""

import re
from collections.abc import Iterator
from itertools import islice

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
    Masked,
    Weight,
    field_text,
    text_of,
)
from benchpin.facts.respelling import Rule

_WRAPPING_TYPES = frozenset({"reference_type", "generic_type", "pointer_type"})
# How many levels to go up: tree-sitter finds each parent by a search from the root.
_MAX_OUTER = 16
_MACRO_OF_ITEMS = re.compile(
    rb"^([ \t]*)(\w+![ \t]*\{)[ \t]*\r?\n"
    rb"(?=\s*(?:#!?\[|///|(?:pub|fn|impl|use|mod|struct|enum|trait|type|async|unsafe|const|static)\b))",
    re.MULTILINE,
)
_TEST_ATTRIBUTE = re.compile(
    rb"#\[\s*(?:cfg\(\s*(?:test\s*\)|all\((?:(?!any\(|not\().)*?\btest\b)|(?:\w+::)*test\b)",
    re.DOTALL,
)

_PATH_ATTRIBUTE = re.compile(rb'#\[\s*path\s*=\s*"([^"\\]+\.rs)"\s*\]')
_ITEMS = frozenset({"mod_item", "function_item", "impl_item"})
# How many macros to blank out: each is one more search through the rest of the file.
_MAX_MACROS = 200
# Above it, the traits of a type are not looked for: time would grow with the square.
_MAX_ITEMS = 1_000


def _unwrap(source: bytes) -> Masked:
    """Blank out macros around whole items, such as `cfg_test! { fn a() {} }`."""
    hidden: list[tuple[int, int]] = []
    for found in islice(_MACRO_OF_ITEMS.finditer(source), _MAX_MACROS):
        closing = re.compile(rb"^%b(\})" % found[1], re.MULTILINE).search(source, found.end())
        if closing is not None:
            hidden += [found.span(2), closing.span(1)]
    unwrapped = bytearray(source)
    for start, end in hidden:
        unwrapped[start:end] = b" " * (end - start)
    return bytes(unwrapped), sorted(hidden)


def _weigh_arm(node: Node) -> Weight:
    """Each arm but the first is a path: a match always takes one of them."""
    block = node.parent
    if block is None:
        return NOTHING
    at = 0
    first = block.named_child(at)
    while first is not None and first.is_extra:
        at += 1
        first = block.named_child(at)
    return NOTHING if first == node else PATH


def _weigh_jump(node: Node) -> Weight:
    """A jump to a label adds one; a plain one nothing."""
    return FLAT if any(child.type == "label" for child in node.named_children) else NOTHING


def _function_name(node: Node) -> str:
    """Name a function by itself, a closure by its variable."""
    if node.type != "closure_expression":
        return field_text(node, "name")
    outer = node.parent
    if outer is None or outer.type not in {"let_declaration", "const_item", "static_item"}:
        return "(anonymous)"
    return field_text(outer, "pattern") or field_text(outer, "name")


def _callee(node: Node) -> Node:
    """Return the called function without type arguments."""
    callee = node.children[0]
    return callee.children[0] if callee.type == "generic_function" else callee


def _plain_type(node: Node | None) -> str:
    """Return the name of a type without reference and type arguments."""
    while node is not None and node.type in _WRAPPING_TYPES:
        node = node.child_by_field_name("type")
    return text_of(node)


def _type_name(node: Node) -> str:
    """Name a type; an associated type in an `impl` is left out."""
    if node.type == "impl_item":
        return _plain_type(node.child_by_field_name("type"))
    is_associated = node.type == "type_item" and _is_inside(node, "impl_item")
    return "" if is_associated else field_text(node, "name")


def _is_inside(node: Node, kind: str) -> bool:
    place = node.parent.parent if node.parent is not None else None
    return place is not None and place.type == kind


def _bases(node: Node) -> tuple[str, ...]:
    """Return the supertraits of a trait, or the traits that its module implements for a type."""
    bounds = node.child_by_field_name("bounds")
    if bounds is not None:
        return tuple(_plain_type(it) for it in bounds.named_children if it.type != "lifetime")
    module = node.parent
    if module is None or node.type == "trait_item" or module.child_count > _MAX_ITEMS:
        return ()
    name = field_text(node, "name")
    traits = (
        _plain_type(it.child_by_field_name("trait"))
        for it in module.named_children
        if it.type == "impl_item" and _plain_type(it.child_by_field_name("type")) == name
    )
    return tuple(dict.fromkeys(trait for trait in traits if trait))


def _is_public(node: Node, _name: str) -> bool:
    """Public: `pub` but not `pub(crate)`, and the functions of traits."""
    if any(it.type == "visibility_modifier" and it.text == b"pub" for it in node.children):
        return True
    place = node.parent.parent if node.parent is not None else None
    if place is None or node.type != "function_item":
        return False
    return place.type == "trait_item" or place.child_by_field_name("trait") is not None


def _attributes(node: Node) -> Iterator[Node]:
    before = node.prev_sibling
    while before is not None and (before.type == "attribute_item" or before.is_extra):
        if before.type == "attribute_item":
            yield before
        before = before.prev_sibling


def _first_line(node: Node) -> int:
    for attribute in _attributes(node):
        node = attribute
    return node.start_point[0] + 1


def _read_decorators(node: Node) -> tuple[str, ...]:
    texts = [text_of(it).strip("#[]").partition("(")[0].strip() for it in _attributes(node)]
    return tuple(reversed(texts))


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `use`, `extern crate` and `mod name;`; a module with a body imports nothing."""
    line = node.start_point[0] + 1
    if node.type == "mod_item" and node.child_by_field_name("body") is not None:
        return ()
    around, is_test = _surroundings(node)
    kind: DependencyKind = "test" if is_test else "runtime"
    if node.type == "mod_item":
        kind = "test" if is_test else "containment"
        name = field_text(node, "name").removeprefix("r#")
        place = _path_attribute(node) or "::".join(("self", *around))
        return (Import(place, (name,), line, kind=kind),)
    if node.type == "extern_crate_declaration":
        alias = field_text(node, "alias")
        aliases = (alias,) if alias else ()
        return (Import(field_text(node, "name"), (), line, kind=kind, aliases=aliases),)
    found: dict[str, dict[str, str]] = {}
    for path, alias in _paths(node.child_by_field_name("argument")):
        module, _, name = _from_file(path, len(around)).rpartition("::")
        found.setdefault(module, {})[name] = alias or name
    return tuple(
        Import(
            module or next(iter(names)),
            tuple(names) if module else (),
            line,
            kind=kind,
            aliases=tuple(names.values()) if list(names) != list(names.values()) else (),
        )
        for module, names in found.items()
    )


def _paths(argument: Node | None) -> Iterator[tuple[str, str]]:
    """Yield every path of `use a::{b, c::{self, d as e}, f::*}`, with its new name or none."""
    pending = [("", argument)]
    while pending:
        prefix, node = pending.pop()
        if node is None or node.is_extra:
            continue
        if node.type == "use_list":
            pending.extend((prefix, child) for child in reversed(node.named_children))
        elif node.type == "scoped_use_list":
            path = field_text(node, "path")
            pending.append((f"{prefix}{path}::", node.child_by_field_name("list")))
        else:
            alias = field_text(node, "alias") if node.type == "use_as_clause" else ""
            path_node = node.child_by_field_name("path") if alias else node
            text = "".join(text_of(path_node).split())
            is_own = text == "self" and prefix
            path = prefix.removesuffix("::") if is_own else prefix + text
            yield path.replace("r#", ""), alias.replace("r#", "")


def _surroundings(node: Node) -> tuple[list[str], bool]:
    """Return the modules of the file around an item, and whether it is for tests only."""
    names: list[str] = []
    is_test = _is_for_tests(node)
    outer = node.parent
    for _ in range(_MAX_OUTER):
        if outer is None:
            break
        if outer.type == "mod_item":
            names.insert(0, field_text(outer, "name").removeprefix("r#"))
        is_test = is_test or (outer.type in _ITEMS and _is_for_tests(outer))
        outer = outer.parent
    return names, is_test


def _is_for_tests(item: Node) -> bool:
    """Whether an item has `#[cfg(test)]`, `#[test]` or the like before it."""
    return any(_TEST_ATTRIBUTE.match(it.text or b"") for it in _attributes(item))


def _path_attribute(item: Node) -> str:
    """Return the path in `#[path = "…"]`; empty if there is none, or a condition decides."""
    paths = (_PATH_ATTRIBUTE.fullmatch(it.text or b"") for it in _attributes(item))
    return next((it[1].decode(errors="replace") for it in paths if it is not None), "")


def _from_file(path: str, depth: int) -> str:
    """Make a path relative to the file's own module instead of a module inside the file."""
    rest = path
    for _ in range(depth):
        rest = rest.removeprefix("super::")
    return rest if rest == path or rest.startswith("super::") else f"self::{rest}"


# `safe fn` in `unsafe extern` blocks, of Rust 1.82.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb"(?<![\w.])(safe)(?=\s{1,9}(?:fn|static)\b)"), b""),
    (re.compile(rb"(?<=[&+<:(\s])(async)(?=\s{1,9}Fn(?:Mut|Once)?\b)"), b""),
)

LANGUAGE = Language(
    name="rust",
    grammar="tree_sitter_rust:language",
    title="Rust",
    toolchains=("rust",),
    contexts=(("fn f() { ", " }"), ("impl C { ", " }")),
    extensions=(".rs",),
    unit="project",
    interpreters=("rust-script",),
    functions=frozenset({"function_item", "closure_expression"}),
    closures=frozenset({"closure_expression"}),
    folds_closures=True,
    types={
        "struct_item": "struct",
        "enum_item": "enum",
        "union_item": "union",
        "trait_item": "trait",
        "type_item": "type",
    },
    scopes={"impl_item": True, "mod_item": False},
    weights={
        "for_expression": DECISION,
        "while_expression": DECISION,
        "loop_expression": STRUCTURE | NESTING,
        "match_expression": STRUCTURE | NESTING,
        "try_expression": PATH,
    },
    custom={
        "match_arm": _weigh_arm,
        "match_pattern": lambda node: (
            PATH if node.child_by_field_name("condition") is not None else NOTHING
        ),
        "let_declaration": lambda node: (
            PATH | FLAT if node.child_by_field_name("alternative") is not None else NOTHING
        ),
        "break_expression": _weigh_jump,
        "continue_expression": _weigh_jump,
    },
    ifs=frozenset({"if_expression"}),
    elses=frozenset({"else_clause"}),
    logicals=frozenset({"binary_expression", "let_chain"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"call_expression", "macro_invocation"}),
    callee=_callee,
    imports=frozenset({"use_declaration", "extern_crate_declaration", "mod_item"}),
    comments=frozenset({"line_comment", "block_comment"}),
    strings=frozenset({"string_literal", "raw_string_literal", "char_literal"}),
    macros=frozenset({"token_tree"}),
    macro_weights={
        "if": PATH | STRUCTURE,
        "for": PATH | STRUCTURE,
        "while": PATH | STRUCTURE,
        "loop": STRUCTURE,
        "match": STRUCTURE,
        "?": PATH,
    },
    prefix_words=frozenset(
        {b"break", b"else", b"if", b"in", b"match", b"move", b"return", b"while"}
    ),
    identifiers=frozenset(
        {
            "identifier",
            "type_identifier",
            "field_identifier",
            "shorthand_field_identifier",
            "metavariable",
        }
    ),
    literals=frozenset(
        {
            "integer_literal",
            "float_literal",
            "boolean_literal",
            "primitive_type",
            "self",
            "super",
            "crate",
        }
    ),
    function_name=_function_name,
    type_name=_type_name,
    bases=_bases,
    is_public=_is_public,
    first_line=_first_line,
    read_imports=_read_imports,
    read_decorators=_read_decorators,
    unwrap=_unwrap,
    new_syntax=_NEW_SYNTAX,
)
