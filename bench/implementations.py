"""What `find_implementations` says, beside a compiler: every type and method of clones.

    python bench/implementations.py java CLONE...
    python bench/implementations.py typescript CLONE... --typescript FOLDER   # with node_modules

The compiler says which types implement or inherit from which, and which methods override which,
through any number of steps. A pair that only we have is *extra*, one that only the compiler has is
*missing*; what we call possible is counted apart. Examples of both are printed.
"""

import argparse
import os
import random
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from benchpin.app import Workbench
from benchpin.code import CodeIndex, index_of
from benchpin.code.subtypes import implementations_of
from benchpin.core.calls import Job
from benchpin.facts import FileSelection

HERE = Path(__file__).resolve().parent / "agreement"
SHOWN = 12
Place = tuple[str, str]


def of_compiler(
    language: str, root: Path, packages: Path | None
) -> dict[str, set[tuple[Place, Place]]]:
    """Return pairs of what is below and above, for types and for methods."""
    program = {"java": "JavaTypes.java", "typescript": "typescript_types.cjs"}[language]
    command = ["java" if language == "java" else "node", str(HERE / program), str(root)]
    variables = {**os.environ, "NODE_PATH": str(packages or "")}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=variables)
    found: dict[str, set[tuple[Place, Place]]] = {"type": set(), "method": set()}
    for line in done.stdout.splitlines():
        kind, file, name, other, above = line.split("\t")
        found[kind].add(((file, name), (other, above)))
    return found


def of_ours(index: CodeIndex, above: Place, kind: str) -> dict[Place, str]:
    """Return what is below something, with how sure it is."""
    module = index.symbols.modules.get(above[0])
    if module is None:
        return {}
    symbol, member = module.symbols.get(above[1]), ""
    if symbol is None and kind == "method":
        owner, _, member = above[1].rpartition(".")
        symbol = module.symbols.get(owner)
    if symbol is None:
        return {}
    found = implementations_of(index.types, symbol, member).below
    return {(it.file, it.id.partition("::")[2]): it.certainty for it in found}


def compare(language: str, root: Path, packages: Path | None) -> None:
    """Print how many pairs agree, and some that do not."""
    truth = of_compiler(language, root, packages)
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench.open(root, data_dir=Path(folder))
        selection = FileSelection(bench.bench.session, bench.bench.permissions, Job())
        index = index_of(selection)
        for kind, pairs in truth.items():
            below: defaultdict[Place, set[Place]] = defaultdict(set)
            for one, above in pairs:
                below[above].add(one)
            known = {one for one, _ in pairs} | set(below)
            counts: Counter[str] = Counter()
            wrong: list[str] = []
            for above, wanted in sorted(below.items()):
                ours = of_ours(index, above, kind)
                for one in wanted:
                    counts[
                        "certain" if ours.get(one) == "certain" else ours.get(one, "missing")
                    ] += 1
                    if ours.get(one) != "certain":
                        wrong.append(f"{ours.get(one, 'missing')}: {one} below {above}")
                for one, sure in ours.items():
                    if one not in wanted and one in known:
                        counts["extra" if sure == "certain" else "extra, possible"] += 1
                        wrong.append(f"extra, {sure}: {one} below {above}")
            print(f"{root.name}, {kind}s: {len(pairs):,} pairs; {dict(counts)}", flush=True)
            drawn = random.Random(1).sample(wrong, min(SHOWN, len(wrong)))  # noqa: S311 - repeatable
            print("".join(f"    {it}\n" for it in drawn), end="", flush=True)
        bench.close()


def main() -> None:
    """Compare each clone."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", choices=("java", "typescript"))
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--typescript", type=Path, help="a node_modules with typescript")
    asked = parser.parse_args()
    for root in asked.clones:
        compare(asked.language, root.resolve(), asked.typescript)


if __name__ == "__main__":
    main()
