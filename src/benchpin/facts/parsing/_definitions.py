"""How the walk handles functions, types and other named scopes."""

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from tree_sitter import Node

from benchpin.facts import CUT, FunctionKind, Type

from ._links import add_imports

if TYPE_CHECKING:
    from ._walker import Walker

_MAX_SCOPE = 100  # deeper nesting is generated; qualified names would grow quadratically
_CUT = CUT.encode()


class TypeFrame(msgspec.Struct, eq=False):
    """A type, with what is known only after the walk has left it."""

    found: Type
    first_line: int
    """The line on which it starts, attributes included."""
    first_token: int
    last_token: int = 0


class Frame(msgspec.Struct, eq=False):
    """A function, or the file itself, during the walk and after it.

    The body is the only node that it refers to, and only until the walk has left it: a node keeps
    all visited nodes below it alive.
    """

    name: str = ""
    kind: FunctionKind = "function"
    body: Node | None = None
    start_byte: int = 0
    line: int = 0
    end_line: int = 0
    first_line: int = 0
    """The line on which it starts, attributes included."""
    parameters: int = 0
    signature: bytes = b""
    is_public: bool = True
    is_documented: bool = False
    decorators: tuple[str, ...] = ()
    outer_nesting: int = 0
    outer_muted: int = 0
    base_nesting: int = 0
    first_token: int = 0
    last_token: int = 0
    cyclomatic: int = 1
    cognitive: int = 0
    nesting: int = 0
    calls: set[bytes] = set()


def enter_function(walker: "Walker", node: Node) -> None:
    """Open a frame for a function."""
    language, children = walker.language, node.children
    body = node.child_by_field_name(language.function_body)
    if body is None and language.body_kinds:
        body = next((it for it in children if it.type in language.body_kinds), None)
    header = node
    if body is None and language.headers:
        # The walk goes backwards: what is next on the stack is the sibling before the body.
        kinds = walker.grammar.header_kinds
        own = next((at for at, it in enumerate(children) if it.kind_id in kinds), -1)
        if walker.stack and walker.stack[-1].kind_id in kinds and own < 0:
            body, header = node, walker.stack[-1]
        elif 0 <= own < len(children) - 1:
            body = children[own + 1]
        else:
            body = node
    is_declared = body is None and language.needs_body
    name = "" if is_declared or _is_too_deep(walker) else language.function_name(header)
    if not name:
        walker.stack.extend(children)
        return
    if header is not node:
        children = [walker.stack.pop(), *children]
    frame = _framed(walker, header, body, name, last_line(node))
    if walker.open and frame.kind != "method" and not language.is_wrapped(node, walker.frame.body):
        walker.nesting += 1
    frame.base_nesting = walker.nesting
    walker.open.append(frame)
    walker.frame = frame
    walker.scope.append((frame.name, False))
    walker.muted = 0
    if body is None or not language.is_header_muted:
        walker.enter(children, _leave_function)
        return
    at = children.index(body)
    walker.enter(children[:at], _leave_function)
    walker.before(mute)
    walker.stack.append(body)
    walker.stack.extend(children[at + 1 :])


def _framed(walker: "Walker", node: Node, body: Node | None, name: str, end_line: int) -> Frame:
    language = walker.language
    line = node.start_point[0] + 1
    start, end = node.start_byte, _header_end(node, body)
    return Frame(
        walker.qualified(name),
        _kind(walker, node, name),
        body,
        start,
        line,
        end_line,
        line if language.first_line is None else language.first_line(node),
        language.parameters(node),
        _signature(walker, start, end),
        language.is_public(node, name.rpartition(".")[2]),
        language.is_documented is not None and language.is_documented(body),
        _decorators(walker, node),
        walker.nesting,
        walker.muted,
        first_token=len(walker.tokens),
    )


def _signature(walker: "Walker", start: int, end: int) -> bytes:
    """Return a whole signature; what exceeds the budget of the file is cut, and marked."""
    text = walker.source[start : min(end, start + walker.signature_bytes_left)]
    walker.signature_bytes_left -= len(text)
    return text if len(text) == end - start else text + _CUT


def _kind(walker: "Walker", node: Node, name: str) -> FunctionKind:
    if node.kind_id in walker.grammar.closure_kinds:
        return "closure"
    is_in_type = bool(walker.scope) and walker.scope[-1][1]
    is_method = is_in_type or (walker.language.has_dotted_methods and "." in name)
    return "method" if is_method else "function"


def _header_end(node: Node, body: Node | None) -> int:
    """Return the end of the signature: that of the last token before the body."""
    if body is None or node.end_byte <= body.start_byte:
        return node.end_byte
    start = body.start_byte
    for child in reversed(node.children):
        if child.start_byte < start and not child.is_extra:
            return child.end_byte
    return start


def _is_too_deep(walker: "Walker") -> bool:
    """Whether more definitions are open than a person would write."""
    return len(walker.scope) > _MAX_SCOPE


def _decorators(walker: "Walker", node: Node) -> tuple[str, ...]:
    if walker.language.decorated:
        return walker.decorators_of.pop(node.id, ())
    return walker.language.read_decorators(node)


def mute(walker: "Walker") -> None:
    """Stop counting for cyclomatic complexity."""
    walker.muted += 1


def _leave_function(walker: "Walker") -> None:
    frame = walker.open.pop()
    frame.body = None
    frame.last_token = len(walker.tokens)
    walker.functions.append(frame)
    walker.scope.pop()
    walker.frame = walker.open[-1] if walker.open else walker.file
    walker.nesting, walker.muted = frame.outer_nesting, frame.outer_muted
    is_folded = frame.kind == "closure" and not walker.muted and walker.language.folds_closures
    if walker.open and is_folded:
        walker.frame.cyclomatic += frame.cyclomatic - 1


def enter_named_type(walker: "Walker", node: Node) -> None:
    """Add a type, and visit its content."""
    language = walker.language
    body = node.child_by_field_name("body")
    is_declared = body is None and language.needs_body
    name = "" if is_declared or _is_too_deep(walker) else language.type_name(node)
    if not name:
        walker.stack.extend(node.children)
        return
    kind, is_documented = language.type_kind, language.is_documented
    found = Type(
        name=walker.qualified(name),
        kind=language.types[node.type] if kind is None else kind(node),
        line=node.start_point[0] + 1,
        end_line=last_line(node),
        bases=language.bases(node),
        is_public=language.is_public(node, name),
        is_documented=is_documented is not None and is_documented(body),
        decorators=_decorators(walker, node),
    )
    first_line = found.line if language.first_line is None else language.first_line(node)
    frame = TypeFrame(found, first_line, len(walker.tokens))
    walker.types.append(frame)
    _enter_type(walker, node, name, frame)


def _enter_type(walker: "Walker", node: Node, name: str, frame: TypeFrame | None = None) -> None:
    walker.scope.append((walker.qualified(name), True))
    # Its own code is not a path of the function around it.
    walker.muted += 1
    bases = [outer.base_nesting for outer in walker.open]
    leave = partial(_leave_type, frame=frame, nesting=walker.nesting, bases=bases)
    if walker.language.types_nest:
        walker.nesting += bool(walker.open)
    else:
        for outer in walker.open:
            outer.base_nesting = walker.nesting
    walker.enter(node.children, leave)


def _leave_type(walker: "Walker", frame: TypeFrame | None, nesting: int, bases: list[int]) -> None:
    if frame is not None:
        frame.last_token = len(walker.tokens)
    walker.muted -= 1
    walker.scope.pop()
    walker.nesting = nesting
    for outer, base in zip(walker.open, bases, strict=True):
        outer.base_nesting = base


def enter_scope(walker: "Walker", node: Node) -> None:
    """Visit the content of a scope that only qualifies names."""
    language = walker.language
    if node.kind_id in walker.grammar.import_kinds and add_imports(walker, node):
        return
    name = language.type_name(node)
    if language.scopes[node.type]:
        _enter_type(walker, node, name)
    else:
        walker.scope.append((walker.qualified(name), False))
        walker.enter(node.children, _leave_scope)


def _leave_scope(walker: "Walker") -> None:
    walker.scope.pop()


def last_line(node: Node) -> int:
    """Return the last line of a node; one that ends at column 0 does not include that line."""
    row, column = node.end_point
    return row + (column > 0)
