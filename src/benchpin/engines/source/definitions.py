"""What the walk does at functions, types and other things that have a name."""

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from tree_sitter import Node

from .facts import Type

if TYPE_CHECKING:
    from .walker import Walker

_MAX_SCOPE = 100


@dataclass(slots=True, eq=False)
class Frame:
    """A function, or the file itself, while the walk is inside it and after."""

    node: Node
    body: Node | None
    name: str
    base_nesting: int
    first_token: int
    is_method: bool = False
    is_closure: bool = False
    cyclomatic: int = 1
    cognitive: int = 0
    nesting: int = 0
    last_token: int = 0
    decorators: tuple[str, ...] = ()
    calls: set[bytes] = field(default_factory=set)


def enter_function(walker: "Walker", node: Node) -> None:
    """Open a frame for a function."""
    language = walker.language
    body = node.child_by_field_name(language.function_body)
    if body is None and language.body_kinds:
        body = next((it for it in node.children if it.type in language.body_kinds), None)
    is_declared = body is None and language.needs_body
    name = "" if is_declared or _is_too_deep(walker) else language.function_name(node)
    if not name:
        walker.stack.extend(node.children)
        return
    is_closure = node.kind_id in walker.grammar.closure_kinds
    is_method = not is_closure and (
        (bool(walker.scope) and walker.scope[-1][1])
        or (language.has_dotted_methods and "." in name)
    )
    leave = partial(_leave_function, nesting=walker.nesting, muted=walker.muted)
    if walker.open and not is_method and not language.is_wrapped(node, walker.frame.body):
        walker.nesting += 1
    qualified, nesting = walker.qualified(name), walker.nesting
    frame = Frame(node, body, qualified, nesting, len(walker.tokens), is_method, is_closure)
    if language.decorated:
        frame.decorators = walker.decorators_of.pop(node.id, ())
    else:
        frame.decorators = language.read_decorators(node)
    walker.open.append(frame)
    walker.scope.append((name, False))
    walker.muted = 0
    if body is None or not language.is_header_muted:
        walker.enter(node.children, leave)
        return
    walker.enter([child for child in node.children if child.id != body.id], leave)
    walker.before(mute)
    walker.stack.append(body)


def _is_too_deep(walker: "Walker") -> bool:
    """Whether so many definitions are open that nobody wrote them: their names grow with it."""
    return len(walker.scope) > _MAX_SCOPE


def mute(walker: "Walker") -> None:
    """Count nothing for cyclomatic complexity from here on."""
    walker.muted += 1


def _leave_function(walker: "Walker", nesting: int, muted: int) -> None:
    frame = walker.open.pop()
    frame.last_token = len(walker.tokens)
    walker.functions.append(frame)
    walker.scope.pop()
    walker.nesting, walker.muted = nesting, muted
    if frame.is_closure and walker.open and not muted and walker.language.folds_closures:
        walker.open[-1].cyclomatic += frame.cyclomatic - 1


def enter_named_type(walker: "Walker", node: Node) -> None:
    """Note a type, and go on inside it."""
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
    )
    first_line = found.line if language.first_line is None else language.first_line(node)
    walker.types.append((first_line, found))
    _enter_type(walker, node, name)


def _enter_type(walker: "Walker", node: Node, name: str) -> None:
    walker.scope.append((name, True))
    # Its own code is no path of the function around it.
    walker.muted += 1
    bases = [frame.base_nesting for frame in walker.open]
    leave = partial(_leave_type, nesting=walker.nesting, bases=bases)
    if walker.language.types_nest:
        walker.nesting += bool(walker.open)
    else:
        for frame in walker.open:
            frame.base_nesting = walker.nesting
    walker.enter(node.children, leave)


def _leave_type(walker: "Walker", nesting: int, bases: list[int]) -> None:
    walker.muted -= 1
    walker.scope.pop()
    walker.nesting = nesting
    for frame, base in zip(walker.open, bases, strict=True):
        frame.base_nesting = base


def enter_scope(walker: "Walker", node: Node) -> None:
    """Go on inside something that only qualifies names."""
    language = walker.language
    if node.kind_id in walker.grammar.import_kinds:
        imports = language.read_imports(node)
        if imports:
            walker.imports.extend(reversed(imports))
            return
    name = language.type_name(node)
    if language.scopes[node.type]:
        _enter_type(walker, node, name)
    else:
        walker.scope.append((name, False))
        walker.enter(node.children, _leave_scope)


def _leave_scope(walker: "Walker") -> None:
    walker.scope.pop()


def last_line(node: Node) -> int:
    """Return the line on which a node ends; one made of indentation ends before the next line."""
    row, column = node.end_point[0], node.end_point[1]
    return row + (column > 0)
