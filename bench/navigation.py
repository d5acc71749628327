"""Measure how often a name in the code leads where a reference tool says it leads.

    python bench/navigation.py jedi PYTHON PROJECT... [--names 400]
    python bench/navigation.py scip SCIP_TYPESCRIPT PROJECT... [--names 400]
    python bench/navigation.py go|java|rust PROJECT... [--names 400]
    python bench/navigation.py speed PROJECT

Names are drawn by seed from the files of a project: occurrences of names that some function, type
or method of the project has. The reference says where each is defined. *Precision* is the share of
our certain answers that agree with it, of those that it answers; *recall* the share of its answers
inside the project that are among our certain and possible ones.

`jedi` runs in the interpreter PYTHON, which needs jedi; SCIP_TYPESCRIPT is the folder of the npm
package, and each project needs its tsconfig.json. Benchpin itself uses neither.
"""

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchpin.code import CodeIndex
from benchpin.code._code_index import index_files
from benchpin.code.names import Module, Symbol
from benchpin.code.references import find_uses
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery

SEED = 20261116
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_JEDI = """
import json, sys, jedi
root, asked = sys.argv[1], json.load(sys.stdin)
project = jedi.Project(root, load_unsafe_extensions=False, added_sys_path=[root + "/src", root])
scripts = {}
for file, line, column in asked:
    if file not in scripts:
        scripts[file] = jedi.Script(path=f"{root}/{file}", project=project)
    try:
        found = scripts[file].goto(line, column, follow_imports=True)
    except Exception:
        found = []
    places = [[str(it.module_path or ""), it.line, it.type] for it in found]
    print(json.dumps(places), flush=True)
"""

_DUMP = """
const { scip } = require(process.argv[2] + "/dist/src/scip.js");
const fs = require("fs");
const index = scip.Index.deserializeBinary(fs.readFileSync(process.argv[3]));
for (const it of index.documents) {
  const found = it.occurrences.map(o => [o.range[0] + 1, o.range[1], o.symbol, o.symbol_roles & 1]);
  console.log(JSON.stringify([it.relative_path, found]));
}
"""


@dataclass(frozen=True)
class Name:
    """One name in the code."""

    module: Module
    at: int
    line: int
    column: int

    @property
    def text(self) -> str:
        """The name."""
        assert self.module.code is not None
        return self.module.code.stream.words[self.at]


def read_project(root: Path, cache: Path) -> CodeIndex:
    """Return the index of a project."""
    index = SourceIndex(root, cache)

    def read(path: str) -> bytes | None:
        return (root / path).read_bytes() if (root / path).is_file() else None

    query = SourceQuery(sections=("outline", "links", "tokens", "comments"))
    files = index.read(query, Job()).files
    index.close()
    return index_files(files, read, Job())


def python_names(index: CodeIndex, root: Path) -> Iterator[Name]:
    """Yield the occurrences of the names of symbols in Python files, with their columns."""
    known = {it.name for module in index.symbols.modules.values() for it in module.symbols.values()}
    for path, module in sorted(index.symbols.modules.items()):
        code = module.code
        if module.language != "python" or code is None:
            continue
        columns: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        try:
            source = (root / path).read_bytes()
            for token in tokenize.tokenize(io.BytesIO(source).readline):
                if token.type == tokenize.NAME:
                    columns[token.start[0], token.string].append(token.start[1])
        except (tokenize.TokenError, SyntaxError, IndentationError):
            continue
        defined = {it.declared.line for it in code.scopes}
        for name in sorted(known & module.facts.links.references.keys()):
            by_line: defaultdict[int, list[int]] = defaultdict(list)
            for at in code.stream.positions(name):
                by_line[code.stream.line(at)].append(at)
            for line, places in sorted(by_line.items()):
                found = columns[line, name]
                is_definition = line in defined and any(
                    code.stream.words[at - 1] in {"def", "class"} for at in places if at
                )
                if len(found) == len(places) and not is_definition:
                    yield from (
                        Name(module, at, line, column)
                        for at, column in zip(places, found, strict=True)
                    )


def compare_with_jedi(python: str, root: Path, index: CodeIndex, wanted: int) -> Counter[str]:
    """Count how our answers compare with those of jedi; print where they differ."""
    names = list(python_names(index, root))
    random.Random(SEED).shuffle(names)  # noqa: S311 - a sample
    names = names[:wanted]
    asked = json.dumps([(it.module.path, it.line, it.column) for it in names])
    run = subprocess.run(
        [python, "-c", _JEDI, str(root)], input=asked, capture_output=True, text=True, check=True
    )
    tally: Counter[str] = Counter()
    for name, line in zip(names, run.stdout.splitlines(), strict=True):
        theirs = {
            (str(Path(file).relative_to(root)), at)
            for file, at, _ in json.loads(line)
            if file.startswith(f"{root}/") and at is not None
        }
        places = json.loads(line)
        tally[judge(index, name, theirs, is_answered=bool(places))] += 1
    return tally


def shares(tally: Counter[str]) -> str:
    """Return precision and recall in words."""
    certain = tally["agree"] + tally["certain, but they differ"]
    inside = certain + tally["possible"] + tally["missed"]
    if not certain:
        return "nothing to compare"
    found = tally["agree"] + tally["possible"]
    right = f"{tally['agree'] / certain:.2%} of {certain} certain answers agree"
    return f"{right}; {found / inside:.2%} of {inside} found, {tally['agree'] / inside:.2%} certain"


def compare_with_scip(package: str, root: Path, index: CodeIndex, wanted: int) -> Counter[str]:
    """Count how our answers compare with those of scip-typescript; print where they differ."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "index.scip"
        command = ["node", f"{package}/dist/src/main.js", "index", "--output", str(made)]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
        dump = ["node", "-e", _DUMP, "-", package, str(made)]
        run = subprocess.run(dump, capture_output=True, text=True, check=True)
    documents = [json.loads(line) for line in run.stdout.splitlines()]
    defined = {
        _global(file, symbol): (file, line)
        for file, found in documents
        for line, _, symbol, is_definition in found
        if is_definition
    }
    names = list(scip_names(index, root, documents))
    random.Random(SEED).shuffle(names)  # noqa: S311 - a sample
    tally: Counter[str] = Counter()
    for name, symbol in names[:wanted]:
        place = defined.get(_global(name.module.path, symbol))
        theirs = set() if place is None else {place}
        tally[judge(index, name, theirs, is_answered=place is not None)] += 1
    return tally


def compare_with_compiler(kind: str, root: Path, index: CodeIndex, wanted: int) -> Counter[str]:
    """Count how our answers compare with those of a compiler; print where they differ."""
    folder = Path(__file__).parent / "agreement"
    command = {
        "go": ["go", "run", str(folder / "go_uses.go"), str(root), "names"],
        "java": ["java", str(folder / "JavaUses.java"), str(root)],
        "rust": [sys.executable, str(folder / "rust_uses.py"), str(root)],
    }[kind]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    names = list(compiler_names(index, run.stdout.splitlines()))
    random.Random(SEED).shuffle(names)  # noqa: S311 - a sample
    return Counter(judge(index, name, theirs, is_answered=True) for name, theirs in names[:wanted])


def compiler_names(
    index: CodeIndex, rows: Iterable[str]
) -> Iterator[tuple[Name, set[tuple[str, int]]]]:
    """Yield the names of functions, types and methods with the places that the compiler says.

    A row has a file, a line, a column and a name, then a file and one or more lines of the
    declaration; no file for a declaration outside of the project.
    """
    by_place: defaultdict[tuple[str, int, str], list[tuple[int, str, list[str]]]] = defaultdict(
        list
    )
    for row in rows:
        file, at_line, at_column, name, to, *lines = row.split("\t")
        by_place[file, int(at_line), name].append((int(at_column), to, lines))
    known = names_of_symbols(index)
    for (file, line, name), places in sorted(by_place.items()):
        module = index.symbols.modules.get(file)
        if module is None or module.code is None or name not in known:
            continue
        defining = module.code.defining(name)
        at = [it for it in module.code.stream.positions(name) if it not in defining]
        at = [it for it in at if module.code.stream.line(it) == line]
        if len(at) == len(places):
            for position, (column, to_file, lines) in zip(at, sorted(places), strict=True):
                theirs = {(to_file, int(it)) for it in lines if to_file}
                yield Name(module, position, line, column - 1), theirs


def names_of_symbols(index: CodeIndex) -> set[str]:
    """Return the names of functions, types and methods, also of those without a body."""
    modules = index.symbols.modules.values()
    symbols = [it for module in modules for it in module.symbols.values()]
    fields = (it for symbol in symbols if symbol.is_type for it in index.values.fields_of(symbol))
    methods = (it for it in fields if any(at.variable.is_method for at in index.values.places(it)))
    return {it.name for it in (*symbols, *methods)}


def _global(file: str, symbol: str) -> str:
    return f"{file} {symbol}" if symbol.startswith("local ") else symbol


def scip_names(
    index: CodeIndex, root: Path, documents: list[tuple[str, list[tuple[int, int, str, int]]]]
) -> Iterator[tuple[Name, str]]:
    """Yield the names of symbols that the reference has an opinion on."""
    known = {it.name for module in index.symbols.modules.values() for it in module.symbols.values()}
    for file, found in documents:
        module = index.symbols.modules.get(file)
        if module is None or module.code is None:
            continue
        lines = (root / file).read_text(encoding="utf-8").splitlines()
        by_line: defaultdict[tuple[int, str], list[tuple[int, str, int]]] = defaultdict(list)
        for line, column, symbol, is_definition in found:
            text = lines[line - 1][column:]
            name = text[: len(text) - len(text.lstrip("$_" + _WORD))]
            by_line[line, name].append((column, symbol, is_definition))
        for (line, name), places in by_line.items():
            at = [
                it
                for it in module.code.stream.positions(name)
                if module.code.stream.line(it) == line
            ]
            defining = module.code.defining(name)
            if name in known and len(at) == len(places):
                for position, (column, symbol, is_definition) in zip(
                    at, sorted(places), strict=True
                ):
                    if not is_definition and position not in defining:
                        yield Name(module, position, line, column), symbol


def symbols_at(index: CodeIndex, theirs: set[tuple[str, int]], name: Name) -> list[Symbol]:
    """Return our symbols at the places that the reference names."""
    fields_of = index.values.fields_of
    aliases = {name.text, *(it.name for it in name.module.all_bindings.get(name.text, ()))}
    found = []
    for file, line in theirs:
        module = index.symbols.modules.get(file)
        if module is not None and module.code is not None:
            # A function that is defined twice, as with @overload, is one symbol of ours.
            # `const f =` may be on the line before `() => …`.
            names = [
                it.declared.name
                for it in module.code.scopes
                if line <= it.declared.line <= line + (module.family == "javascript")
            ]
            # Making an object leads to the constructor there, to the type here.
            names += [it.removesuffix(".constructor") for it in names]
            near = [module.symbols[it] for it in dict.fromkeys(names) if it in module.symbols]
            found += [it for it in near if it.name in aliases or "default" in aliases]
            fields = (it for at in module.symbols.values() if at.is_type for it in fields_of(at))
            found += [it for it in fields if it.line == line and it.name in aliases]
    return found


def judge(index: CodeIndex, name: Name, theirs: set[tuple[str, int]], *, is_answered: bool) -> str:
    """Return how our answer for a name compares with that of the reference."""
    meaning = index.meaning(name.module, name.at)
    ours = meaning.symbol
    expected = symbols_at(index, theirs, name)
    is_field = ours is not None and ours.declared is None
    if ours is not None and meaning.is_certain and (is_answered or not is_field):
        places = index.values.places(ours)  # overloads without a body among them
        code = index.symbols.modules[ours.file].code
        lines = {code.stream.line(it.variable.at) for it in places if code is not None}
        is_there = any((ours.file, it) in theirs for it in {*lines, ours.line})
        if is_there or any(ours is it or ours in index.types.overrides(it) for it in expected):
            return "agree"
        # rustc names the trait of a method; what implements one of another crate is not checked.
        owner = index.owner_of(ours)
        is_open = owner is not None and index.names.has_outside_base(owner)
        is_trait = is_open and not theirs and name.module.language == "rust"
        if not is_answered or is_trait:
            return "certain, they have no answer"
        show("DIFFER", name, f"ours {ours.id}:{ours.line}, theirs {sorted(theirs)}")
        return "certain, but they differ"
    code = name.module.code
    locals_at = {(name.module.path, code.stream.line(it.at)) for it in meaning.variables if code}
    if not expected or not theirs.isdisjoint(locals_at):
        return "not in the project"
    owner = index.owner_of(expected[0])
    if index.certainty(expected[0], owner, meaning) is not None:
        return "possible"
    show("MISSED", name, f"theirs {expected[0].id}, ours {meaning.kind} {ours and ours.id}")
    return "missed"


def show(what: str, name: Name, why: str) -> None:
    """Print a difference."""
    print(f"  {what} {name.module.path}:{name.line}:{name.column + 1} {name.text}: {why}")


def speed(root: Path, index: CodeIndex) -> None:
    """Print how long the uses of symbols take that are drawn by seed."""
    symbols = [it for module in index.symbols.modules.values() for it in module.symbols.values()]
    chosen = random.Random(SEED).sample(symbols, 200)  # noqa: S311 - a sample
    find_uses(index, chosen[0], Job())
    times = []
    for symbol in chosen:
        start = time.perf_counter()
        find_uses(index, symbol, Job())
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    shown = f"median {times[100]:.0f} ms, 90 % {times[180]:.0f} ms, worst {times[-1]:.0f} ms"
    print(f"{root.name}: {shown}")


def main() -> None:
    """Compare projects with a reference, or measure the time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("go", "java", "jedi", "rust", "scip", "speed"))
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--names", type=int, default=400)
    asked = parser.parse_args()
    projects = asked.arguments[asked.what in {"jedi", "scip"} :]
    with tempfile.TemporaryDirectory() as cache:
        for project in map(Path, projects):
            root = project.resolve()
            index = read_project(root, Path(cache))
            if asked.what == "speed":
                speed(root, index)
                continue
            if asked.what in {"go", "java", "rust"}:
                tally = compare_with_compiler(asked.what, root, index, asked.names)
            elif asked.what == "scip":
                tally = compare_with_scip(asked.arguments[0], root, index, asked.names)
            else:
                tally = compare_with_jedi(asked.arguments[0], root, index, asked.names)
            print(f"{root.name}: {dict(sorted(tally.items()))}\n  {shares(tally)}")


if __name__ == "__main__":
    main()
