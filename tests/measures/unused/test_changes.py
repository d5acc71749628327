"""After any edit, a search with what was known finds what a new one finds."""

import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from benchpin.facts import FileFacts
from benchpin.facts.liveness import ForeignUse, NamesOutsideCode
from benchpin.facts.store import OnDemandSections, Section
from benchpin.measures.unused import (
    FILE_USES,
    DeadCode,
    JoinedUses,
    Liveness,
    find_liveness,
    report_dead_code,
)
from dead_code_kit import facts_of

_NAMES = ("one", "two", "_three", "get_four", "test_five", "setup", "run", "on_six")
_TYPES = ("Base", "Middle", "Leaf", "_Hidden", "Meta")


class Texts:
    """Makes parts of files at random."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def of(self, path: str) -> list[str]:
        """Return the parts of a new file."""
        return [self.part(path) for _ in range(self._chance.randint(1, 6))]

    def part(self, path: str) -> str:
        """Return a definition, an import or a statement."""
        ending = path.rpartition(".")[2]
        makers: dict[str, Callable[[], str]] = {
            "py": self._python,
            "js": self._javascript,
            "c": self._c,
            "h": self._c,
            "go": self._go,
            "rs": self._rust,
        }
        return makers[ending]()

    def _pick(self, *values: str) -> str:
        return self._chance.choice(values)

    def _use(self) -> str:
        one, two, kind = self._pick(*_NAMES), self._pick(*_NAMES), self._pick(*_TYPES)
        return self._pick(
            f"{one}()",
            f"self.{one}()",
            f"a.{one}({two})",
            f"{kind}().{one}()",
            f"name = '{one}'",
            f"getattr(self, 'get_' + {two})",
            f"getattr(self, {two})",
            f"print('call {one}() or `{two}`')",
            "warn('deprecated')",
            f"for it in {kind}.__subclasses__(): it()",
            "pass",
        )

    def _python(self) -> str:
        one, two = self._pick(*_NAMES), self._pick(*_NAMES)
        kind, base = (
            self._pick(*_TYPES),
            self._pick(*_TYPES, "list", "ast.NodeVisitor", "ext.Other"),
        )
        mark = self._pick("", "", "@register\n", "@property\n", "@abstractmethod\n")
        inner = mark and f"    {mark}"
        meta = self._pick("", "", ", metaclass=Meta")
        return self._pick(
            f"{mark}def {one}(x=1):\n    {self._use()}\n    {self._use()}",
            f"def {one}():\n    def {two}():\n        {self._use()}\n    {self._use()}",
            f"class {kind}:\n{inner}    def {one}(self):\n        {self._use()}\n"
            f"    def {two}(self):\n        {self._use()}",
            f"class {kind}({base}{meta}):\n{inner}    def {one}(self):\n        {self._use()}",
            f"class {kind}({base}):\n    class Meta:\n        pass\n"
            f"    def __init_subclass__(cls):\n        {self._use()}",
            f"from a import {one}, {kind}",
            f"from pkg.core import {kind} as {two}",
            "import ext, ast\nimport pkg.core",
            "from b import *",
            f"__all__ = ['{one}', '{kind}']",
            self._use().replace("self.", "a."),
            f"if __name__ == '__main__':\n    {one}()",
            "vars().items()",
            f"'''\n>>> {one}()\n'''",
        )

    def _javascript(self) -> str:
        one, two = self._pick(*_NAMES), self._pick(*_NAMES)
        kind, base = self._pick(*_TYPES), self._pick(*_TYPES, "Other")
        return self._pick(
            f"export function {one}(x) {{ return {two}(x) + this[x]; }}",
            f"function {one}() {{ {two}(); x.{one} = 'get_' + y[{two}]; }}",
            f"const {one} = () => {two};",
            f"export class {kind} extends {base} {{ {one}() {{ this.{two}(); }} #run() {{}} }}",
            f"import {{ {one} as {two} }} from './web';",
            f"import {kind} from './{self._pick('web', 'more', 'lib/deep')}';",
            f"export {{ {one}, {kind} }} from './more';",
            f"export default function {one}() {{ {two}(); }}",
            f"const {{ {one}, {two} }} = object;",
            f"{one}();",
        )

    def _c(self) -> str:
        one, two = self._pick(*_NAMES), self._pick(*_NAMES)
        kind = self._pick(*_TYPES)
        return self._pick(
            f"static int {one}(int x) {{ return {two}(x); }}",
            f"int {one}(int x) {{ return {two}(x); }}",
            f"int {one}(int x);",
            f"struct {kind} {{ int x; }};",
            f'#include "{self._pick("util.h", "more.c")}"',
            f"#define CALL(name) get_ ## name\nint y = {one}(1);",
        )

    def _go(self) -> str:
        one, two = self._pick(*_NAMES), self._pick(*_NAMES)
        kind = self._pick(*_TYPES)
        return self._pick(
            f"func {one}(x int) int {{ return {two}(x) }}",
            f"type {kind} struct {{ x int }}",
            f"func (it *{kind}) {one}() {{ it.{two}() }}",
            f"type {kind} interface {{ {one}() }}",
        )

    def _rust(self) -> str:
        one, two = self._pick(*_NAMES), self._pick(*_NAMES)
        kind, other = self._pick(*_TYPES), self._pick(*_TYPES)
        return self._pick(
            f"fn {one}() {{ {two}(); }}",
            f"pub struct {kind} {{ x: u8 }}",
            f"impl {kind} {{ pub fn {one}(&self) {{ self.{two}(); }} }}",
            f"impl {other} for {kind} {{ fn {one}(&self) {{ {two}(); }} }}",
            "#![allow(dead_code)]",
        )


_PATHS = {
    "python": ("a.py", "b.py", "pkg/__init__.py", "pkg/core.py", "tests/test_d.py", "new/e.py"),
    "javascript": ("web.js", "more.js", "lib/deep.js", "test/web.test.js", "a.py"),
    "c": ("main.c", "util.c", "util.h", "include/more.h", "src/more.c"),
    "go and rust": ("cmd/main.go", "cmd/more.go", "lib/a.go", "src/lib.rs", "src/more.rs"),
}


def edits(paths: tuple[str, ...], seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield the files of a program, after each of so many edits."""
    chance = random.Random(seed)  # noqa: S311 - test data
    texts = Texts(chance)
    files = {path: texts.of(path) for path in paths[:-1]}
    for _ in range(count):
        yield {path: "\n".join((*parts, "")) for path, parts in sorted(files.items())}
        path = chance.choice(paths)
        parts = files.setdefault(path, [])
        at, how = chance.randint(0, len(parts)), chance.random()
        if how < 0.4:
            parts.insert(at, texts.part(path))
        elif how < 0.65:
            del parts[at : at + 1]
        elif how < 0.8:
            old, new = chance.sample((*_NAMES, *_TYPES), k=2)
            files[path] = [it.replace(old, new) for it in parts]
        elif how < 0.9:
            other = chance.choice([it for it in paths if it[-2:] == path[-2:]])
            files.setdefault(other, []).extend(parts[at : at + 2])
            del parts[at : at + 2]
        elif len(files) > 2:
            del files[path]


def outsides(seed: int) -> Iterator[tuple[NamesOutsideCode, list[ForeignUse]]]:
    """Yield what is known from elsewhere, which changes now and then."""
    chance = random.Random(seed)  # noqa: S311 - test data
    while True:
        some = [frozenset(chance.sample(_NAMES, k=chance.randint(0, 2))) for _ in range(2)]
        modules = frozenset({"pkg.core"} if chance.random() < 0.3 else ())
        entries = frozenset({"web"} if chance.random() < 0.3 else ())
        uses = [ForeignUse("a.py", 1, "one")] if chance.random() < 0.3 else []
        for _ in range(chance.randint(1, 6)):
            yield NamesOutsideCode(some[0], some[1], modules, entries), uses


def read(texts: dict[str, str]) -> list[FileFacts]:
    """Return the facts of files, whose keys are their texts."""
    return [
        msgspec.structs.replace(it, key=f"{it.path} {texts[it.path]}".encode())
        for it in facts_of(texts)
    ]


def on_demand(files: list[FileFacts]) -> list[FileFacts]:
    """Return files whose facts are loaded when they are asked for, as those of a call are."""
    names: tuple[Section, ...] = ("outline", "links", "tokens")
    return [
        msgspec.structs.replace(it, sections=OnDemandSections({}, names, it.sections.__getitem__))
        for it in files
    ]


def joined_with(known: JoinedUses, files: list[FileFacts]) -> list[FileFacts]:
    """Add what is not known of files, through the bytes that workers store; return these files."""
    added = known.lacking(files)
    for file in added:
        stored = FILE_USES.decode(FILE_USES.made(file, b"\xc0"))
        assert stored is not None
        known.add(file, stored[0])
    return added


def everything_in(found: Liveness) -> DeadCode:
    return report_dead_code(found, is_folded=False)


@pytest.mark.parametrize("include_public", [False, True])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("language", sorted(_PATHS))
def test_a_search_with_known_files_finds_what_a_new_one_finds(
    language: str,
    seed: int,
    include_public: bool,  # noqa: FBT001 - given by the parametrization
) -> None:
    kept = JoinedUses()
    known = outsides(seed)
    for texts in edits(_PATHS[language], seed, 40):
        files = read(texts)
        outside, foreign = next(known)
        new = JoinedUses()
        joined_with(new, files)
        expected = find_liveness(
            files, new.of(files), new.words, outside, foreign, include_public=include_public
        )
        joined_with(kept, files)
        listed = on_demand(files)
        found, likely = (
            everything_in(
                find_liveness(
                    listed,
                    kept.of(files),
                    kept.words,
                    outside,
                    foreign,
                    include_public=include_public,
                    min_confidence=least,
                )
            )
            for least in (0.0, 0.5)
        )
        assert found == everything_in(expected)
        assert likely == found.above(0.5)


def test_only_files_that_changed_are_read_again() -> None:
    texts = {"a.py": "def one():\n    two()\n", "b.py": "import a\n\na.three()\n"}
    known = JoinedUses()
    assert joined_with(known, read(texts)) == read(texts)
    changed = read(texts | {"a.py": "def one():\n    one()\n\ndef three(): ...\n"})

    assert joined_with(known, changed) == [changed[0]]
    found = find_liveness(changed, known.of(changed), known.words, NamesOutsideCode())
    assert [it.name for it in everything_in(found).items] == ["one"]
