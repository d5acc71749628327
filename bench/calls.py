"""Ask who calls functions, and compare with what was found by reading or by a compiler.

    python bench/calls.py questions "restic 0.17.3" FOLDER
    python bench/calls.py implementers FOLDER TRUTH
    python bench/calls.py go FOLDER TRUTH IMPLEMENTERS

`questions` asks those of bench/call_questions.toml about one project. The truths of the others are
tables with tabs that a program of the language prints, with the places of names as `file:line`:

- `implementers`: `implements`, `file:line:name` of the interface, that of the type; `interface` and
  that of one; `class` and that of a type, where only some types were compared;
- `go`: the place of a use, `file:line:name` of the function, `call` or `value`, `interface` or
  `direct`. A call of a method of an interface may run those of the types that implement it.
"""

import argparse
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchpin.code import CodeIndex, one_symbol
from benchpin.code.names import Symbol
from benchpin.code.references import find_uses, trace
from benchpin.core.calls import Job
from benchpin.workspace.walking import is_test_path
from navigation import read_project

QUESTIONS = Path(__file__).parent / "call_questions.toml"
CACHE = Path.home() / ".cache" / "benchpin-bench"


def ask_questions(index: CodeIndex, project: str) -> None:
    """Print for each question which callers are found, and what else is said."""
    tally: Counter[str] = Counter()
    for question in tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))["question"]:
        if question["project"] != project:
            continue
        symbol, _ = one_symbol(index, question["symbol"], Job())
        wanted = set(question["callers"])
        calls = trace(index, symbol, "callers", 1, Job()).calls
        said = {f"{it.file}:{it.line}" for it in calls if not is_test_path(it.file)}
        for call in calls:  # one row stands for several places in the same function
            near = {it for it in wanted - said if it.startswith(f"{call.file}:")}
            said |= set(sorted(near)[: call.places - 1])
        found = len(wanted & said)
        tally.update(wanted=len(wanted), found=found, others=len(said - wanted))
        print(f"{question['symbol']}: {found} of {len(wanted)}, {len(said - wanted)} others")
        print(*(f"    not found: {it}" for it in sorted(wanted - said)), sep="\n", end="\n")
        print(*(f"    other: {it}" for it in sorted(said - wanted)), sep="\n", end="\n")
    print(dict(tally))


def rows(path: str) -> Iterator[list[str]]:
    """Yield the rows of a table with tabs."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        yield line.split("\t")


def symbols_by_place(index: CodeIndex) -> dict[str, Symbol]:
    """Return the symbols of a project, and the methods of interfaces, by `file:line:name`."""
    found = {}
    for path in index.symbols.modules:
        for symbol in index.symbols.modules[path].symbols.values():
            found[f"{symbol.file}:{symbol.line}:{symbol.name}"] = symbol
            if symbol.is_type and index.types.is_interface(symbol):
                for member in index.types.own_members(symbol):
                    found[f"{member.file}:{member.line}:{member.name}"] = member
    return found


def compare_implementers(index: CodeIndex, truth: str) -> Counter[str]:
    """Count how the types that implement each interface agree; print where they do not."""
    known, wanted = symbols_by_place(index), defaultdict[str, set[str]](set)
    for row in rows(truth):
        if row[0] in {"interface", "implements"}:
            wanted[row[1]].update(row[2:3] if row[0] == "implements" else ())
    judged = {row[1] for row in rows(truth) if row[0] == "class"}
    tally: Counter[str] = Counter()
    for place, types in sorted(wanted.items()):
        heirs = index.types.heirs(known[place]) if place in known else []
        ours = {
            f"{it.symbol.file}:{it.symbol.line}:{it.symbol.name}": it.certainty
            for it in heirs
            if it.symbol is not None
        }
        ours = {it: ours[it] for it in ours if not judged or it in judged}
        for name in sorted(types | ours.keys()):
            kind = ("right" if name in ours else "missing") if name in types else "extra"
            kind += f" {ours[name]}" if name in ours else ""
            tally[kind] += 1
            if kind != "right certain":
                print(f"{kind}: {place} {name}")
    return tally


def compare_uses(index: CodeIndex, truth: str, implementers: str) -> Counter[str]:
    """Count how the uses of each method of Go agree with those that the compiler sees."""
    known = symbols_by_place(index)
    uses = defaultdict[str, set[tuple[str, str]]](set)
    for row in rows(truth):
        uses[row[1]].add((row[0], " ".join(row[2:])))
    types = {f"{it.file}:{it.line}:{it.name}": it for it in known.values() if it.is_type}
    interfaces = defaultdict[Symbol, set[Symbol]](set)
    for row in rows(implementers):
        if row[0] == "implements" and row[1] in types and row[2] in types:
            interfaces[types[row[2]]].add(types[row[1]])
    by_symbol = {symbol: place for place, symbol in known.items()}
    tally: Counter[str] = Counter()
    for place, symbol in sorted(known.items()):
        if not symbol.is_function or not symbol.file.endswith(".go"):
            continue
        direct = {at for at, _ in uses[place]}
        through = set(_through(index, symbol, types, interfaces, uses, by_symbol))
        # Calls of interfaces of the library may run it, if the type is one of these: not judged.
        outside = {it for it, _ in uses[f"outside:0:{symbol.name}"]}
        ours = defaultdict[str, str](str)
        for use in find_uses(index, symbol, Job(), mentions=False).found:
            at = f"{use.file}:{use.line}"
            ours[at] = "certain" if "certain" in {ours[at], use.certainty} else "possible"
        for at in direct | through | ours.keys():
            kind = "direct" if at in direct else "interface" if at in through else "false"
            if kind == "false" and at in outside:
                continue
            tally[f"{kind} {ours[at] or 'missing'}"] += 1
            if kind == "false" or not ours[at]:
                print(f"{kind} {ours[at] or 'missing'}: {symbol.id} {at}")
    return tally


def _through(
    index: CodeIndex,
    method: Symbol,
    types: dict[str, Symbol],
    interfaces: dict[Symbol, set[Symbol]],
    uses: dict[str, set[tuple[str, str]]],
    by_symbol: dict[Symbol, str],
) -> Iterator[str]:
    """Yield the places that call a method through an interface, one of the library among them."""
    owner = index.owner_of(method)
    if owner is None:
        return
    heirs = [it for it in types.values() if owner in index.names.ancestors(it)]
    for interface in {it for heir in heirs for it in interfaces[heir]}:
        for near in index.names.ancestors(interface):
            field = index.values.field(near, method.name)
            yield from (it for it, _ in (uses[by_symbol.get(field, "")] if field else ()))


def main() -> None:
    """Run one comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("questions", "implementers", "go"))
    parser.add_argument("arguments", nargs="+")
    given = parser.parse_args()
    folder = given.arguments[1] if given.what == "questions" else given.arguments[0]
    index = read_project(Path(folder), CACHE)
    if given.what == "questions":
        ask_questions(index, given.arguments[0])
    elif given.what == "implementers":
        print(dict(compare_implementers(index, given.arguments[1])))
    else:
        print(dict(compare_uses(index, given.arguments[1], given.arguments[2])))


if __name__ == "__main__":
    main()
