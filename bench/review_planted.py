"""How many planted defects `review_change` finds: `python bench/review_planted.py CHECKOUT…`.

Each defect is made alone in a copy of a Python project, in functions drawn by a seed, as
uncommitted work: a required parameter that callers do not give, a function copied to another file
under another name, a helper that nothing uses, a public function without a test, a parameter that
its docstring still describes, a token in the code, an import that closes a cycle, a call without
its arguments, a call of a function that does not exist, an import of a name that does not exist.
"""

import argparse
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchpin.app import Workbench
from benchpin.facts import FileFacts, FileSelection, Function
from benchpin.workspace.walking import is_product_path
from results import machine, write_section
from review import git

EACH = 2
"""Defects of each kind in a project."""
MIN_LINES = 10
"""Of a function that is copied."""


@dataclass(frozen=True)
class Project:
    """A copy of a project, and its functions."""

    root: Path
    files: list[FileFacts]
    chance: random.Random

    def functions(self) -> Iterator[tuple[FileFacts, Function, list[str]]]:
        """Yield functions at the top level of the product, in random order."""
        found = [
            (file, it)
            for file in self.files
            if is_product_path(file.path)
            for it in file.outline.functions
            if it.kind == "function" and "." not in it.name and not it.decorators
        ]
        self.chance.shuffle(found)
        for file, it in found:
            lines = (self.root / file.path).read_text(encoding="utf-8").split("\n")
            yield file, it, lines

    def write(self, path: str, lines: list[str]) -> str:
        """Change a file, and return its path."""
        (self.root / path).write_text("\n".join(lines), encoding="utf-8")
        return path


Defect = tuple[str, str]
"""The rule that must speak, and the word that it must say."""


def _lost_argument(project: Project) -> Iterator[Defect]:
    uses = Counter[str]()
    for file in project.files:
        uses.update(name for calls in file.links.calls for name in calls)
    for file, it, lines in project.functions():
        head = lines[it.line - 1]
        is_plain = head.rstrip().endswith("):") and not any(
            sign in head for sign in ("()", "*", "=")
        )
        if uses[it.name] and is_plain:
            lines[it.line - 1] = head.replace("):", ", planted):")
            project.write(file.path, lines)
            yield "broken-call", it.name


def _calls(project: Project) -> Iterator[tuple[str, str, int, str, list[str]]]:
    """Yield calls on one line of functions with required parameters, in files that import them."""
    required = {}
    for _, it, lines in project.functions():
        head = lines[it.line - 1]
        inside = head.partition("(")[2].rpartition(")")[0]
        is_plain = head.rstrip().endswith(":") and "(" in head
        if is_plain and inside and not any(sign in inside for sign in "*="):
            required[it.name] = it
    for file, it, lines in project.functions():
        imported = {name for one in file.links.imports for name in one.names}
        for at in range(it.line, it.end_line):
            found = re.search(r"(?<![\w.])(\w+)\(([^()]+)\)", lines[at])
            if found and found[1] in required and found[1] in imported:
                yield file.path, found[1], at, found[0], lines


def _edited_call(project: Project) -> Iterator[Defect]:
    for path, name, at, call, lines in _calls(project):
        project.write(path, [*lines[:at], lines[at].replace(call, f"{name}()"), *lines[at + 1 :]])
        yield "broken-call", name


def _unknown_name(project: Project) -> Iterator[Defect]:
    for path, name, at, call, lines in _calls(project):
        new = lines[at].replace(call, call.replace(name, f"{name}_planted", 1))
        project.write(path, [*lines[:at], new, *lines[at + 1 :]])
        yield "broken-reference", f"{name}_planted"


def _unknown_import(project: Project) -> Iterator[Defect]:
    paths = {
        it.path.removesuffix(".py").removeprefix("src/").replace("/", ".") for it in project.files
    }
    for file, _, lines in project.functions():
        for at, line in enumerate(lines):
            found = re.fullmatch(r"from ([\w.]+) import (\w+)", line)
            if found and found[1] in paths:
                project.write(file.path, [*lines[:at], f"{line}, planted_name", *lines[at + 1 :]])
                yield "broken-reference", "planted_name"
                break


def _copy(project: Project) -> Iterator[Defect]:
    others = [it.path for it in project.files if is_product_path(it.path)]
    for file, it, lines in project.functions():
        if it.code_lines >= MIN_LINES:
            body = lines[it.line - 1 : it.end_line]
            body[0] = body[0].replace(it.name, "planted_copy", 1)
            target = project.chance.choice([path for path in others if path != file.path])
            text = (project.root / target).read_text(encoding="utf-8").split("\n")
            project.write(target, [*text, "", "", *body, ""])
            yield "copied-code", "planted_copy"


def _add(project: Project, code: str, rule: str, word: str) -> Iterator[Defect]:
    for file, _, lines in project.functions():
        project.write(file.path, [*lines, "", "", *code.split("\n"), ""])
        yield rule, word


def _lie(project: Project) -> Iterator[Defect]:
    for file, it, lines in project.functions():
        head = lines[it.line - 1]
        inside = head.partition("(")[2].rpartition(")")[0]
        parts = [part.strip() for part in inside.split(",") if part.strip().isidentifier()]
        text = "\n".join(lines[it.line : it.end_line])
        named = [
            part for part in parts if f":param {part}:" in text or f"\n        {part}: " in text
        ]
        if named and head.rstrip().endswith(":"):
            gone = named[-1]
            kept = ", ".join(part for part in inside.split(", ") if part.strip() != gone)
            lines[it.line - 1] = head.replace(f"({inside})", f"({kept})")
            project.write(file.path, lines)
            yield "stale-documentation", gone


def _cycle(project: Project) -> Iterator[Defect]:
    modules = {
        it.path.removesuffix(".py").removeprefix("src/").replace("/", "."): it
        for it in project.files
        if is_product_path(it.path) and not it.path.endswith("__init__.py")
    }
    pairs = [
        (name, imported.module)
        for name, file in modules.items()
        for imported in file.links.imports
        if imported.module in modules and imported.kind == "runtime" and imported.module != name
    ]
    project.chance.shuffle(pairs)
    for name, target in pairs:
        if any(one == target and other == name for one, other in pairs):
            continue
        path = modules[target].path
        lines = (project.root / path).read_text(encoding="utf-8").split("\n")
        at = next((n for n, line in enumerate(lines) if line.startswith(("import ", "from "))), 0)
        future = [n for n, line in enumerate(lines) if line.startswith("from __future__")]
        at = future[-1] + 1 if future else at
        project.write(path, [*lines[:at], f"import {name}", *lines[at:]])
        yield "new-cycle", modules[name].path


_TOKEN = "ghp_" + "x7Kq2mVb9RtYw4ZsLp8NdHc3JfGa6EuQ1oTi"
KINDS: dict[str, Callable[[Project], Iterator[Defect]]] = {
    "lost argument": _lost_argument,
    "copied function": _copy,
    "unused helper": lambda it: _add(
        it, "def _planted_helper(a):\n    return a + 1", "unused-code", "_planted_helper"
    ),
    "no test": lambda it: _add(
        it,
        "def planted_function(a, b):\n    c = a + b\n    if c > 3:\n        c = 3\n"
        "    d = c * 2\n    return d",
        "missing-test",
        "planted_function",
    ),
    "lie in a docstring": _lie,
    "secret": lambda it: _add(it, f'TOKEN = "{_TOKEN}"', "secret", ""),
    "cycle": _cycle,
    "edited call": _edited_call,
    "call of nothing": _unknown_name,
    "import of nothing": _unknown_import,
}


def main() -> None:
    """Plant, review, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("projects", nargs="+", type=Path, metavar="CHECKOUT")
    asked = parser.parse_args()
    planted: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for place in asked.projects:
            root = Path(folder) / place.name
            git(place, "clone", "--quiet", "--no-hardlinks", str(place), str(root))
            shutil.rmtree(root / ".git")
            git(root, "init", "--quiet")
            git(root, "add", "--all")
            author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
            git(root, *author, "commit", "--quiet", "--message=start")
            bench = Workbench.open(root, cache_dir=Path(folder) / "cache")
            inner = bench.bench
            files = FileSelection(inner.session, inner.permissions, inner.job).read("links").files
            python = [it for it in files if it.language == "python"]
            for kind, plant in KINDS.items():
                project = Project(root, python, random.Random(kind))  # noqa: S311 - a draw, no secret
                for _, (rule, word) in zip(range(EACH), plant(project), strict=False):
                    findings = bench.call("review_change", limit=1000).model_dump()["findings"]
                    said = any(it["rule"] == rule and word in str(it) for it in findings)
                    planted[kind] += 1
                    caught[kind] += said
                    if not said:
                        print(f"missed: {place.name}, {kind}, {word}", flush=True)
                    git(root, "checkout", "--quiet", "--force", ".")
            bench.close()
    head = "| defect | planted | found |\n| --- | --- | --- |\n"
    rows = [f"| {kind} | {planted[kind]} | {caught[kind]} |" for kind in KINDS]
    total = f"| all | {planted.total()} | {caught.total()} |"
    write_section(
        "Review of planted defects", f"{machine()}.\n\n{head}" + "\n".join([*rows, total])
    )


if __name__ == "__main__":
    main()
