"""Elixir. Almost everything is a call in its grammar: what a call is depends on its name."""

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
    Role,
    Weight,
    child_of,
    field_text,
    text_of,
)

_PUBLIC = frozenset({"def", "defmacro", "defguard", "defdelegate", "defn", "test", "property"})
_PRIVATE = frozenset({"defp", "defmacrop", "defguardp", "defnp"})
_FUNCTIONS = _PUBLIC | _PRIVATE
_HEADED = _FUNCTIONS | {"spec", "callback", "macrocallback"}
_TESTS = frozenset({"test", "property"})
_MODULES = {"defmodule": "module", "defprotocol": "protocol", "defimpl": "implementation"}
_IMPORTS = frozenset({"alias", "import", "require", "use"})
_WEIGHTS = {
    "if": DECISION,
    "unless": DECISION,
    "for": DECISION,
    "with": DECISION,
    "case": STRUCTURE | NESTING,
    "cond": STRUCTURE | NESTING,
    "receive": STRUCTURE | NESTING,
}
_NAMED_ATTRIBUTES = frozenset({"impl", "deprecated"})
_FAILING = frozenset({"rescue_block", "catch_block"})


def _word(call: Node) -> str:
    """Return the name of a call without a module before it."""
    target = call.child_by_field_name("target")
    return text_of(target) if target is not None and target.type == "identifier" else ""


def _given(call: Node) -> list[Node]:
    listed = child_of(call, "arguments")
    return [] if listed is None else listed.named_children


def _role(node: Node) -> Role:
    word = _word(node)
    if word in _MODULES:
        return "type"
    if word in _IMPORTS:
        return "import"
    if word in _WEIGHTS:
        return "weight"
    if word in _FUNCTIONS:
        given = _given(node)
        is_one = bool(given) and (word not in _TESTS or given[0].type == "string")
        return "function" if is_one else "call"
    return "plain" if _is_head(node) or _is_attribute(node) else "call"


def _is_head(call: Node) -> bool:
    """Whether it is the head of a definition or of a `@spec`: `price(lines)` in `def …`."""
    outer = call.parent
    while outer is not None and outer.type == "binary_operator":
        outer = outer.parent
    if outer is None or outer.type != "arguments" or outer.parent is None:
        return False
    first = outer.named_children[0]
    return _word(outer.parent) in _HEADED and first.start_byte == call.start_byte


def _is_attribute(call: Node) -> bool:
    """Whether it is `@name …`, or the head of a `@spec`."""
    outer = call.parent
    return outer is not None and outer.type == "unary_operator" and child_of(outer, "@") is not None


def _head(definition: Node) -> Node | None:
    given = _given(definition)
    head = given[0] if given else None
    is_guarded = head is not None and field_text(head, "operator") == "when"
    return head.child_by_field_name("left") if head is not None and is_guarded else head


def _function_name(node: Node) -> str:
    head = _head(node)
    if head is None:
        return ""
    if head.type == "string":
        return f"{_word(node)} {text_of(child_of(head, 'quoted_content'))}".strip()
    if head.type == "call":
        return _word(head)
    if head.type in {"binary_operator", "unary_operator"}:
        return field_text(head, "operator")
    return text_of(head) if head.type == "identifier" else ""


def _count_parameters(node: Node) -> int:
    head = _head(node)
    if head is None or head.type == "string":
        return 0
    if head.type == "binary_operator":
        return 2
    return sum(1 for it in _given(head) if not it.is_extra)


def _attributes(node: Node) -> Iterator[tuple[str, Node]]:
    """Return the attributes directly before a definition, and their values."""
    before = node.prev_named_sibling
    while before is not None and before.type in {"unary_operator", "comment"}:
        operand = before.child_by_field_name("operand")
        if child_of(before, "@") is not None and operand is not None:
            yield _word(operand) or text_of(operand), operand
        before = before.prev_named_sibling


def _is_documented(body: Node | None) -> bool:
    if body is None or body.parent is None:
        return False
    docs = [value for name, value in _attributes(body.parent) if name == "doc"]
    return any(text_of(child_of(it, "arguments")) != "false" for it in docs)


def _read_decorators(node: Node) -> tuple[str, ...]:
    found = [name for name, _ in _attributes(node) if name in _NAMED_ATTRIBUTES]
    return tuple(reversed(found))


def _type_name(node: Node) -> str:
    """Name a module; an implementation of a protocol by what it is for."""
    given = _given(node)
    name = text_of(given[0]) if given else ""
    target = _keyword(node, "for")
    return f"{name}.{text_of(target)}" if name and target is not None else name


def _keyword(call: Node, name: str) -> Node | None:
    """Return the value of a keyword argument."""
    for listed in _given(call):
        for pair in listed.named_children if listed.type == "keywords" else ():
            if field_text(pair, "key").rstrip(": ") == name:
                return pair.child_by_field_name("value")
    return None


def _bases(node: Node) -> tuple[str, ...]:
    """Return what a module uses, its behaviours, and the protocol that it implements."""
    names = [text_of(_given(node)[0])] if _word(node) == "defimpl" and _given(node) else []
    block = child_of(node, "do_block")
    for statement in () if block is None else block.named_children:
        call: Node | None = statement
        if statement.type == "unary_operator":
            call = statement.child_by_field_name("operand")
        if call is not None and call.type == "call" and _word(call) in {"use", "behaviour"}:
            names += [text_of(it) for it in _given(call)[:1] if it.type == "alias"]
    return tuple(names)


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `alias A.B`, `alias A.{B, C}`, `import A, only: […]`, `require` and `use`."""
    given, line = _given(node), node.start_point[0] + 1
    if not given:
        return ()
    target = given[0]
    if target.type == "dot":
        prefix, listed = field_text(target, "left"), target.child_by_field_name("right")
        inner = [] if listed is None else listed.named_children
        return tuple(Import(f"{prefix}.{text_of(it)}", (), line) for it in inner)
    if target.type != "alias":
        return ()
    bound, only = _keyword(node, "as"), _keyword(node, "only")
    names: tuple[str, ...] = ("*",) if _word(node) == "import" else ()
    if only is not None and only.type == "list":
        pairs = (it for listed in only.named_children for it in listed.named_children)
        names = tuple(field_text(it, "key").rstrip(": ") for it in pairs)
    aliases = () if bound is None or names else (text_of(bound),)
    return (Import(text_of(target), names, line, 0, aliases),)


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the full names of the modules of a file."""
    return tuple(dict.fromkeys(_modules(root)))


def _modules(root: Node) -> Iterator[str]:
    pending = [("", root)]
    while pending:
        prefix, node = pending.pop()
        for child in node.named_children:
            if child.type == "call" and _word(child) in _MODULES:
                name = prefix + _type_name(child)
                yield name
                block = child_of(child, "do_block")
                if block is not None:
                    pending.append((f"{name}.", block))


def _weigh_call(node: Node) -> Weight:
    return _WEIGHTS.get(_word(node), NOTHING)


def _weigh_clause(node: Node) -> Weight:
    """Each clause is a path but the first one, which is there anyway; of a rescue all are."""
    outer = node.parent.type if node.parent is not None else ""
    before = node.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    is_other = before is not None and before.type == "stab_clause"
    return PATH if is_other or outer in _FAILING else NOTHING


def _weigh_else(node: Node) -> Weight:
    holder = node.parent.parent if node.parent is not None else None
    return FLAT if holder is not None and _word(holder) in {"if", "unless"} else NOTHING


LANGUAGE = Language(
    name="elixir",
    grammar="tree_sitter_elixir:language",
    title="Elixir",
    toolchains=("mix",),
    extensions=(".ex", ".exs"),
    interpreters=("elixir",),
    name_scope="project",
    has_bare_members=True,
    roles={"call": _role},
    type_kind=lambda node: _MODULES.get(_word(node), "module"),
    weights={
        "rescue_block": STRUCTURE | NESTING,
        "catch_block": STRUCTURE | NESTING,
        "anonymous_function": NESTING,
    },
    custom={"call": _weigh_call, "stab_clause": _weigh_clause, "else_block": _weigh_else},
    logicals=frozenset({"binary_operator"}),
    logical_operators=frozenset({"&&", "||", "and", "or"}),
    parentheses=frozenset({"block"}),
    strings=frozenset({"string", "charlist", "sigil", "quoted_atom"}),
    interpolation_marks=(b"#{",),
    raw_code=frozenset({"alias"}),
    literals=frozenset(
        {
            *("integer", "float", "char", "boolean", "nil", "atom", "keyword", "quoted_keyword"),
            *("quoted_content", "escape_sequence", "sigil_name", "sigil_modifiers"),
        }
    ),
    function_name=_function_name,
    body_kinds=frozenset({"do_block"}),
    parameters=_count_parameters,
    type_name=_type_name,
    bases=_bases,
    is_public=lambda node, _name: _word(node) not in _PRIVATE,
    is_documented=_is_documented,
    doc_comment=lambda _text: False,
    read_imports=_read_imports,
    read_exports=_read_exports,
    read_decorators=_read_decorators,
)
