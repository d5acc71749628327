"""The variables of Python: what binds a name, and what its type follows from."""

import ast
from dataclasses import dataclass, replace

from benchpin.facts.code import (
    CLOSING,
    MAX_READ_TOKENS,
    OPENING,
    Header,
    Key,
    Skipped,
    Span,
    TokenStream,
    Variable,
    VariableReader,
)

# What an annotation in quotes may consist of; calls and comparisons are no types.
_TYPE_NODES = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Load),
    *(ast.BinOp, ast.BitOr, ast.Constant),
)
_COMPOUND = frozenset(
    {"if", "elif", "else", "for", "while", "with", "try", "except", "finally", "async", "class"}
)
_AUGMENTED = frozenset(
    {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", ">>=", "<<=", "@="}
)
_LAMBDA_ENDS = frozenset({",", ":", "for", "async"})
_IN = frozenset({"in"})
_ITEM_ENDS = frozenset({":", "if", "for", "async"})


def _until(stream: TokenStream, at: int, last: int, ends: frozenset[str]) -> int:
    """Return the position of the first of some tokens outside brackets, or of what closes them."""
    words, depth = stream.words, 0
    last = min(last, at + MAX_READ_TOKENS)
    for here in range(at, last):
        word = words[here]
        if not depth and (word in ends or word in CLOSING):
            return here
        if word in OPENING:
            depth += 1
        elif word in CLOSING:
            depth -= 1
    return last


def _parameters(stream: TokenStream, first: int, last: int) -> list[Variable]:
    """Read `name`, `name: type`, `name=default`, `*name` between parentheses."""
    words = stream.words
    found: list[Variable] = []
    at = first
    while at < last:
        end = _until(stream, at, last, frozenset({","}))
        start = at + (words[at] in {"*", "**"}) if at < end else at
        if start < end and stream.is_name(start):
            variable = Variable(words[start], start)
            if start + 1 < end and words[start + 1] == ":":
                stop = _until(stream, start + 2, end, frozenset({"="}))
                # `*args: T` is a tuple of T, not a T.
                variable.annotation = (start + 2, stop) if start == at else None
            found.append(variable)
        at = end + 1
    return found


@dataclass(slots=True)
class _Statement:
    """The statement that is being read."""

    start: int
    equals: list[int]


# What has its own name as its first argument, which checkers compare.
_NAMED_TWICE = frozenset(
    {"NamedTuple", "NewType", "ParamSpec", "TypeVar", "TypedDict", "namedtuple"}
)


class PythonVariables(VariableReader):
    """Reads the variables of Python."""

    members = frozenset({"."})
    receivers = frozenset({"self", "cls"})
    parents = frozenset({"super"})
    body_sees_members = True
    bare_members = False
    replaces_functions = True

    def binds(self, stream: TokenStream, first: int) -> bool:  # noqa: ARG002 - every function can
        """Every function can be called by its name."""
        return True

    def key(self, stream: TokenStream, at: int) -> Key | None:
        """Only arguments have names: `f(name=1)`; the keys of a dictionary are expressions."""
        words = stream.words
        if words[at + 1 : at + 2] != ["="] or words[at - 1] not in {"(", ","}:
            return None
        opened = stream.enclosing(at)
        return Key("argument") if opened >= 0 and words[opened] == "(" else None

    def exports(self, stream: TokenStream, at: int) -> bool:
        """The literals of `__all__`, and the name in `T = TypeVar("T")`."""
        words, opened = stream.words, stream.enclosing(at)
        if opened == at - 1 and words[opened - 1] in _NAMED_TWICE:
            start = opened - 1
            while words[start - 1] == ".":  # typing.TypeVar
                start -= 2
            return words[start - 1] == "=" and words[start - 2] == words[at][1:-1]
        return opened > 1 and words[opened - 1] in {"=", "+="} and words[opened - 2] == "__all__"

    def quoted_types(self, stream: TokenStream, at: int) -> list[tuple[tuple[str, ...], int]]:
        """Read `"Foo"` and `"list[mod.Foo]"`; the strings of `Literal` and `Annotated` are none."""
        words, word = stream.words, stream.words[at]
        opened = stream.enclosing(at)
        holder = words[opened - 1] if opened > 0 and words[opened] == "[" else ""
        is_metadata = holder == "Annotated" and opened + 1 != at
        if word[0] not in {"'", '"'} or word[:3] == word[0] * 3 or holder == "Literal":
            return []
        try:
            tree = ast.parse(word[1:-1], mode="eval")
        except (SyntaxError, ValueError, RecursionError):
            return []
        if is_metadata or not all(isinstance(it, _TYPE_NODES) for it in ast.walk(tree)):
            return []
        return [
            (parts, 1 + it.end_col_offset)
            for it in ast.walk(tree)
            if isinstance(it, ast.Name | ast.Attribute) and it.end_col_offset is not None
            for parts in [tuple(ast.unparse(it).split("."))]
            if word.isascii() and all(part.isidentifier() for part in parts)
        ]

    def header(self, stream: TokenStream, first: int, last: int) -> Header:
        """Read `def name(parameters) -> result:`."""
        words, at = stream.words, first
        while at < last and words[at] != "(":
            at += 1
        end = stream.closing(at, last)
        parameters = _parameters(stream, at + 1, end)
        result = None
        if end + 1 < last and words[end + 1] == "->":
            stop = _until(stream, end + 2, last, frozenset({":"}))
            result, end = (end + 2, stop), stop - 1
        return Header(parameters, result, min(end + 2, last))

    def fields(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read the assignments of a class body."""
        first, last = span
        body = _until(stream, first, last, frozenset({":"})) + 1
        return self.bound(stream, (body, last), skipped)

    def bound(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read assignments, loops, `with`, `except`, `:=` and the parameters of lambdas."""
        first, last = span
        words, line_starts = stream.words, stream.line_starts
        found: list[Variable] = []
        outer: set[str] = set()
        statement = _Statement(first, [])
        depth, at = 0, first
        while at < last:
            if not depth and at in line_starts and at > statement.start:
                _finish(stream, statement, at, found)
                statement = _Statement(at, [])
            if at in skipped:
                at = skipped[at]
                statement = _Statement(at, [])
                depth = 0
                continue
            word = words[at]
            if word in OPENING:
                depth += 1
            elif word in CLOSING:
                depth -= 1
            elif word == "=" and not depth:
                statement.equals.append(at)
            elif word in _BINDING:
                at = _bind(stream, at, last, found, is_enclosed=depth > 0)
            elif word in {"global", "nonlocal"}:
                outer.update(_names(stream, at + 1, last))
            elif word in _AUGMENTED and not depth:
                found += _targets(stream, statement.start, at)
            at += 1
        _finish(stream, statement, last, found)
        return [it for it in found if it.receiver or it.name not in outer]


_BINDING = frozenset({"for", "as", ":=", "lambda"})


def _names(stream: TokenStream, at: int, last: int) -> list[str]:
    end = at
    while end < last and (stream.is_name(end) or stream.words[end] == ","):
        if end > at and end in stream.line_starts:
            break
        end += 1
    return [it for it in stream.words[at:end] if it != ","]


def _bind(
    stream: TokenStream, at: int, last: int, found: list[Variable], *, is_enclosed: bool
) -> int:
    """Read what a keyword binds; return the last position that was read."""
    words, word = stream.words, stream.words[at]
    if word == "for":
        end = _until(stream, at + 1, last, _IN)
        items = (end + 1, _until(stream, end + 1, last, _ITEM_ENDS))
        targets = _targets(stream, at + 1, end)
        bound, items = _iterated(stream, targets, items)
        if bound is not None:
            bound.value, bound.is_item = items, True
        found += _of_comprehension(stream, at, targets) if is_enclosed else targets
        return end
    if word == "lambda":
        end = _until(stream, at + 1, last, frozenset({":"}))
        stop = _until(stream, end + 1, last, _LAMBDA_ENDS)
        lines = (it for it in range(end + 1, stop) if it in stream.line_starts)
        stop = stop if is_enclosed else next(lines, stop)
        for parameter in _parameters(stream, at + 1, end):
            parameter.visible = (end, stop)
            found.append(parameter)
        return end
    if word == ":=" and at and stream.is_name(at - 1):
        value = (at + 1, _until(stream, at + 1, last, frozenset({",", "if", "for", ":"})))
        found.append(Variable(words[at - 1], at - 1, value=value))
    elif word == "as" and at + 1 < last:
        targets = _targets(stream, at + 1, _until(stream, at + 1, last, frozenset({",", ":"})))
        if len(targets) == 1:
            # Only the end of the expression is known; the start is found from there.
            targets[0].value, targets[0].is_entered = (-1, at), True
        found += targets
    return at


# Functions whose result has the items of their first argument.
_SAME_ITEMS = frozenset({"iter", "list", "reversed", "sorted", "tuple", "set", "frozenset"})


def _iterated(
    stream: TokenStream, targets: list[Variable], items: Span
) -> tuple[Variable | None, Span]:
    """Return which target of a loop has the items of what is iterated over, and what that is.

    The last one of `for at, item in enumerate(items)` and `for key, value in items.items()`.
    """
    words, (first, last) = stream.words, items
    is_whole = last - first > 2 and words[first + 1] == "("  # noqa: PLR2004 - a name and parentheses
    is_whole = is_whole and stream.closing(first + 1, last) == last - 1
    if is_whole and (words[first] == "enumerate" or words[first] in _SAME_ITEMS):
        inside = first + 2, _until(stream, first + 2, last - 1, frozenset({",", "for"}))
        if words[inside[1]] == "for":
            return None, items
        is_numbered = words[first] == "enumerate"
        if len(targets) == 1 + is_numbered:
            return targets[-1], inside
        return None, items
    is_pairs = words[last - 4 : last] == [".", "items", "(", ")"]
    return (targets[-1] if len(targets) == 1 + is_pairs else None), items


def _of_comprehension(stream: TokenStream, at: int, targets: list[Variable]) -> list[Variable]:
    """Have variables visible between the brackets, but for the first iterable.

    That is evaluated outside: `[x for x in x]` is a list of the items of another `x`.
    """
    opened = stream.enclosing(at)
    end = stream.closing(opened, len(stream))
    inside = _until(stream, _until(stream, opened + 1, at, frozenset({"for"})), end, _IN)
    parts = ((opened, inside), (_until(stream, inside + 1, end, _ITEM_ENDS), end))
    return [replace(it, visible=part) for part in parts for it in targets]


def _finish(stream: TokenStream, statement: _Statement, end: int, found: list[Variable]) -> None:
    """Read the assignments of a statement that ends before a position."""
    start, words = statement.start, stream.words
    if start >= end:
        return
    if words[start] in _COMPOUND:  # `if x: y = 1`
        last_colon = max(
            (at for at in range(start, end) if words[at] == ":" and at + 1 < end), default=-1
        )
        if last_colon < 0 or not statement.equals:
            return
        start = last_colon + 1
    if not statement.equals:
        variable = _single(stream, start, end)
        if variable is not None and variable.annotation is not None:
            found.append(variable)
        return
    value = (statement.equals[-1] + 1, end)
    for stop in statement.equals:
        single = _single(stream, start, stop)
        if single is not None:
            single.value = value
            found.append(single)
        else:
            found += _targets(stream, start, stop)
        start = stop + 1


def _single(stream: TokenStream, start: int, end: int) -> Variable | None:
    """Read one target: `name`, `self.name`, either with `: type`."""
    words = stream.words
    at, receiver = start, ""
    if end - start > 2 and words[start + 1] == "." and stream.is_name(start):  # noqa: PLR2004 - a receiver, a dot and a name
        receiver, at = words[start], start + 2
    if at >= end or not stream.is_name(at):
        return None
    if at + 1 == end:
        return Variable(words[at], at, receiver=receiver)
    if words[at + 1] != ":":
        return None
    return Variable(words[at], at, annotation=(at + 2, end), receiver=receiver)


def _targets(stream: TokenStream, start: int, end: int) -> list[Variable]:
    """Read the names of a list of targets; items and deeper members are not names."""
    words = stream.words
    found = []
    depth = 0
    for at in range(start, end):
        word = words[at]
        if word == "[" and at > start and (stream.is_name(at - 1) or words[at - 1] in CLOSING):
            depth += 1
        elif depth:
            depth += (word == "[") - (word == "]")
        elif stream.is_name(at):
            before = words[at - 1] if at > start else ""
            after = words[at + 1] if at + 1 < end else ""
            if after not in {".", "[", "("}:
                is_plain_member = before == "." and at - 2 >= start and stream.is_name(at - 2)
                is_deep = is_plain_member and at - 3 >= start and words[at - 3] == "."
                if before != "." or (is_plain_member and not is_deep):
                    receiver = words[at - 2] if before == "." else ""
                    found.append(Variable(words[at], at, receiver=receiver))
    return found


VARIABLES = PythonVariables()
