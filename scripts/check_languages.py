"""Fail when a language is named outside of its package, by its name or by the ending of its files.

A language is one package in `facts/languages/` and one line beside it. A string that consists of
its name anywhere else is a rule that the next language will not get: it belongs in the table of the
language (`facts/parsing/_language.py`) or in its `navigation` module. So does what an import of its
package asks for, and a string that is the ending of its files, or is compared with the end of one.

`ALLOWED` has the places where such a word is something else, each with how often it is there and
what it is. A number may fall, and then it has to be lowered here, but it does not grow.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src" / "benchpin"
LANGUAGES = ROOT / "facts" / "languages"
DOOR = "benchpin.facts.languages."
ALLOWED: dict[str, tuple[int, str]] = {
    "app/_workbench.py": (1, "the kind of caller that uses the Python API"),
    "cli/completion.py": (1, "a shell"),
    "cli/doctor.py": (1, "the interpreter that Benchpin runs on"),
    "cli/host_hooks.py": (2, "a field of the hooks of Copilot CLI"),
    "cli/groups.py": (1, "what to type to run a program in that language"),
    "comments/_sidecar_edit.py": (1, "the first letters of an id"),
    "facts/languages/_detect.py": (6, "which of two languages a header is in, `.h` being of both"),
    "facts/languages/_registry.py": (
        len([*LANGUAGES.glob("*/grammar.py")]),
        "the one line of each language",
    ),
    "facts/parsing/_compiled.py": (1, "modules of Benchpin"),
    "facts/store/_versions.py": (2, "modules of Benchpin"),
    "measures/graph/_automation.py": (1, "the file that `-m` runs"),
    "measures/graph/_build.py": (1, "files that only declare what another one has"),
    "performance/findings/_advice.py": (2, "the kind of a query in a snapshot"),
    "performance/exports/_stacks.py": (1, "a letter of the format of Callgrind"),
    "performance/recording/": (22, "interpreters, and the profilers that each of them has"),
    "project/bridges/": (44, "how two given languages call one another, in a module for each way"),
    "repository/": (58, "ecosystems of packages, programs in documents, names of files"),
    "run/checkers/": (14, "programs, and files that they are asked about"),
    "run/sandbox/": (1, "modules of Benchpin"),
    "run/tests/": (34, "programs, folders and files of test runners"),
    "system/processes/_surroundings.py": (2, "an extra"),
    "templates/": (27, "notations that a template can quote a value for"),
    "toolsets/fleet/": (2, "a field with a query"),
    "toolsets/workspace/_texts.py": (9, "media types"),
}


def main() -> None:
    """Print what is named where it should not be, and exit with 1 when a number differs."""
    found = [
        (path.relative_to(ROOT).as_posix(), line, what)
        for path in sorted(ROOT.rglob("*.py"))
        if path.parent.parent != LANGUAGES
        for line, what in find_names(ast.parse(path.read_text(encoding="utf-8")), known_names())
    ]
    counted = Counter(_place(path) for path, _, _ in found)
    budgets = {"": 0, **{place: number for place, (number, _) in ALLOWED.items()}}
    wrong = [place for place, number in budgets.items() if counted[place] != number]
    for place in wrong:
        print(f"{place or 'elsewhere'}: {counted[place]} names of languages, not {budgets[place]}")
        for path, line, what in found:
            if _place(path) == place:
                print(f"  src/benchpin/{path}:{line}: {what}")
    if wrong:
        sys.exit(
            "Ask the table of the language instead of its name, or lower the number in this script."
        )


def known_names() -> frozenset[str]:
    """Return the names of the packages of languages, and the endings of their files."""
    grammars = list(LANGUAGES.glob("*/grammar.py"))
    tables = (it.read_text(encoding="utf-8") for it in grammars)
    endings = (re.search(r"extensions=\(([^)]*)\)", it) for it in tables)
    found = (re.findall(r'"([^"]+)"', it[1]) for it in endings if it is not None)
    return frozenset(it.parent.name for it in grammars).union(*found)


def find_names(tree: ast.Module, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Give the line of each string that names a language, and of each import of one."""
    endings = tuple(it for it in names if it.startswith("."))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in names:
            yield node.lineno, f'"{node.value}"'
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "endswith":
            for it in node.args:
                text = it.value if isinstance(it, ast.Constant) else None
                if isinstance(text, str) and text.endswith(endings) and text not in names:
                    yield node.lineno, f'"{text}"'
        is_import = isinstance(node, ast.ImportFrom) and (node.module or "").startswith(DOOR)
        if is_import and isinstance(node, ast.ImportFrom):
            yield node.lineno, f"import of {node.module}"


def _place(path: str) -> str:
    """Return the entry of `ALLOWED` that a file belongs to; empty if there is none."""
    return next((it for it in ALLOWED if path.startswith(it)), "")


if __name__ == "__main__":
    main()
