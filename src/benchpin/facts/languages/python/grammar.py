"""Python. Cyclomatic complexity counts what radon counts."""

import re
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
    Masked,
    Weight,
    child_of,
    field_text,
    text_of,
)
from benchpin.facts.preprocessor import blank
from benchpin.facts.respelling import Rule

# `lazy import a`, and `{**a for a in b}`, which is read as a set.
RULES: tuple[Rule, ...] = (
    (re.compile(rb"^[ \t]*+(lazy)(?=[ \t]+(?:import|from)\b)", re.MULTILINE), b""),
    (re.compile(rb"[\[{(]\s{0,80}+(\*\*)(?=[\w.]{1,80}+\s+for\b)"), b""),
)
_PARAMETERS = re.compile(rb"\b(?:def|class|type)[ \t]+\w{1,200}+[ \t]*+\[")
_MARK = re.compile(rb"""[\[\](){},=]|"[^"\n]{0,200}"|'[^'\n]{0,200}'|\#[^\n]*+""")
_OPENING = frozenset(b"[({")
_CLOSING = frozenset(b"])}")
# Bytes of a list of type parameters; a longer one is none.
_MAX_PARAMETERS = 4_000


def mask(source: bytes) -> Masked:
    """Blank out the defaults of type parameters."""
    defaults = [
        span for found in _PARAMETERS.finditer(source) for span in _defaults(source, found.end())
    ]
    masked = bytearray(source)
    blank(masked, defaults)
    return bytes(masked), defaults


def _defaults(source: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Find the defaults in a list of type parameters: from `=` to the next comma or the end."""
    depth, since = 0, 0
    for found in _MARK.finditer(source, start, start + _MAX_PARAMETERS):
        mark, at = source[found.start()], found.start()
        if depth == 0 and mark in b",]" and since:
            yield since, at
            since = 0
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
            if depth < 0:
                return
        elif mark == ord("=") and depth == 0 and not since:
            since = at


# Conditions of code that is there for type checkers only.
_NEVER_TRUE = frozenset({"TYPE_CHECKING", "MYPY", "False"})
# How many levels to go up: tree-sitter finds each parent by a search from the root.
_MAX_OUTER = 16


def _weigh_else(node: Node) -> Weight:
    """As in radon: the else of an if adds no path; that of a loop or a try does."""
    parent = node.parent
    if parent is None or parent.type == "if_statement":
        return FLAT
    return FLAT | PATH | NESTING if parent.type == "try_statement" else FLAT | PATH


def _weigh_case(node: Node) -> Weight:
    """As in radon: a case is a path, except the first that matches anything, guarded or not."""
    if not _matches_anything(node) or node.parent is None:
        return PATH
    cases = (it for it in node.parent.named_children if it.type == "case_clause")
    first = next((it for it in cases if _matches_anything(it)), node)
    return NOTHING if first == node else PATH


def _matches_anything(case: Node) -> bool:
    """Whether the pattern of a case is only a name, which may be in parentheses."""
    patterns = [it for it in case.children if it.type in {"case_pattern", ","}]
    name = text_of(patterns[0])[:_MAX_NAME] if len(patterns) == 1 else ""
    while name.startswith("("):
        name = name[1:-1].strip()
    return name.isidentifier() and name not in {"None", "True", "False"}


def _weigh_filter(node: Node) -> Weight:
    """An if in a comprehension is a path; the guard of a case is not."""
    parent = node.parent
    is_guard = parent is not None and parent.type == "case_clause"
    return NOTHING if is_guard else PATH


def _is_wrapped(node: Node, outer_body: Node | None) -> bool:
    """A decorator only wraps its inner function: the rest of its body returns a name."""
    if outer_body is None:
        return False
    start, end = node.start_byte, node.end_byte
    others = [it for it in outer_body.named_children if it.start_byte > end or it.end_byte < start]
    return all(
        it.type == "return_statement"
        and it.named_child_count == 1
        and it.named_children[0].type == "identifier"
        for it in others
        if not it.is_extra
    )


def _count_parameters(node: Node) -> int:
    """Count parameters with `self`, without the separators `/` and `*`."""
    listed = child_of(node, "parameters")
    if listed is None:
        return 0
    given = [it for it in listed.children if it.is_named and not it.is_extra]
    return len([it for it in given if it.type not in _SEPARATORS])


def _bases(node: Node) -> tuple[str, ...]:
    listed = node.child_by_field_name("superclasses")
    if listed is None:
        return ()
    return tuple(
        field_text(base, "function") if base.type == "call" else text_of(base)
        for base in listed.named_children
        if base.type in _BASES
    )


def _is_documented(body: Node | None) -> bool:
    if body is None or not body.child_count:
        return False
    first = body.children[0]
    return first.type == "expression_statement" and first.children[0].type in _STRINGS


def _read_imports(node: Node) -> tuple[Import, ...]:
    line, column = node.start_point[0] + 1, node.start_point[1]
    kind = _kind_under(node) if column else "runtime"
    if node.type == "import_statement":
        return tuple(
            Import(_module(name), (), line, 0, _aliases([name]), kind)
            for name in node.named_children
        )
    if node.type == "future_import_statement":
        return ()
    parts = [child for child in node.children if child.is_named and not child.is_extra]
    if not parts:
        return ()
    dots = text_of(parts[0])
    module = dots.lstrip(".")
    names = tuple("*" if part.type == "wildcard_import" else _module(part) for part in parts[1:])
    return (Import(module, names, line, len(dots) - len(module), _aliases(parts[1:]), kind),)


def _kind_under(node: Node) -> DependencyKind:
    """Return the kind of an import by the conditions that it is under.

    In `if TYPE_CHECKING:` it is for types alone; in `if __name__ == "__main__":` it is carried out
    only when somebody runs the file.
    """
    inner, outer = node, node.parent
    for _ in range(_MAX_OUTER):
        if outer is None:
            break
        if outer.type == "if_statement" and outer.child_by_field_name("consequence") == inner:
            condition = field_text(outer, "condition")
            if condition.rpartition(".")[2] in _NEVER_TRUE:
                return "type-only"
            if condition.startswith("__name__"):
                return "lazy"
        inner, outer = outer, outer.parent
    return "runtime"


def _module(node: Node) -> str:
    return field_text(node, "name") if node.type == "aliased_import" else text_of(node)


def _aliases(parts: list[Node]) -> tuple[str, ...]:
    if not any(part.type == "aliased_import" for part in parts):
        return ()
    return tuple(field_text(part, "alias") or text_of(part) for part in parts)


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the strings in `__all__ = [...]` and `__all__ += [...]`."""
    found: list[str] = []
    for statement in root.named_children:
        inner = statement.named_children[0] if statement.named_child_count else statement
        if inner.type in {"assignment", "augmented_assignment"} and text_of(inner).startswith(
            "__all__"
        ):
            listed = inner.child_by_field_name("right")
            items = listed.named_children if listed is not None else ()
            found.extend(text_of(item).strip("'\"") for item in items if item.type == "string")
    return tuple(found)


def _read_decorators(node: Node) -> tuple[str, ...]:
    return tuple(
        text_of(child)[1:].partition("(")[0].strip()
        for child in node.named_children
        if child.type == "decorator"
    )


# Characters of a pattern to look at: a longer one is no name.
_MAX_NAME = 200
# Kinds of bases; of a call such as `namedtuple(…)`, the function is the base.
_BASES = frozenset({"identifier", "attribute", "subscript", "call"})
_STRINGS = frozenset({"string", "concatenated_string"})
_SEPARATORS = frozenset({"positional_separator", "keyword_separator"})

LANGUAGE = Language(
    name="python",
    grammar="tree_sitter_python:language",
    title="Python",
    toolchains=("python-uv",),
    extensions=(".py", ".pyi", ".pyw"),
    filenames=("SConstruct", "SConscript", "wscript"),
    interpreters=("python", "python3", "pypy", "pypy3"),
    functions=frozenset({"function_definition"}),
    types={"class_definition": "class"},
    weights={
        "for_statement": DECISION,
        "while_statement": DECISION,
        "conditional_expression": DECISION,
        "except_clause": DECISION,
        "except_group_clause": DECISION,
        "elif_clause": PATH | FLAT,
        "match_statement": STRUCTURE | NESTING,
        "for_in_clause": PATH,
        "assert_statement": PATH,
    },
    custom={
        "else_clause": _weigh_else,
        "case_clause": _weigh_case,
        "if_clause": _weigh_filter,
    },
    ifs=frozenset({"if_statement"}),
    logicals=frozenset({"boolean_operator"}),
    logical_operators=frozenset({"and", "or"}),
    calls=frozenset({"call"}),
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    strings=frozenset({"string"}),
    interpolation_marks=(b"{",),
    literals=frozenset({"integer", "float", "true", "false", "none", "ellipsis", "string_content"}),
    decorated=frozenset({"decorated_definition"}),
    muted=frozenset({"assert_statement"}),
    is_header_muted=True,
    parameters=_count_parameters,
    bases=_bases,
    is_wrapped=_is_wrapped,
    is_public=lambda _node, name: not name.startswith("_") or name.startswith("__"),
    is_documented=_is_documented,
    doc_comment=lambda _text: False,
    read_imports=_read_imports,
    runs_imports=True,
    read_exports=_read_exports,
    read_decorators=_read_decorators,
    mask=mask,
    new_syntax=RULES,
)
