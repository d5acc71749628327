"""Fail when the source grows beyond its budget: growth is decided, not found out later.

    python scripts/check_size.py            # as `make check` runs it
    python scripts/check_size.py --lower    # write smaller numbers to the table below

What is larger than its aim has a line in BUDGETS, with its size when the line was written. A line
may only get smaller or go. To raise one is a decision: give the reason in the commit.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

# Begins here: BUDGETS.
BUDGETS = {
    "lines": 159_213,
    "modules": 946,
}
# Ends here: BUDGETS.

# The kind of a budget is the first word of its key: what is aimed at, what is counted, what to do.
KINDS = {
    "lines": (110_000, "lines in src", "Remove code, or use what is there already."),
    "modules": (650, "modules in src", "Move small modules with one importer into it."),
    "folder": (25, "modules beside the door", "Fold modules, or make a package of some of them."),
    "door": (25, "names in __all__", "Hide what others do not need, or divide the package."),
    "tool": (150, "lines", "Move arithmetic and tables to the room that measures."),
    "class": (1, "public classes with this name", "Give one of them a name of its own."),
}
ROOT = Path(__file__).parent.parent / "src" / "benchpin"
TABLE = re.compile(r"(?<=# Begins here: BUDGETS\.\n).*?(?=# Ends here: BUDGETS\.\n)", re.DOTALL)


def main() -> int:
    """Print what is over its budget and which lines of the table are out of date."""
    sizes = sizes_of(ROOT)
    if "--lower" in sys.argv[1:]:
        script = Path(__file__)
        text = script.read_text(encoding="utf-8")
        lowered = table_of(lower(BUDGETS, sizes))
        script.write_text(TABLE.sub(lambda _: lowered, text), encoding="utf-8")
        return 0
    problems = [*over(BUDGETS, sizes), *out_of_date(BUDGETS, sizes)]
    print(*problems, sep="\n", end="\n" if problems else "")
    slack = [it for it in BUDGETS if sizes[it] < BUDGETS[it]]
    if slack and not problems:
        print(f"{len(slack)} budgets can be lowered: python scripts/check_size.py --lower")
    return 1 if problems else 0


def over(budgets: Mapping[str, int], sizes: Mapping[str, int]) -> Iterator[str]:
    """Say what is larger than its budget, or than the aim where it has none."""
    for key, size in sorted(sizes.items()):
        kind, _, name = key.partition(" ")
        aim, counted, remedy = KINDS[kind]
        budget = max(aim, budgets.get(key, aim))
        if size > budget:
            yield (
                f"{name or 'src/benchpin'}: {size:,} {counted}; the budget is {budget:,}. {remedy} "
                "If it has to grow, raise its line in scripts/check_size.py; say why in the commit."
            )


def out_of_date(budgets: Mapping[str, int], sizes: Mapping[str, int]) -> Iterator[str]:
    """Say which lines of the table are not needed any more."""
    for key in budgets:
        if sizes[key] <= aim_of(key):
            yield f"{key!r} needs no budget any more: python scripts/check_size.py --lower"


def lower(budgets: Mapping[str, int], sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the table with what is smaller now, without what has reached its aim."""
    return {
        key: min(budget, sizes[key]) for key, budget in budgets.items() if sizes[key] > aim_of(key)
    }


def aim_of(key: str) -> int:
    """Return what is aimed at."""
    return KINDS[key.partition(" ")[0]][0]


def table_of(budgets: Mapping[str, int]) -> str:
    """Return the table as it is written above."""
    lines = (f'    "{key}": {size:_},\n' for key, size in budgets.items())
    return "".join(("BUDGETS = {\n", *lines, "}\n"))


def sizes_of(root: Path) -> Counter[str]:
    """Measure a package; the keys are those of the table."""
    sizes = Counter[str]()
    for place in sorted(root.rglob("*.py")):
        text = place.read_text(encoding="utf-8")
        tree = ast.parse(text)
        path = place.relative_to(root).as_posix()
        length = len(text.splitlines())
        sizes["lines"] += length
        sizes["modules"] += 1
        if place.name != "__init__.py":
            sizes[f"folder {place.relative_to(root).parent.as_posix()}"] += 1
        sizes[f"door {path}"] = names_in(tree)
        if path.startswith("toolsets/") and is_tool(tree, place.stem):
            sizes[f"tool {path}"] = length
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                sizes[f"class {node.name}"] += 1
    return sizes


def names_in(tree: ast.Module) -> int:
    """Count the names in `__all__`; without one there are none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple):
            names = [it.id for it in node.targets if isinstance(it, ast.Name)]
            if names == ["__all__"]:
                return len(node.value.elts)
    return 0


def is_tool(tree: ast.Module, name: str) -> bool:
    """Whether a module has a decorated function of its own name."""
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name == name
        and bool(node.decorator_list)
        for node in tree.body
    )


if __name__ == "__main__":
    sys.exit(main())
