"""Fail when a name or a comment in the source breaks one of three habits.

`it` is only a name in a lambda or a comprehension, where the whole use is in view. Limits are
called MAX and MIN. What a constant of a module means is in a comment above it: nothing reads the
docstring of a constant, and it ends up under the wrong one when lines move.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src" / "benchpin"
LIMIT = re.compile(r"_?(?:MOST|LEAST|FEWEST|LONGEST|SHORTEST|LARGEST|SMALLEST|DEEPEST)(?:_|$)")
IN_VIEW = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Finding = tuple[int, str]


def main() -> None:
    """Print every finding, and exit with 1 when there is one."""
    findings = [
        f"{path.relative_to(ROOT.parent.parent)}:{line}: {what}"
        for path in sorted(ROOT.rglob("*.py"))
        for line, what in sorted(find_names(ast.parse(path.read_text(encoding="utf-8"))))
    ]
    print("\n".join(findings))
    if findings:
        sys.exit(
            "Name what it is, use MAX_ and MIN_ with the unit, and write comments as comments."
        )


def find_names(tree: ast.Module) -> Iterator[Finding]:
    """Give the line of each finding, and what is wrong there."""
    yield from _locals(tree)
    yield from _limits(tree)
    yield from _docstrings(tree)


def _locals(node: ast.AST) -> Iterator[Finding]:
    if isinstance(node, ast.arg) and node.arg == "it":
        yield node.lineno, "a parameter is called `it`"
    if isinstance(node, ast.Name) and node.id == "it" and isinstance(node.ctx, ast.Store):
        yield node.lineno, "a variable is called `it`"
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, IN_VIEW):
            yield from _locals(child)


def _limits(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and LIMIT.match(node.id):
            yield node.lineno, f"{node.id} is a limit: use MAX or MIN, with the unit"


def _docstrings(tree: ast.Module) -> Iterator[Finding]:
    for before, node in zip(tree.body, tree.body[1:], strict=False):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(before, ast.Assign | ast.AnnAssign):
            yield node.lineno, "a docstring is under a constant: write a comment above it"


if __name__ == "__main__":
    main()
