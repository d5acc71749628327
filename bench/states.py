"""Judge the states of notes on real history: `states.py [--draw N] [--seed S] NAME=GITDIR…`.

A draw is a line of a file in one commit, and the same file some commits later. The truth comes
from others: `git blame --reverse` says whether the line is still there and where, difflib whether a
lost line was edited or removed, and a parser which function is around it: Python's own `ast`, or
(`--language`) the tree-sitter grammar, asked directly and not through Benchpin's facts. A line of
which they are not certain is not drawn.
"""

import argparse
import ast
import difflib
import importlib
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tree_sitter

from anchoring import Period, by_history
from benchpin.comments.anchoring import Placement, make_anchor
from benchpin.comments.anchoring._anchor import SketchedText, sketch_of
from benchpin.comments.anchoring._code_state import has_changed
from benchpin.core.calls import Job
from benchpin.workspace.git import Repository
from benchpin.workspace.git_objects import open_objects
from results import machine, write_section

# The endings of each language, its grammar, and the nodes that are functions and types in it.
LANGUAGES = {
    "go": ("go", "go", "function_declaration method_declaration", "type_spec"),
    "java": (
        "java",
        "java",
        "method_declaration constructor_declaration compact_constructor_declaration",
        "class_declaration interface_declaration enum_declaration record_declaration",
    ),
    "rust": ("rs", "rust", "function_item", "impl_item struct_item enum_item trait_item mod_item"),
    "typescript": (
        "ts",
        "typescript",
        "function_declaration method_definition generator_function_declaration",
        "class_declaration interface_declaration type_alias_declaration",
    ),
}
NAMELESS = {
    "arrow_function",
    "function_expression",
    "func_literal",
    "lambda_expression",
    "closure_expression",
}
STATES = ("fresh", "moved", "changed", "gone")
_EDITED, _GONE = 0.75, 0.45
# A line that is more than this ahead of the next was edited; otherwise it could be either.
_LEAD = 0.1
_TELLING = 8
GIT = shutil.which("git") or "git"


@dataclass(frozen=True)
class Draw:
    """A line, and what became of it."""

    a: str
    b: str
    path: str
    line: int
    state: str
    place: tuple[str, int] | None


class Labels:
    """What git, difflib and ast say about lines of one repository."""

    def __init__(self, folder: Path, language: str = "python") -> None:
        self.folder = folder
        self.language = language
        self.ending = "py" if language == "python" else LANGUAGES[language][0]
        self.commits = self.git("rev-list", "--first-parent", "--reverse", "HEAD").split()

    def git(self, *words: str) -> str:
        """Run git."""
        return subprocess.run(
            (GIT, "--git-dir", str(self.folder), *words),
            capture_output=True,
            check=True,
            encoding="utf-8",
            errors="replace",
        ).stdout

    def lines(self, commit: str, path: str) -> list[str]:
        """Return the lines of a file."""
        return self.git("show", f"{commit}:{path}").split("\n")

    def draw(self, numbers: random.Random) -> Draw | None:
        """Draw a line; None when its fate is not certain."""
        gap = numbers.choice((1, 3, 10, 30, 100, 300))
        if gap >= len(self.commits):
            return None
        start = numbers.randrange(len(self.commits) - gap)
        return self.draw_between(self.commits[start], self.commits[start + gap], numbers)

    def draw_between(self, a: str, b: str, numbers: random.Random) -> Draw | None:
        """Draw a line of one commit, and say what became of it in another; None if unsure."""
        options = ("--name-only", "--no-renames", "--diff-filter=MD")
        changed = self.git("diff", *options, a, b, "--", f"*.{self.ending}").split()
        if not changed:
            return None
        path = numbers.choice(changed)
        text = self.lines(a, path)
        line = numbers.randrange(len(text)) + 1
        if sum(map(str.isalnum, text[line - 1])) < _TELLING:
            return None
        try:
            found = self.follow(a, b, path, line)
            if found is None:
                return None
            if not found:
                return Draw(a, b, path, line, "gone", None)
            return Draw(a, b, path, line, self.state(a, b, path, line, found), found[:2])
        except (subprocess.CalledProcessError, SyntaxError, ValueError):
            return None

    def follow(
        self, a: str, b: str, path: str, line: int
    ) -> "tuple[str, int, bool] | tuple[()] | None":
        """Return where a line is and whether it was edited; nothing when gone, None if unsure."""
        edited = False
        for _ in range(5):
            if a == b:
                return path, line, edited
            out = self.git(
                "blame", "--reverse", "--first-parent", "--porcelain", "-w",
                f"-L{line},{line}", f"{a}..{b}", "--", path,
            ).split("\n")  # fmt: skip
            last, at, *_ = out[0].split(" ")
            name = next(it[len("filename ") :] for it in out if it.startswith("filename "))
            if last == b:
                return name, int(at), edited
            child = self.commits[self.commits.index(last) + 1]
            step = self.step(last, child, name, int(at))
            if not step:
                return step
            a, (path, line), edited = child, step, True
        return None

    def step(self, old: str, new: str, path: str, line: int) -> tuple[str, int] | tuple[()] | None:
        """Return what one commit did to a line that it changed: edited, removed or unclear."""
        text = self.lines(old, path)[line - 1].strip()
        diff = self.git("diff", "-M", "-w", "-U0", "--no-color", old, new)
        added: list[tuple[str, int, str, bool]] = []
        name, at, is_hunk = "", 0, False
        for row in diff.split("\n"):
            if row.startswith("--- "):
                source = row[6:]
            elif row.startswith("+++ "):
                name = row[6:]
            elif row.startswith("@@"):
                _, before, after, *_ = row.split(" ")
                first, _, count = before[1:].partition(",")
                reach = range(int(first), int(first) + int(count or 1))
                is_hunk = source == path and line in reach
                at = int(after[1:].partition(",")[0])
            elif row.startswith("+"):
                added.append((name, at, row[1:].strip(), is_hunk))
                at += 1
        ratios = sorted(
            (
                (difflib.SequenceMatcher(None, text, it[2], autojunk=False).ratio(), *it)
                for it in added
                if it[2]
            ),
            reverse=True,
        )
        if not ratios or ratios[0][0] < _GONE:
            return ()
        best, where, number, _, is_here = ratios[0]
        is_unique = len(ratios) == 1 or best - ratios[1][0] > _LEAD
        if best >= _EDITED and is_here and is_unique:
            return where, number
        return None

    def state(self, a: str, b: str, path: str, line: int, found: tuple[str, int, bool]) -> str:
        """Return the state of a line that is still there."""
        now, at, edited = found
        around = function_around if self.language == "python" else self.around
        if edited or around(self.lines(a, path), line) != around(self.lines(b, now), at):
            return "changed"
        return "fresh" if (path, line) == (now, at) else "moved"

    def around(self, lines: Sequence[str], line: int) -> list[str]:
        """Return the lines of the innermost function, as `function_around` does.

        Raises:
            ValueError: when a function without a name is nearer, of which the truth is not plain.
        """
        _, grammar, functions, types = LANGUAGES[self.language]
        module = importlib.import_module(f"tree_sitter_{grammar}")
        load = getattr(module, "language_typescript", None) or module.language
        parser = tree_sitter.Parser(tree_sitter.Language(load()))
        text = "\n".join(lines).encode()
        column = len(lines[line - 1]) - len(lines[line - 1].lstrip())
        at = (line - 1, len(lines[line - 1][:column].encode()))
        root = parser.parse(text).root_node
        if root.has_error:
            message = "it cannot be parsed"
            raise ValueError(message)
        node = root.descendant_for_point_range(at, at)
        named, kinds = set(functions.split()), set(types.split())
        while node is not None and node.type not in named | kinds:
            if node.type in NAMELESS:
                message = "a function without a name is around it"
                raise ValueError(message)
            node = node.parent
        if node is None or node.type in kinds:
            return ["".join(lines[line - 1].split())]
        body = lines[node.start_point[0] : node.end_point[0] + 1]
        return [it for it in ("".join(row.split()) for row in body) if it]


def function_around(lines: Sequence[str], line: int) -> list[str]:
    """Return the lines of the innermost function, unless a class is nearer; no white space."""
    tree = ast.parse("\n".join(lines))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    inside = [
        it
        for it in ast.walk(tree)
        if isinstance(it, kinds) and it.lineno <= line <= it.end_lineno  # type: ignore[operator] # parsed code has an end
    ]
    around = max(inside, key=lambda it: it.lineno, default=None)
    if around is None or isinstance(around, ast.ClassDef):
        return ["".join(lines[line - 1].split())]
    body = lines[around.lineno - 1 : around.end_lineno]
    return [it for it in ("".join(row.split()) for row in body) if it]


def judge(draw: Draw, period: Period, *, sketched: bool) -> str:
    """Return the state that Benchpin finds."""
    then = period.then(draw.path)
    anchor = make_anchor(then, draw.line)
    [outcome] = by_history(period, draw.path, [], [anchor])
    if not isinstance(outcome, Placement):
        return "gone"
    base = SketchedText(then.blob_id, sketch_of(then), [anchor]) if sketched else then
    new = period.now(outcome.path)
    assert new is not None
    if has_changed(anchor, base, new, outcome.line, "line"):
        return "changed"
    return "fresh" if (outcome.path, outcome.line) == (draw.path, draw.line) else "moved"


def main() -> None:
    """Draw lines, judge them, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("histories", nargs="+", metavar="NAME=GITDIR")
    parser.add_argument("--draw", type=int, default=400, help="lines of each project")
    parser.add_argument("--seed", type=int, default=39)
    parser.add_argument("--language", choices=("python", *LANGUAGES), default="python")
    parser.add_argument("--section", default="States of notes", help="the section to write")
    parser.add_argument("--errors", action="store_true", help="print every draw that is wrong")
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for history in given.histories:
        name, _, folder = history.partition("=")
        place = Path(folder).resolve()
        labels, numbers = Labels(place, given.language), random.Random(given.seed)  # noqa: S311 - a repeatable draw
        repository = Repository(place, place, place, place)
        draws: list[Draw] = []
        drawn: Counter[str] = Counter()
        for _ in range(10 * given.draw):
            if len(draws) == given.draw:
                break
            draw = labels.draw(numbers)
            # Most lines stay: without a quota there would be few that changed or are gone.
            if draw is not None and drawn[draw.state] < given.draw // 3:
                drawn[draw.state] += 1
                draws.append(draw)
        with open_objects(repository, Job()) as objects:
            for draw in draws:
                period = Period(repository, objects, draw.a, draw.b)
                found = judge(draw, period, sketched=False)
                counts[draw.state, found] += 1
                if given.errors and found != draw.state:
                    print(name, draw, "but", found)
    total = sum(counts.values())
    rows = [
        f"| {state} | {(n := sum(counts[state, it] for it in STATES))} | "
        + " | ".join(str(counts[state, it]) for it in STATES)
        + f" | {100 * counts[state, state] / max(n, 1):.1f} |"
        for state in STATES
    ]
    names = ", ".join(it.partition("=")[0] for it in given.histories)
    lines = [
        f"{total:,} lines of {given.language} in {names}, seed {given.seed}; {machine()}.",
        "",
        "| truth | lines | fresh | moved | changed | gone | right, % |",
        "| --- |" + " --- |" * 6,
        *rows,
    ]
    write_section(given.section, "\n".join(lines))


if __name__ == "__main__":
    main()
