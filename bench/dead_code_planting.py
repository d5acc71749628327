"""Plant functions, methods and classes that nothing uses in a copy of a Python project.

What is planted looks like what is there: a verb and a noun for a name, some lines that work on the
arguments, at the end of a module or a class. A name that occurs anywhere in the project already is
not taken, so that nothing can use it. The same project gets the same plants every time.
"""

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_VERBS = """
    build collect compare convert decode derive detect expand extract filter find flatten format
    group join limit load locate merge normalize pack parse pick prepare reduce render resolve
    scan select sort split store trim update validate wrap
    """.split()  # noqa: SIM905 - a table of names reads better so
_NOUNS = """
    address argument batch block bucket buffer chunk column cookie cursor date entry field file
    frame header index item key label limit line list locale mapping message node option page
    pair path pattern payload prefix queue range record row section segment setting slot state
    suffix table tag token value version weight window word
    """.split()  # noqa: SIM905 - a table of names reads better so
_ADJECTIVES = """
    cached common empty final first full inner last local next old raw simple
    """.split()  # noqa: SIM905 - a table of names reads better so
_BODIES = (
    "    result = [part for part in {arg} if part]\n    result.reverse()\n    return result\n",
    "    if not {arg}:\n        return None\n    return str({arg}).strip()\n",
    "    count = 0\n    while count < len({arg}):\n        count += 2\n    return count\n",
    "    try:\n        return dict({arg})\n    except ValueError:\n        return {{}}\n",
)
_RECURSIVE = (
    "def {name}(value, depth=0):\n    if depth > 9:\n        return value\n"
    "    return {name}(value, depth + 1)\n"
)
_KINDS = (
    "private function",
    "public function",
    "private method",
    "chain",
    "recursive function",
    "public method",
    "class",
    "private function",
    "chain across files",
)


@dataclass(frozen=True)
class Planted:
    """One function, method or class that nothing uses."""

    kind: str
    file: str
    line: int
    name: str

    def describe(self) -> str:
        """Say what was planted where."""
        return f"missed {self.kind}: {self.file}:{self.line} {self.name}"


def plant(folder: Path, count: int) -> list[Planted]:
    """Plant so many in the modules of a project, and return where they are."""
    return _Planter(folder).plant(count)


class _Planter:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._random = random.Random(folder.name)  # noqa: S311 - the same plants every time
        texts = [
            path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.stat().st_size < 1 << 20
        ]
        self._taken = {word for text in texts for word in re.findall(r"\w+", text)}
        self._modules = [
            path
            for path in sorted(folder.rglob("*.py"))
            if self._is_chosen(path.relative_to(folder)) and path.stat().st_size
        ]
        self._offered = _words_of_packages_and_documents(folder)
        self._names: list[tuple[str, str]] = []

    def _is_chosen(self, path: Path) -> bool:
        outside = {"tests", "test", "docs", "examples", "benchmarks", "tasks"}
        return (
            outside.isdisjoint(path.parts)
            and len(path.parts) > 1
            and path.name not in {"__init__.py", "__main__.py", "conftest.py"}
            and not path.name.startswith("test_")
        )

    def plant(self, count: int) -> list[Planted]:
        planted = 0
        number = 0
        while planted < count:
            kind = _KINDS[number % len(_KINDS)]
            number += 1
            planted += self._plant_kind(kind, count - planted)
        return list(self._locate())

    def _plant_kind(self, kind: str, most: int) -> int:
        names = [self._name(is_private=not kind.startswith(("public", "class")))]
        match kind:
            case "private method" | "public method":
                self._add_method(names[0], is_public=kind.startswith("public"))
            case "recursive function":
                self._add(names[0], _RECURSIVE.format(name=names[0]))
            case "class":
                title = names[0].title().replace("_", "")
                body = self._body("self")
                self._add(title, f"class {title}:\n    def apply(self):\n" + _indented(body))
                names = [title]
            case "chain" | "chain across files" if most > 1:
                names.append(self._name(is_private=True))
                self._add_chain(names, is_across=kind != "chain")
            case _:
                self._add(names[0], f"def {names[0]}(values):\n{self._body('values')}")
        self._names += [(name, kind) for name in names]
        return len(names)

    def _add_chain(self, names: list[str], *, is_across: bool) -> None:
        first, second = names
        place = self._add(second, f"def {second}(values):\n{self._body('values')}")
        call = f"    return {second}(values) or None\n"
        if is_across:
            beside = [it for it in self._modules if it.parent == place.parent and it != place]
            call = f"    from .{place.stem} import {second}\n\n{call}"
            place = self._random.choice(beside or [place])
        self._add(first, f"def {first}(values):\n{call}", place)

    def _name(self, *, is_private: bool) -> str:
        choose = self._random.choice
        while True:
            words = [choose(_VERBS), choose(_ADJECTIVES), choose(_NOUNS)]
            if self._random.random() < 0.5:  # noqa: PLR2004 - every other name is short
                del words[1]
            name = ("_" if is_private else "") + "_".join(words)
            title = name.title().replace("_", "")
            if not {name, title} & self._taken:
                self._taken |= {name, title}
                return name

    def _body(self, arg: str) -> str:
        return self._random.choice(_BODIES).format(arg=arg)

    def _add(self, name: str, code: str, place: Path | None = None) -> Path:
        place = place or self._random.choice(self._modules)
        text = place.read_text(encoding="utf-8").rstrip("\n")
        changed = f"{text}\n\n\n{code}"
        ast.parse(changed, name)
        place.write_text(changed, encoding="utf-8")
        return place

    def _add_method(self, name: str, *, is_public: bool) -> None:
        classes = [
            (place, found)
            for place in self._modules
            for found in ast.parse(place.read_text(encoding="utf-8")).body
            if isinstance(found, ast.ClassDef) and found.body[0].col_offset == len("    ")
            if not is_public or found.name not in self._offered
        ]
        place, found = self._random.choice(classes)
        lines = place.read_text(encoding="utf-8").splitlines()
        method = f"def {name}(self, values):\n{self._body('values')}"
        lines[found.end_lineno : found.end_lineno] = ["", *_indented(method).rstrip().split("\n")]
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _locate(self) -> Iterator[Planted]:
        """Find where everything is once all is planted."""
        kinds = dict(self._names)
        for place in self._modules:
            for node in ast.walk(ast.parse(place.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in kinds:
                    file = place.relative_to(self._folder).as_posix()
                    yield Planted(kinds[node.name], file, node.lineno, node.name)


def _indented(code: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in code.rstrip("\n").split("\n"))


def _words_of_packages_and_documents(folder: Path) -> set[str]:
    places = [
        *folder.rglob("__init__.py"),
        *folder.rglob("*.rst"),
        *folder.rglob("*.md"),
        *folder.rglob("*.txt"),
    ]
    texts = (place.read_text(encoding="utf-8", errors="replace") for place in places)
    return {word for text in texts for word in re.findall(r"\w+", text)}
