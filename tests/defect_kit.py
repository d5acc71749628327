"""A repository of three years in which some files are fixed again and again."""

from collections.abc import Iterator
from pathlib import Path

from repositories import BOB, Step, Tree, import_steps

HOT = 16
COLD = 24
DAYS = 1100
BUGGIEST = "src/hot00.py"
"""Changed every week and fixed most often."""


def hot(number: int) -> str:
    return f"src/hot{number:02}.py"


def cold(number: int) -> str:
    return f"lib/cold{number:02}.py"


def text_of(name: str, size: int, version: int) -> bytes:
    """Return a module with branches, and nothing that stands in another one."""
    stem = Path(name).stem
    functions = "".join(
        f"def {stem}_{at}(value):\n    if value > {at + version}:\n        return {stem!r} * {at}\n"
        f"    return value + {at}\n\n\n"
        for at in range(size)
    )
    return functions.encode()


def three_years(root: Path) -> Tree:
    """Make the repository, a commit a day, and check out the newest one."""
    tree = import_steps(root, _steps())
    tree.git("checkout", "--quiet", "--force", "main")
    return tree


def _steps() -> Iterator[Step]:
    first = {hot(at): text_of(hot(at), 8, 0) for at in range(HOT)}
    first |= {cold(at): text_of(cold(at), 3, 0) for at in range(COLD)}
    first["tests/test_hot.py"] = b"def test_hot(): pass\n"
    yield Step({name.encode(): content for name, content in first.items()})
    for day in range(1, DAYS):
        if day % 7 == 0:
            yield _change(BUGGIEST, 8, day, b"Fixed #%d -- Crashed on empty input." % day)
        elif day % 5 == 0:
            yield _change(hot(day // 5 % HOT), 8, day, b"Fix wrong result for zero")
        elif day % 17 == 0:
            yield _change(cold(day // 17 % COLD), 3, day, b"Add an option")
        elif day % 19 == 0:
            yield _change(cold(day // 19 % COLD), 3, day, b"Fix typo in a comment")
        else:
            yield Step(
                {b"tests/test_hot.py": b"# %d\n" % day}, (day - 1,), BOB, b"Fix crash in tests"
            )


def _change(path: str, size: int, day: int, subject: bytes) -> Step:
    content = text_of(path, size, day)
    return Step({path.encode(): content}, (day - 1,), BOB, subject)
