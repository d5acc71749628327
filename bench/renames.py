"""Rename random symbols of a project, and have its own compiler or checker look at the result.

    python bench/renames.py LANGUAGE FOLDER --renames 30 --seed 35 [--check COMMAND]

Symbols are drawn by chance, renamed in a copy of the folder one at a time, checked and put back. A
rename is broken if the checker says something afterwards that it did not say before. Only renames
that leave nothing to decide are counted; those that are refused or leave possible uses to the
caller are counted apart. `--check` replaces the checker. Exits with 1 if a rename broke something.

Python needs ruff and mypy beside this interpreter; the others `go`, `cargo`, `javac`, `tsc`.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from benchpin.code import CodeIndex, SourceText
from benchpin.code.names import Symbol
from benchpin.code.references import plan_rename
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from navigation_kit import indexed

_BIN = Path(sys.executable).parent
_IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, ".")
for top in pkgutil.iter_modules(["."]):
    names = [top.name]
    if top.ispkg:
        names += [it.name for it in pkgutil.walk_packages([top.name], top.name + ".")]
    for name in names:
        if not name.endswith("__main__"):
            try:
                importlib.import_module(name)
            except BaseException as error:
                print(name, type(error).__name__, error)
"""
_CHECKS = {
    "python": (
        f"{_BIN}/python -B -c '{_IMPORT_ALL}'; "
        f"{_BIN}/ruff check --isolated --select F821,F822,E9 --output-format concise . ; "
        f"{_BIN}/mypy --ignore-missing-imports --check-untyped-defs --no-error-summary ."
    ),
    "go": "go build ./... ; go vet ./...",
    "rust": "cargo check --quiet --message-format short --all-targets",
    "java": "javac -nowarn -proc:none -d \"$OUT\" $(find . -name '*.java')",
    "typescript": "tsc --noEmit -p .",
}
_ENDINGS = {
    "python": (".py", ".pyi"),
    "go": (".go", "go.mod"),
    "rust": (".rs", "Cargo.toml"),
    "java": (".java",),
    "typescript": (".ts", ".tsx", ".json"),
}
_NUMBER = re.compile(r"\d+")
_SHOWN = 6


def complaints(command: str, folder: Path, out: Path) -> Counter[str]:
    """Return what the checker says, without the numbers of lines."""
    done = subprocess.run(  # noqa: S602 - the command is the user's own
        command,
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OUT": str(out)},
    )
    return Counter(_NUMBER.sub("N", it) for it in (done.stdout + done.stderr).splitlines())


def symbols_of(index: CodeIndex) -> list[Symbol]:
    """Return functions, types, methods and variables of files, in order."""
    found = []
    for path in sorted(index.symbols.modules):
        module = index.symbols.modules[path]
        found += [*module.symbols.values(), *module.variables]
    return found


class Renames:
    """Renames one symbol after the other in a copy of a project."""

    def __init__(self, folder: Path, out: Path, command: str, endings: tuple[str, ...]) -> None:
        self._folder, self._out, self._command = folder, out, command
        paths = (it for it in folder.rglob("*") if it.is_file() and it.name.endswith(endings))
        texts = {
            str(it.relative_to(folder)): it.read_text(encoding="utf-8", errors="replace")
            for it in paths
            if "node_modules" not in it.parts
        }
        self.index = indexed(texts)
        self.before = complaints(command, folder, out)

    def try_one(self, symbol: Symbol) -> str:
        """Rename, check and put back; return what became of it."""
        old = symbol.name  # the new name is spelt alike: compilers warn about others
        new = f"{old}_ZQ" if old.isupper() else f"{old}Zq" if old[:1].isupper() else f"{old}_zq"
        try:
            plan = plan_rename(self.index, symbol, new, SourceText(self._folder), Job())
        except InvalidParams:
            return "refused"
        if plan.note or any(it.certainty != "mention" for it in plan.undecided):
            return "left to decide"
        for it in plan.changes:
            (self._folder / it.path).write_bytes(it.after or b"")
        after = complaints(self._command, self._folder, self._out)
        for it in plan.changes:
            (self._folder / it.path).write_bytes(it.before or b"")
        # What was said before about the old name is now said about the new one.
        said = Counter({text.replace(new, symbol.name): n for text, n in after.items()})
        fresh = [text for text in said if text not in self.before]
        if not fresh:
            return "whole"
        print(f"BROKEN {symbol.id} ({symbol.kind})")
        for text in fresh[:_SHOWN]:
            print(f"    {text[:200]}")
        return "broken"


def main() -> int:
    """Rename, and print how many broke."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("language", choices=sorted(_CHECKS))
    given.add_argument("folder", type=Path)
    given.add_argument("--renames", type=int, default=30)
    given.add_argument("--seed", type=int, default=35)
    given.add_argument("--seconds", type=float, default=600, help="stop after this time")
    given.add_argument("--check")
    options = given.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, "project")
        shutil.copytree(options.folder, folder, symlinks=True)
        command = options.check or _CHECKS[options.language]
        renames = Renames(folder, Path(made, "out"), command, _ENDINGS[options.language])
        drawn = symbols_of(renames.index)
        random.Random(options.seed).shuffle(drawn)  # noqa: S311 - no secret
        outcomes: Counter[str] = Counter()
        until = time.monotonic() + options.seconds
        for symbol in drawn:
            is_enough = outcomes["whole"] + outcomes["broken"] >= options.renames
            if is_enough or time.monotonic() > until:
                break
            outcomes[renames.try_one(symbol)] += 1
    said = sum(renames.before.values())
    print(f"{options.folder.name}: {dict(sorted(outcomes.items()))}; said before: {said} lines")
    return int(outcomes["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
