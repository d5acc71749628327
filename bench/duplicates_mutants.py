"""Clones with known edits: copies of real Python functions, changed in one way each."""

import ast
import builtins
import keyword
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

MIN_LINES = 8
MAX_LINES = 60
MIN_WORDS = 60


@dataclass(frozen=True)
class Original:
    """A function as it was written, and the statements that can be edited."""

    text: str
    statements: tuple[tuple[int, int, int], ...]
    """First line, last line and indentation of each that is not the last one of its block."""
    names: frozenset[str]
    """Parameters and variables."""


Mutation = Callable[[Original, random.Random], str]


def collect(folder: Path, count: int) -> list[Original]:
    """Choose functions of a project at random, no two of the same name."""
    found: dict[str, Original] = {}
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name not in found:
                text = dedent("\n".join(source.split("\n")[node.lineno - 1 : node.end_lineno]))
                original = _original(text)
                if original is not None:
                    found[node.name] = original
    chosen = sorted(found)
    random.Random(0).shuffle(chosen)  # noqa: S311 - the same ones every time
    return [found[name] for name in chosen[:count]]


def _original(text: str) -> Original | None:
    lines, words = text.count("\n") + 1, len(re.findall(r"\w+|[^\w\s]", text))
    if not MIN_LINES <= lines <= MAX_LINES or words < MIN_WORDS or '"""' in text:
        return None
    try:
        (function,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    statements = [
        (it.lineno, it.end_lineno or it.lineno, it.col_offset)
        for node in ast.walk(function)
        for block in (getattr(node, "body", None), getattr(node, "orelse", None))
        if isinstance(block, list)
        for it in block[:-1]
        if isinstance(it, ast.Assign | ast.Expr | ast.AugAssign) and it.lineno == it.end_lineno
    ]
    names = {it.id for it in ast.walk(function) if isinstance(it, ast.Name)} | {
        it.arg for it in ast.walk(function) if isinstance(it, ast.arg)
    }
    known = set(dir(builtins)) | set(keyword.kwlist) | {"self", "cls"}
    if len(statements) < 3:  # noqa: PLR2004 - enough to edit
        return None
    return Original(text + "\n", tuple(sorted(set(statements))), frozenset(names - known))


def relaid(original: Original, chance: random.Random) -> str:
    """Add comments and blank lines, and change nothing else."""
    lines = original.text.split("\n")
    for line, _, indent in reversed(original.statements):
        if chance.random() < 0.5:  # noqa: PLR2004 - half of them
            lines[line - 1 : line - 1] = ["", " " * indent + f"# step {line}"]
    return "\n".join(lines)


def renamed(original: Original, _chance: random.Random) -> str:
    """Give every variable another name and every number another value."""
    text = re.sub(r"(?<![\w.])\d+(?![\w.])", lambda it: str(int(it.group()) + 7), original.text)
    if not original.names:
        return text
    pattern = re.compile(
        rf"\b({'|'.join(sorted(original.names, key=len, reverse=True))})\b(?!['\"])"
    )
    return pattern.sub(lambda it: f"the_{it.group()}", text)


def _edited(share: float, edit: Callable[[list[str], int, int], None]) -> Mutation:
    def mutate(original: Original, chance: random.Random) -> str:
        lines = renamed(original, chance).split("\n")
        code = len([line for line in lines if line.strip()])
        count = min(len(original.statements), max(1, round(share * code)))
        for line, _, indent in sorted(chance.sample(original.statements, count), reverse=True):
            edit(lines, line, indent)
        return "\n".join(lines)

    return mutate


def _insert(lines: list[str], line: int, indent: int) -> None:
    lines.insert(line - 1, " " * indent + f"journal.note(place={line}, level=LOW)")


def _delete(lines: list[str], line: int, _indent: int) -> None:
    del lines[line - 1]


def _replace(lines: list[str], line: int, indent: int) -> None:
    lines[line - 1] = " " * indent + f"journal.note(place={line}, level=LOW)"


_MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


class _Rewriter(ast.NodeTransformer):
    """Writes the same in another way."""

    def __init__(self) -> None:
        self.changes = 0

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        mirrored = _MIRRORED.get(type(node.ops[0]))
        if len(node.ops) > 1 or mirrored is None:
            return node
        self.changes += 1
        return ast.Compare(node.comparators[0], [mirrored()], [node.left])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.changes += 1
        left = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.copy_location(
            ast.Assign([node.target], ast.BinOp(left, node.op, node.value)), node
        )

    def visit_If(self, node: ast.If) -> ast.stmt:
        self.generic_visit(node)
        if not node.orelse:
            return node
        self.changes += 1
        return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)


def rewritten(original: Original, chance: random.Random) -> str:
    """Mirror comparisons, spell out `+=`, and swap the branches of every `if … else`.

    Nothing comes of a function that has fewer than two of them.
    """
    rewriter = _Rewriter()
    tree = rewriter.visit(ast.parse(renamed(original, chance)))
    if rewriter.changes < 2:  # noqa: PLR2004 - one alone is hardly another way
        return ""
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


MUTATIONS: dict[str, Mutation] = {
    "comments and blank lines": relaid,
    "variables and numbers": renamed,
    "5 % of lines inserted": _edited(0.05, _insert),
    "10 % of lines inserted": _edited(0.10, _insert),
    "20 % of lines inserted": _edited(0.20, _insert),
    "10 % of lines deleted": _edited(0.10, _delete),
    "10 % of lines replaced": _edited(0.10, _replace),
    "20 % of lines replaced": _edited(0.20, _replace),
    "conditions, `+=`, branches rewritten": rewritten,
}
"""What is done to a function; all but the first also rename."""
