"""Print the imports that grimp finds in a package, and of which kind each is by its place.

    python grimp_edges.py FOLDER PACKAGE

Of several imports of one module the strongest counts: runtime, then in a function, then for types.
"""

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp

_STRENGTH = ("runtime", "lazy", "type-only")


def main() -> None:
    """Print the modules, and importer, imported and kind of each import, as JSON."""
    home, package = Path(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(home))
    graph = grimp.build_graph(package, cache_dir=None)

    @cache
    def kinds_in(module: str) -> dict[int, str]:
        place = home.joinpath(*module.split("."))
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        return dict(_kinds(ast.parse(file.read_text(encoding="utf-8"))))

    found = []
    for importer in sorted(graph.modules):
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            details = graph.get_import_details(importer=importer, imported=imported)
            kinds = [kinds_in(importer).get(it["line_number"], "runtime") for it in details]
            found.append((importer, imported, min(kinds, key=_STRENGTH.index)))
    json.dump({"modules": sorted(graph.modules), "imports": found}, sys.stdout)


def _kinds(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the kind of each import."""
    pending: list[tuple[ast.AST, str]] = [(tree, "runtime")]
    while pending:
        node, kind = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node.lineno, kind
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "lazy" if kind == "runtime" else kind
        for name, value in ast.iter_fields(node):
            is_guard = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            inner = "type-only" if is_guard and name == "body" else kind
            children = value if isinstance(value, list) else [value]
            pending += [(it, inner) for it in children if isinstance(it, ast.AST)]


if __name__ == "__main__":
    main()
