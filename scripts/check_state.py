"""Fail when a module of a room or a toolset keeps mutable state.

What is remembered about a workspace belongs to its `WorkspaceSession`, which closes and forgets it.
A module may hold constants, lazy constants (`@cache` without parameters) and memoised functions of
plain text or numbers; it may not hold locks, empty containers, containers that it changes, or
results by path.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src" / "benchpin"
OUTER = ("app", "cli", "core", "server", "ui")
CONTAINERS = {"dict", "list", "set", "Counter", "bytearray"}
STATEFUL = {
    "defaultdict",
    "deque",
    "OrderedDict",
    "Lock",
    "RLock",
    "Event",
    "Condition",
    "Semaphore",
    "ThreadPoolExecutor",
    "ProcessPoolExecutor",
    "WeakKeyDictionary",
    "WeakValueDictionary",
    "WeakSet",
    "ContextVar",
    "local",
    "count",
}
CHANGING = {
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "popleft",
    "remove",
    "setdefault",
    "update",
}
PLAIN = {"str", "bytes", "int", "float", "bool", "None", "tuple", "frozenset", "Literal", "type"}
"""Parameters that a memoised function may depend on: values, never places on the disk."""


def main() -> None:
    """Print every finding, and exit with 1 when there is one."""
    findings = [
        f"{path.relative_to(ROOT.parent.parent)}:{line}: {what}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in OUTER
        for line, what in find_state(ast.parse(path.read_text(encoding="utf-8")))
    ]
    if findings:
        print("\n".join(findings))
        sys.exit("Keep it in the workspace's session (core/calls/_workspace_session.py).")


def find_state(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Give the line and a description of each piece of mutable state in a module."""
    containers = set[str]()
    for node in tree.body:
        for name, value in _assigned(node):
            called = _last_name(value.func) if isinstance(value, ast.Call) else ""
            if called in STATEFUL or called in {"lru_cache", "cache"}:
                yield node.lineno, f"{name} is a {called} of the module"
            elif _is_empty(value, called):
                yield node.lineno, f"{name} is an empty container of the module"
            elif isinstance(value, ast.Dict | ast.List | ast.Set) or called in CONTAINERS:
                containers.add(name)
    for inner in ast.walk(tree):
        yield from _changes(inner, containers)
        if isinstance(inner, ast.Global):
            yield inner.lineno, f"global {', '.join(inner.names)}"
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _memoised(inner)


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    value = getattr(node, "value", None)
    for target in targets:
        if isinstance(target, ast.Name) and isinstance(value, ast.expr):
            yield target.id, value


def _is_empty(value: ast.expr, called: str) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    return called in CONTAINERS and isinstance(value, ast.Call) and not value.args


def _changes(node: ast.AST, containers: set[str]) -> Iterator[tuple[int, str]]:
    """Give where a container of the module is changed."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id in containers and node.func.attr in CHANGING:
            yield node.lineno, f"{owner.id}.{node.func.attr}() changes a container of the module"
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        owner = node.value
        if isinstance(owner, ast.Name) and owner.id in containers:
            yield node.lineno, f"{owner.id}[…] is changed, a container of the module"


def _memoised(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, str]]:
    """Give a memoised function that depends on more than plain values."""
    is_memoised = any(_last_name(it) in {"cache", "lru_cache"} for it in node.decorator_list)
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = {
        inner.id
        for it in given
        if it.annotation is not None
        for inner in ast.walk(it.annotation)
        if isinstance(inner, ast.Name)
    }
    if is_memoised and not names <= PLAIN:
        yield node.lineno, f"{node.name}() remembers results by {', '.join(sorted(names - PLAIN))}"


def _last_name(node: ast.expr) -> str:
    """Return the name that is called or decorates, without its module and arguments."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


if __name__ == "__main__":
    main()
