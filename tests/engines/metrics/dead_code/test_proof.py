"""An edit that a proof allows leaves what a search of everything finds."""

import random
from collections.abc import Iterator

import msgspec
import pytest

from benchpin.engines.metrics.dead_code import (
    NameUses,
    ProvenDeadCode,
    find_dead_code,
    find_name_uses,
    still_proven,
)
from benchpin.engines.metrics.dead_code.definitions import define
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.program import NamesOutsideCode
from dead_code_kit import facts_of

_STATEMENTS = (
    "one()",
    "two(1)",
    "self.three()",
    "x.four = 4",
    "_five()",
    "name = 'one'",
    "getattr(x, 'fo' + name)",
    "print(Six().three)",
    "# a comment",
    "return [1, 2]",
    "warn('deprecated')",
    "value = 1",
    "print('two(3) is used')",
    "for it in Six.__subclasses__(): it()",
)
_DEFINITIONS = ("def one(x=1):", "def two(x):", "def _five():", "def test_one():", "def four(x):")


def edits(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield the files of a made-up program, after each of so many edits."""
    chance = random.Random(seed)  # noqa: S311 - test data

    def body(indent: str) -> list[str]:
        return [indent + it for it in chance.choices(_STATEMENTS, k=chance.randint(1, 4))]

    def text() -> list[str]:
        lines = ["from a import one, _five", "import b"]
        for head in chance.sample(_DEFINITIONS, k=chance.randint(1, 3)):
            lines += [head, *body("    "), "    pass"]
        if chance.random() < 0.5:
            base = chance.choice(("", "(b.Six)", "(list)"))
            lines += [
                f"class Six{base}:",
                "    def three(self):",
                *body("        "),
                "        pass",
            ]
        return [*lines, *[it for it in body("") if not it.startswith(("return", "self"))]]

    files = {path: text() for path in ("a.py", "b.py", "c.py", "tests/test_d.py")}
    yield {path: "\n".join((*lines, "")) for path, lines in files.items()}
    for _ in range(count):
        path = chance.choice(sorted(files))
        lines = files[path]
        inner = [at for at, line in enumerate(lines) if line.strip() == "pass"]
        at, how = chance.choice(inner), chance.random()
        if how < 0.1:
            files[path] = text()
        elif how < 0.7:
            indent = lines[at].removesuffix("pass")
            files[path] = [*lines[:at], indent + chance.choice(_STATEMENTS), *lines[at:]]
        else:
            kept = [it for it in range(len(lines)) if lines[it].strip() in _STATEMENTS]
            gone = chance.choice(kept) if kept else at
            files[path] = [it for number, it in enumerate(lines) if number != gone or not kept]
        yield {path: "\n".join((*lines, "")) for path, lines in files.items()}


def read(texts: dict[str, str]) -> list[FileFacts]:
    """Return the facts of files, whose keys are their texts."""
    return [msgspec.structs.replace(it, key=texts[it.path].encode()) for it in facts_of(texts)]


def searched(files: list[FileFacts]) -> tuple[ProvenDeadCode, NameUses]:
    own = [define(file, number, 0) for number, file in enumerate(files)]
    uses = find_name_uses(files, own, lambda: None)
    found = find_dead_code(
        files, NamesOutsideCode(), include_tests=True, find_uses=lambda *_: uses, is_folded=False
    )
    return found, uses


@pytest.mark.parametrize("seed", range(6))
def test_what_is_still_proven_is_what_a_search_of_everything_finds(seed: int) -> None:
    known: tuple[ProvenDeadCode, NameUses] | None = None
    proven = 0
    for texts in edits(seed, 25):
        files = read(texts)
        now = searched(files)
        if known is not None:
            keys = known[0].proof.keys
            changed = [file for file in files if keys[file.path] != file.key]
            kept = still_proven(*known, changed)
            if kept is not None:
                assert kept[0].found == now[0].found
                assert kept[0].ordinals == now[0].ordinals
                proven += 1
            known = kept
        known = known or now
    assert proven


FILES = {
    "a.py": "def used():\n    pass\n\n\ndef _dead():\n    used()\n",
    "b.py": "import a\n\n\ndef run():\n    a.used()\n\n\nrun()\na.used()\n",
    "c.py": "import a\n\n\ndef go():\n    a.used()\n    a.go()\n\n\ngo()\n",
}


@pytest.mark.parametrize(
    ("path", "text", "is_kept"),
    [
        ("a.py", "# moved\n" + FILES["a.py"], True),
        ("a.py", FILES["a.py"].replace("    pass", "    print(len('x'))"), True),
        ("a.py", FILES["a.py"].replace("    pass", "    _dead()"), False),
        ("a.py", FILES["a.py"].replace("_dead", "_gone"), False),
        ("a.py", FILES["a.py"].replace("    pass", "    warn('deprecated')"), False),
        ("b.py", FILES["b.py"].replace("import a", "import a, c"), False),
        ("b.py", FILES["b.py"].replace("run()\na", "a"), False),
        ("c.py", FILES["c.py"].replace("    a.used()\n", ""), True),
        ("c.py", FILES["c.py"].replace("    a.used()\n", "    a.used()\n    a.run()\n"), True),
        ("c.py", FILES["c.py"].replace("a.go()", "a._dead()"), False),
    ],
)
def test_an_edit_is_proven_to_change_nothing_or_everything_is_searched(
    path: str,
    text: str,
    is_kept: bool,  # noqa: FBT001 - a column of the table
) -> None:
    known = searched(read(FILES))
    files = read(FILES | {path: text})
    kept = still_proven(*known, [it for it in files if it.path == path])
    assert (kept is not None) is is_kept
    if kept is not None:
        assert kept[0].found == searched(files)[0].found
