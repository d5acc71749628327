"""Rename random symbols of a project, and have its own compiler or checker look at the result.

    python bench/renames.py LANGUAGE FOLDER --renames 30 --seed 35 [--check COMMAND]

Symbols are drawn by chance and renamed in a copy of the folder, several at once (`--together`); the
checker runs, and the copy is put back. When it says something that it did not say before, the half
with the broken rename is searched for. Only renames that leave nothing to decide are counted;
those that are refused or leave possible uses to the caller are counted apart. `--check` replaces
the checker. Exits with 1 if a rename broke something.

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
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from benchpin.code import CodeIndex, SourceText
from benchpin.code.names import Symbol
from benchpin.code.references import plan_rename
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.workspace.writing import FileChange
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
    "typescript": (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".json"),
}
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"\w+|\W")
# What a new name ends in. It is spelt like the old one: compilers warn about others.
_MARK = re.compile(r"(?:_ZQ|Zq|_zq)\b")
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
    lines = map(str.strip, (done.stdout + done.stderr).splitlines())
    # A line without words only marks a column, which a longer name moves.
    return Counter(_NUMBER.sub("N", it) for it in lines if _LETTER.search(it))


def symbols_of(index: CodeIndex) -> list[Symbol]:
    """Return functions, types, methods and variables of files, in order."""
    found = []
    for path in sorted(index.symbols.modules):
        module = index.symbols.modules[path]
        found += [*module.symbols.values(), *module.variables]
    return found


@dataclass(frozen=True)
class Planned:
    """A symbol and what its rename writes: (file, start, end) in characters, and the text."""

    symbol: Symbol
    edits: dict[tuple[str, int, int], str]


def edits_of(change: FileChange) -> dict[tuple[str, int, int], str]:
    """Return which characters of a file a change replaces, a word at a time."""
    found, start = {}, 0
    texts = ((it or b"").decode(errors="surrogateescape") for it in (change.before, change.after))
    for before, after in zip(*(it.splitlines(keepends=True) for it in texts), strict=True):
        old, new = _WORD.findall(before), _WORD.findall(after)
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if old != new else ()
        for kind, first, last, new_first, new_last in codes:
            if kind != "equal":
                place = start + len("".join(old[:first])), start + len("".join(old[:last]))
                found[change.path, *place] = "".join(new[new_first:new_last])
        start += len(before)
    return found


class Renames:
    """Renames symbols in a copy of a project."""

    def __init__(self, folder: Path, out: Path, command: str, endings: tuple[str, ...]) -> None:
        self._folder, self._out, self._command = folder, out, command
        paths = (it for it in folder.rglob("*") if it.is_file() and it.name.endswith(endings))
        texts = {
            str(it.relative_to(folder)): it.read_text(encoding="utf-8", errors="replace")
            for it in paths
            if "node_modules" not in it.parts
        }
        self.index = indexed(texts)
        # Twice: a checker that remembers its last run may say the same in other words.
        self.before = complaints(command, folder, out) | complaints(command, folder, out)

    def plan(self, symbol: Symbol) -> Planned | str:
        """Return what a rename changes, or why it is not counted."""
        old = symbol.name
        new = f"{old}_ZQ" if old.isupper() else f"{old}Zq" if old[:1].isupper() else f"{old}_zq"
        try:
            plan = plan_rename(self.index, symbol, new, SourceText(self._folder), Job())
        except InvalidParams:
            return "refused"
        if plan.note or any(it.certainty != "mention" for it in plan.undecided):
            return "left to decide"
        edits = {place: text for it in plan.changes for place, text in edits_of(it).items()}
        return Planned(symbol, edits)

    def broken(self, planned: Sequence[Planned]) -> list[tuple[Planned, list[str]]]:
        """Return the renames that the checker complains of, with what it says."""
        fresh = self._tried(planned)
        if not fresh:
            return []
        if len(planned) == 1:
            return [(planned[0], fresh)]
        half = len(planned) // 2
        return self.broken(planned[:half]) + self.broken(planned[half:])

    def _tried(self, planned: Sequence[Planned]) -> list[str]:
        """Rename, check and put back; return what is new."""
        by_file: defaultdict[str, dict[tuple[int, int], str]] = defaultdict(dict)
        for one in planned:
            for (file, *place), text in one.edits.items():
                by_file[file][place[0], place[1]] = text
        kept = {file: (self._folder / file).read_bytes() for file in by_file}
        for file, edits in by_file.items():
            text = kept[file].decode(errors="surrogateescape")
            for (start, end), written in sorted(edits.items(), reverse=True):
                text = text[:start] + written + text[end:]
            (self._folder / file).write_bytes(text.encode(errors="surrogateescape"))
        after = complaints(self._command, self._folder, self._out)
        for file, content in kept.items():
            (self._folder / file).write_bytes(content)
        # What was said before about the old name is now said about the new one.
        said = {_MARK.sub("", text) for text in after}
        return sorted(said - self.before.keys())


def main() -> int:
    """Rename, and print how many broke."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("language", choices=sorted(_CHECKS))
    given.add_argument("folder", type=Path)
    given.add_argument("--renames", type=int, default=30)
    given.add_argument("--together", type=int, default=10, help="how many are checked at once")
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
        wanted: list[list[Planned]] = [[]]
        for symbol in drawn:
            planned = renames.plan(symbol)
            if isinstance(planned, str):
                outcomes[planned] += 1
                continue
            taken = {place for it in wanted[-1] for place in it.edits}
            if len(wanted[-1]) >= options.together or not taken.isdisjoint(planned.edits):
                wanted.append([])
            wanted[-1].append(planned)
            if sum(map(len, wanted)) >= options.renames:
                break
        until = time.monotonic() + options.seconds
        for batch in wanted:
            if time.monotonic() > until:
                break
            broken = renames.broken(batch)
            outcomes["broken"] += len(broken)
            outcomes["whole"] += len(batch) - len(broken)
            for one, fresh in broken:
                print(f"BROKEN {one.symbol.id} ({one.symbol.kind})", flush=True)
                for text in fresh[:_SHOWN]:
                    print(f"    {text[:200]}", flush=True)
    said = sum(renames.before.values())
    print(f"{options.folder.name}: {dict(sorted(outcomes.items()))}; said before: {said} lines")
    return int(outcomes["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
