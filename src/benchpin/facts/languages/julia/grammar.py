"""Julia. Each method of a function is a function; a comprehension counts as in Python."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import (
    DECISION,
    FLAT,
    NESTING,
    NOTHING,
    PATH,
    Language,
    Role,
    Weight,
    child_of,
    text_of,
)
from benchpin.facts.respelling import NAME, Rule

_LOGICAL = frozenset({"&&", "||"})
# What may be around the call in the head of a definition: `f(x)::T where {T}`.
_AROUND = frozenset({"signature", "where_expression", "typed_expression"})
_HEADS = frozenset({"call_expression", "where_expression", "typed_expression"})


def _operator(node: Node) -> str:
    return text_of(child_of(node, "operator")) if node.type == "binary_expression" else ""


def _weigh_operator(node: Node) -> Weight:
    """Each `&&` and `||` is a path; a chain of the same operator adds one."""
    operator = _operator(node)
    if operator not in _LOGICAL:
        return NOTHING
    goes_on = any(_operator(it) == operator for it in node.named_children)
    return PATH if goes_on else PATH | FLAT


def _call(node: Node | None) -> Node | None:
    """Return the call in the head of a definition."""
    while node is not None and node.type in _AROUND:
        node = node.named_children[0] if node.named_children else None
    return node if node is not None and node.type == "call_expression" else None


def _head(definition: Node) -> Node | None:
    first = child_of(definition, "signature") or definition.named_children[0]
    return _call(first)


def _role_of_assignment(node: Node) -> Role:
    """`f(x) = …` defines a function, also with `where` and a type of the result."""
    first = node.named_children[0] if node.named_children else None
    is_head = first is not None and first.type in _HEADS and _call(first) is not None
    return "function" if is_head else "plain"


def _role_of_call(node: Node) -> Role:
    """The call in the head of a definition is none."""
    outer: Node | None = node
    while outer is not None and outer.parent is not None and outer.parent.type in _AROUND:
        if outer.parent.type == "signature":
            return "plain"
        outer = outer.parent
    around = None if outer is None else outer.parent
    if around is None or around.type != "assignment" or around.named_children[0] != outer:
        return "call"
    return "plain"


def _function_name(node: Node) -> str:
    head = _head(node)
    called = None if head is None else head.children[0]
    if called is None:
        return ""
    if called.type == "parenthesized_expression":  # `(c::Cart)(x)` calls a value
        return text_of(called).strip("()").rpartition("::")[2].partition("{")[0]
    return text_of(called).partition("{")[0]


def _count_parameters(node: Node) -> int:
    head = _head(node)
    listed = None if head is None else child_of(head, "argument_list")
    return 0 if listed is None else sum(1 for it in listed.named_children if not it.is_extra)


def _type_name(node: Node) -> str:
    """Name a module or a type; `Cart{T} <: Thing` is `Cart`."""
    name = node.child_by_field_name("name")
    return (
        text_of(name)
        or text_of(child_of(node, "type_head")).split("<:")[0].partition("{")[0].strip()
    )


def _bases(node: Node) -> tuple[str, ...]:
    head = child_of(node, "type_head")
    inner = None if head is None else child_of(head, "binary_expression")
    if inner is None or _operator(inner) != "<:":
        return ()
    return (text_of(inner.named_children[-1]).partition("{")[0],)


def _definition_around(node: Node | None) -> Node | None:
    """Return what a macro such as `@inline` is before, or the definition itself."""
    while (
        node is not None
        and node.parent is not None
        and node.parent.type
        in {
            "macro_argument_list",
            "macrocall_expression",
        }
    ):
        node = node.parent
    return node


def _is_documented(body: Node | None) -> bool:
    outer = _definition_around(None if body is None else body.parent)
    before = None if outer is None else outer.prev_named_sibling
    return before is not None and before.type == "string_literal"


def _read_decorators(node: Node) -> tuple[str, ...]:
    listed = node.parent
    if listed is None or listed.type != "macro_argument_list" or listed.parent is None:
        return ()
    return (text_of(child_of(listed.parent, "macro_identifier")).lstrip("@"),)


def _read_imports(node: Node) -> tuple[Import, ...]:
    line = node.start_point[0] + 1
    if node.type == "call_expression":
        listed = child_of(node, "argument_list")
        given = None if listed is None else child_of(listed, "string_literal")
        path = text_of(given).strip('"')
        return (Import(path, (), line, 1),) if path and "$" not in path else ()
    selected = child_of(node, "selected_import")
    if selected is not None:
        module, *names = selected.named_children
        pairs = [text_of(it).partition(" as ") for it in names]
        real = tuple(one.strip() for one, _, _ in pairs)
        own = tuple(alias.strip() or one.strip() for one, _, alias in pairs)
        return (Import(text_of(module), real, line, 0, own if own != real else ()),)
    # `using A` brings all that A exports, `import A` only its name.
    brought = ("*",) if node.type == "using_statement" else ()
    return tuple(
        Import(text_of(it).partition(" as ")[0], brought, line)
        for it in node.named_children
        if not it.is_extra
    )


def _read_exports(root: Node) -> tuple[str, ...]:
    return tuple(text_of(name) for it in _exporting(root) for name in it.named_children)


def _exporting(root: Node) -> Iterator[Node]:
    for node in root.named_children:
        if node.type == "module_definition":
            yield from _exporting(node)
        elif node.type in {"export_statement", "public_statement"}:
            yield node


# What the grammar does not read: quoted keywords, conditions of indices, names after a bracket.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (
        re.compile(
            rb"(?<![\w)\]:]):(for|function|macro|in|isa|if|else|end|begin|let|while|try|module|struct"
            rb"|quote|return|do|\xe2\x88\x88)(?!\w)"
        ),
        NAME,
    ),
    (re.compile(rb"(?<=[\[:+( ])(begin)(?=[-+:\]])"), NAME),
    (
        re.compile(
            rb"[\[(][^;\n]{0,200}?\w[ ]{0,3}(?:=|\bin\b)[^;\n]{1,200}?(;)(?=[^\n;]{1,200}[\])])"
        ),
        b",",
    ),
    (re.compile(rb"(;)(?=\s{0,80}\))"), b""),
    (re.compile(rb"^[ \t]{1,80}+(const)(?=[ ]\w{1,80}+::)", re.MULTILINE), b""),
    (re.compile(rb"\((;)(?=\w)"), b""),
    (re.compile(rb"(?<=[\w)\]][)\]])([A-Za-z_]\w{0,30}\"[^\"\n]{0,80}+\")"), b""),
    (re.compile(rb"(?<=[\w/]\")([imsx]{1,4})(?=[\s,)=\]])"), b""),
    (re.compile(rb"(?<=\w)(,)(?=[ ]{1,3}=[ ])"), b""),
    (re.compile(rb"(\([-+*/\\|]\))(?=[ ]{0,3}=)"), NAME),
    (re.compile(rb"\bimport[ ]{1,9}\.{1,3}(@)"), b""),
    (re.compile(rb"(?<=[\w)\]][)\]])([A-Za-z_]\w{0,30}+)(?=[\s,)\]])"), b""),
)

LANGUAGE = Language(
    name="julia",
    grammar="tree_sitter_julia:language",
    title="Julia",
    extensions=(".jl",),
    interpreters=("julia",),
    toolchains=("julia",),
    name_scope="project",
    unit="project",
    roles={"assignment": _role_of_assignment, "call_expression": _role_of_call},
    functions=frozenset({"function_definition", "macro_definition"}),
    headers=frozenset({"signature", *_HEADS}),
    types={
        "struct_definition": "struct",
        "abstract_definition": "abstract type",
        "primitive_definition": "primitive type",
    },
    scopes={"module_definition": False},
    weights={
        "if_statement": DECISION,
        "elseif_clause": PATH | FLAT,
        "else_clause": FLAT,
        "for_statement": DECISION,
        "while_statement": DECISION,
        "catch_clause": DECISION,
        "ternary_expression": DECISION,
        "for_clause": PATH,
        "if_clause": PATH,
        "do_clause": NESTING,
        "arrow_function_expression": NESTING,
    },
    custom={"binary_expression": _weigh_operator},
    calls=frozenset({"call_expression", "broadcast_call_expression"}),
    imports=frozenset({"import_statement", "using_statement"}),
    importing_callees=frozenset({b"include"}),
    comments=frozenset({"line_comment", "block_comment"}),
    strings=frozenset({"string_literal", "prefixed_string_literal"}),
    interpolation_marks=(b"$",),
    identifiers=frozenset({"identifier"}),
    literals=frozenset(
        {
            "integer_literal",
            "float_literal",
            "boolean_literal",
            "character_literal",
            "command_literal",
            "quote_expression_symbol",
            "content",
        }
    ),
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=_type_name,
    bases=_bases,
    is_public=lambda _node, name: not name.startswith("_"),
    is_documented=_is_documented,
    doc_comment=lambda _text: False,
    read_imports=_read_imports,
    read_exports=_read_exports,
    read_decorators=_read_decorators,
    new_syntax=_NEW_SYNTAX,
)
