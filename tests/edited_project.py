"""A small project that is edited at random, the same way for the same seed."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

NAMES = ("load", "save", "parse", "render", "check", "Reader", "Writer")
_FILES = ("a.py", "b.py", "pkg/__init__.py", "pkg/core.py", "pkg/more.py", "test_a.py", "web.js")
_TEXTS = ("notes.md", "setup.cfg", "package.json", "pyproject.toml", "bin/run.txt")
_COPY = "\n".join(f"    value_{at} = first({at}) + second({at}) * third({at})" for at in range(10))


class RandomEdits:
    """Applies edits to a folder, one after the other."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._random = random.Random(seed)  # noqa: S311 - not for secrets
        self._gone: dict[str, bytes] = {}
        """What files contained before: sometimes an edit is taken back."""
        for path in (*_FILES[:5], _TEXTS[0]):
            self._write(path)

    def steps(self, count: int) -> Iterator[str]:
        """Yield what was done, after each edit."""
        choices: tuple[tuple[Callable[[], str], int], ...] = (
            (self._change, 6),
            (self._append, 4),
            (self._remove, 1),
            (self._take_back, 2),
            (self._move, 1),
        )
        edits, weights = zip(*choices, strict=True)
        for _ in range(count):
            yield self._random.choices(edits, weights)[0]()

    def _existing(self) -> list[str]:
        found = sorted(str(it.relative_to(self._root)) for it in self._root.rglob("*.*"))
        return [it for it in found if (self._root / it).is_file() and not it.startswith(".")]

    def _write(self, path: str) -> None:
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            self._gone[path] = place.read_bytes()
        place.write_text(self._content(path), encoding="utf-8")

    def _content(self, path: str) -> str:
        parts = [self._part(path) for _ in range(self._random.randint(1, 5))]
        return "\n".join(parts) + "\n"

    def _part(self, path: str) -> str:
        pick = self._random.choice
        one, two, number = pick(NAMES), pick(NAMES), self._random.randint(0, 99)
        if path.endswith(".json"):
            return f'{{"main": "web.js", "scripts": {{"{one}": "{two}"}}}}'
        if path.endswith(".js"):
            return f"function {one}(x) {{ return {two}(x) + {number}; }}"
        if not path.endswith(".py"):
            return f"See `{one}()` and {two}. {number}"
        return pick(
            (
                f"from pkg.core import {one}",
                f"import a\n\nprint(a.{one}({number}))",
                f"def {one}(x, y={number}):\n    if x > y:\n        return {two}(x)\n    return y",
                f"class {one}:\n    def {two}(self):\n        return self.{one}({number})",
                f"# TODO: {two} is too slow, fix it ({number})\n{one} = {number}",
                f"def copied_{one}():\n{_COPY}",
                f"getattr(a, '{one}')",
                f"def broken({one}:",
            )
        )

    def _change(self) -> str:
        path = self._random.choice((*_FILES, *_FILES, *_TEXTS))
        self._write(path)
        return f"changed {path}"

    def _append(self) -> str:
        path = self._random.choice(self._existing())
        place = self._root / path
        self._gone[path] = place.read_bytes()
        with place.open("a", encoding="utf-8") as file:
            file.write(self._part(path) + "\n")
        return f"added to {path}"

    def _remove(self) -> str:
        existing = self._existing()
        if len(existing) < 4:
            return self._change()
        path = self._random.choice(existing)
        self._gone[path] = (self._root / path).read_bytes()
        (self._root / path).unlink()
        return f"removed {path}"

    def _take_back(self) -> str:
        if not self._gone:
            return self._change()
        path = self._random.choice(sorted(self._gone))
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self._gone.pop(path))
        return f"took back {path}"

    def _move(self) -> str:
        path = self._random.choice(self._existing())
        target = self._random.choice((*_FILES, *_TEXTS))
        if target != path:
            (self._root / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(self._root / path, self._root / target)
        return f"moved {path} to {target}"


CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("analyze_comprehensive", {"limit": 50, "min_lines": 0}),
    ("analyze_complexity", {}),
    ("analyze_duplicates", {"limit": 100}),
    ("analyze_dead_code", {"min_confidence": 0.1, "limit": 100}),
    ("analyze_debt_comments", {"limit": 100}),
    ("analyze_defect_probability", {"limit": 100}),
    ("analyze_graph_metrics", {}),
    ("quality_gate", {}),
    ("find_symbol", {"symbol": "load"}),
    ("find_references", {"symbol": "Reader", "limit": 100}),
    ("find_references", {"symbol": "parse", "limit": 100}),
)
"""The tools whose measures are kept from call to call."""
