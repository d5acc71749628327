"""Small projects with known answers: each has one trait that some tool must find, or miss."""

from collections.abc import Callable
from pathlib import Path

from repositories import Tree

LOADER = """
def load_table(path):
    rows = []
    with open(path) as handle:
        for line in handle:
            parts = line.strip().split(",")
            if len(parts) != 3:
                raise ValueError(line)
            rows.append((parts[0], int(parts[1]), float(parts[2])))
    rows.sort(key=lambda row: (row[1], row[0]))
    total = sum(row[2] for row in rows)
    return rows, total
"""
TANGLED = "def tangled(a):\n" + "".join(
    f"    if a == {at}:\n        return {at}\n" for at in range(24)
)


def _write(root: Path, files: dict[str, str]) -> None:
    Tree(root).commit({name: text.encode() for name, text in files.items()})


def with_clone(root: Path) -> None:
    """Make two files with the same function."""
    _write(root, {"a.py": LOADER, "b.py": LOADER, "main.py": "import a, b\n"})


def with_cycle(root: Path) -> None:
    """Make three files that import one another in a ring, and one beside it."""
    ring = {f"{name}.py": f"import {other}\n" for name, other in ("ab", "bc", "ca")}
    _write(root, {**ring, "d.py": "import a\n"})


def with_dead_function(root: Path) -> None:
    """Make a function that nothing calls."""
    main = "def used(): return 1\n\n\ndef _orphan():\n    return 2\n\n\nprint(used())\n"
    _write(root, {"main.py": main})


def with_hot_file(root: Path) -> None:
    """Make a tangled file that changes again and again, beside a plain one that never does."""
    tree = Tree(root)
    tree.commit({"hot.py": TANGLED.encode(), "cold.py": b"def plain(): return 1\n"})
    for at in range(6):
        tree.commit({"hot.py": f"{TANGLED}X = {at}\n".encode()}, f"Fix a bug in case {at}")


def without_git(root: Path) -> None:
    """Make a folder that is not under version control."""
    (root / "a.py").write_text(TANGLED)


def without_tests(root: Path) -> None:
    """Make a project that has no tests and no coverage report."""
    _write(root, {"a.py": TANGLED})


def empty(root: Path) -> None:
    """Make nothing."""


def with_binary(root: Path) -> None:
    """Make a project of one file that is no text."""
    Tree(root).commit({"logo.png": bytes(range(256)) * 40})


def with_submodule(root: Path) -> None:
    """Make a project with another one in it, which has a history of its own."""
    inner = Tree(root.parent / "inner")
    inner.commit({"inner.py": LOADER.encode()})
    outer = Tree(root)
    outer.commit({"outer.py": b"def outer(): return 1\n\n\nouter()\n"})
    outer.git("submodule", "--quiet", "add", str(inner.root), "vendored_module")
    outer.commit(subject="Add a module")


def with_10_000_files(root: Path) -> None:
    """Make very many very small files."""
    for folder in range(100):
        place = root / f"p{folder}"
        place.mkdir()
        for file in range(100):
            (place / f"m{file}.py").write_text(f"def f{folder}_{file}(): return {file}\n")


PROJECTS: dict[str, Callable[[Path], None]] = {
    "clone": with_clone,
    "cycle": with_cycle,
    "dead function": with_dead_function,
    "hot file": with_hot_file,
    "no git": without_git,
    "no tests": without_tests,
    "empty": empty,
    "binary": with_binary,
    "submodule": with_submodule,
}
"""All but the biggest, which has a test of its own."""
