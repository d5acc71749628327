"""Small changes of Python code, one at a time: the mutants of bench/find_tests.py."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


@dataclass(frozen=True)
class Mutant:
    """A file with one expression changed."""

    path: str
    line: int
    content: bytes


def mutants_of(root: Path, file: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file whose expression is on one line."""
    content = file.read_bytes()
    try:
        tree = ast.parse(content)
    except SyntaxError:
        return
    lines = content.splitlines(keepends=True)
    for node in _expressions(tree):
        changed = _changed(node)
        if changed is None or node.lineno != node.end_lineno:
            continue
        line = lines[node.lineno - 1]
        new = line[: node.col_offset] + ast.unparse(changed).encode() + line[node.end_col_offset :]
        whole = b"".join([*lines[: node.lineno - 1], new, *lines[node.lineno :]])
        try:
            ast.parse(whole)
        except SyntaxError:
            continue
        yield Mutant(str(file.relative_to(root)), node.lineno, whole)


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that run: no annotations, decorators or texts in the place of code."""
    for field, value in ast.iter_fields(tree):
        if field in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            if isinstance(node, ast.expr):
                yield node
            yield from _expressions(node)


def _changed(node: ast.expr) -> ast.expr | None:
    """Return an expression that means something else; None if there is no rule for it."""
    new = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[only]) if type(only) in _COMPARED:
            new.ops = [_COMPARED[type(only)]()]
        case ast.BoolOp():
            new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        case ast.BinOp() if type(new.op) in _COMPUTED:
            new.op = _COMPUTED[type(new.op)]()
        case ast.UnaryOp(op=ast.Not()):
            new = new.operand
        case ast.Constant(value=bool()):
            new.value = not new.value
        case ast.Constant(value=int()):
            new.value = int(str(new.value)) + 1
        case ast.Constant(value=str(text)) if text:
            new.value = f"XX{text}"
        case ast.IfExp():
            new.body, new.orelse = new.orelse, new.body
        case _:
            return None
    if isinstance(new, ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp):
        return _bracketed(new)
    return new


def _bracketed(node: ast.expr) -> ast.expr:
    """Return an expression that is written in brackets, so that what is around it stays."""
    return ast.Name(f"({ast.unparse(node)})", ast.Load())
