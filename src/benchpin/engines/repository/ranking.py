"""Which symbols of a repository matter most: those that the code which matters refers to.

Files are the nodes. A file depends on another one as much as it uses names that are defined there:
the root of how often, shared among all files that define the name, ten times as much where an
import leads there or none is needed, and a tenth for a short plain word such as `name`, which may
mean anything. PageRank over that, from the files in focus if there are any, says how much a file
matters; a file hands its rank on to the symbols that it uses, and those that many files use count
for more, by the root of how many.
"""

import difflib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core import InvalidParams, Job
from benchpin.engines.source.facts import Function, Type
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.resolve import Reader, resolve_imports
from benchpin.engines.source.testing import is_test_path

from .symbols import Symbol, is_shown, last_name

_IMPORTED = 10.0
_FOCUSED = 10.0
_TEST = 0.1
_MOST_DEFINERS = 8
"""A name that more files define says nothing about any of them."""
_SHORTEST = 3
_DAMPING = 0.85
_PACKAGE_SCOPED = frozenset({"go", "java", "kotlin", "scala"})
_PROJECT_SCOPED = frozenset({"bash", "c", "cpp", "csharp", "php", "ruby", "swift"})
"""Languages whose files see one another without an import: those of a folder, or all of them."""
_PUBLIC = 1e-9
"""What is public goes before what is not, where nobody uses either."""
_VAGUE = 0.1
_WORD = 8
_LEAST_USE = 50.0
"""A file that uses less hands on only a part: its one import is not all that matters to it."""


_RANKED_PER_S = 250_000
"""References between files that are ranked, and handed on to symbols, in a second."""


@dataclass(frozen=True, slots=True)
class Focus:
    """What a caller is interested in."""

    files: frozenset[str]
    names: frozenset[str]


def find_focus(files: Sequence[FileFacts], wanted: Sequence[str]) -> Focus:
    """Return which files and names are meant: a path, the end of one, a folder, or a symbol.

    Raises:
        InvalidParams: when one of them is nothing in the repository, naming the nearest.
    """
    names = {last_name(name) for file in files for name in _names(file)} if wanted else set()
    paths = [file.path for file in files]
    meant_files: set[str] = set()
    meant_names: set[str] = set()
    for written in wanted:
        path = written.strip().removeprefix("./").rstrip("/")
        hits = [
            it for it in paths if it == path or it.endswith(f"/{path}") or it.startswith(f"{path}/")
        ]
        meant_files.update(hits)
        name = last_name(path)
        if name in names and (not hits or path == name):
            meant_names.add(name)
        elif not hits:
            near = difflib.get_close_matches(path, [*paths, *sorted(names)], n=3, cutoff=0.5)
            shown = ", ".join(repr(it) for it in near)
            raise InvalidParams(
                f"No file or symbol here is called {written!r}",
                suggestion=f"The nearest are {shown}." if near else "Leave focus out to see names.",
                data={"focus": written},
            )
    return Focus(frozenset(meant_files), frozenset(meant_names))


def rank_symbols(
    files: Sequence[FileFacts], read: Reader, focus: Focus, base: str, job: Job
) -> list[Symbol]:
    """Return the symbols of a repository, those that matter most first.

    Raises:
        Cancelled: when the job was cancelled.
    """
    given = None if job.is_expired else _given(files, read, focus, base, job)
    if given is None:
        job.leave_out("the ranking of symbols")
    symbols: list[Symbol] = []
    for file in files:
        job.report(len(symbols), None, "symbols")
        is_test = is_test_path(file.path.removeprefix(base))
        symbols += _symbols(file, given or {}, focus, is_test=is_test)
    return sorted(symbols, key=lambda it: (-it.rank, it.file, it.line))


def _given(
    files: Sequence[FileFacts], read: Reader, focus: Focus, base: str, job: Job
) -> dict[tuple[str, str], float] | None:
    """Return how much rank each name of each file is handed; None when there is no time for it."""
    resolutions = resolve_imports(files, read, job)
    if job.is_expired:
        return None
    imports = {
        path: {target for it in found for target in it.files} for path, found in resolutions.items()
    }
    job.report(0, None, "names")
    definers = _definers(files)
    edges, shares = _edges(files, definers, imports, focus, job)
    left_s = job.time_left_s()
    uses = len(edges) + sum(map(len, shares.values()))
    if left_s is not None and left_s < uses / _RANKED_PER_S:
        return None
    job.report(0, None, "ranks")
    ranks = _page_rank([file.path for file in files], edges, focus, definers, base)
    given: dict[tuple[str, str], float] = defaultdict(float)
    users: Counter[tuple[str, str]] = Counter()
    for source, targets in shares.items():
        job.report(len(given), None, "symbols")
        total = max(sum(targets.values()), _LEAST_USE)
        for symbol, weight in targets.items():
            given[symbol] += ranks[source] * weight / total
            users[symbol] += 1
    return {symbol: value * math.sqrt(users[symbol]) for symbol, value in given.items()}


def _names(file: FileFacts) -> list[str]:
    outline = file.outline
    return [*(it.name for it in outline.functions), *(it.name for it in outline.types)]


def _definers(files: Iterable[FileFacts]) -> dict[str, set[str]]:
    """Return the files that define each name."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for qualified in _names(file):
            name = last_name(qualified)
            if len(name) >= _SHORTEST and "(" not in name:
                found[name].add(file.path)
    return {name: places for name, places in found.items() if len(places) <= _MOST_DEFINERS}


_Shares = dict[str, dict[tuple[str, str], float]]
"""How much a file uses which name of which file."""


def _edges(
    files: Sequence[FileFacts],
    definers: Mapping[str, set[str]],
    imports: Mapping[str, set[str]],
    focus: Focus,
    job: Job,
) -> tuple[dict[tuple[str, str], float], _Shares]:
    edges: dict[tuple[str, str], float] = defaultdict(float)
    shares: _Shares = defaultdict(dict)
    for file in job.each(files, "files"):
        imported = imports.get(file.path, set())
        for name, count in file.links.references.items():
            places = definers.get(name)
            if places is None:
                continue
            weight = math.sqrt(count) / len(places)
            weight *= _FOCUSED if name in focus.names else 1.0
            weight *= _VAGUE if _is_vague(name) else 1.0
            for target in places:
                if target != file.path:
                    is_near = target in imported or _is_visible(file, target)
                    own = weight * (_IMPORTED if is_near else 1.0)
                    edges[file.path, target] += own
                    shares[file.path][target, name] = own
        for target in imported - {file.path}:
            edges[file.path, target] += 1.0
    return edges, shares


def _is_visible(file: FileFacts, target: str) -> bool:
    """Whether a file sees what another one defines without an import."""
    if file.language in _PACKAGE_SCOPED:
        return file.path.rpartition("/")[0] == target.rpartition("/")[0]
    return file.language in _PROJECT_SCOPED


def _is_vague(name: str) -> bool:
    """Whether a name says little about what is meant: private, or one short word."""
    return name.startswith("_") or (len(name) <= _WORD and name.isalpha() and name.islower())


def _page_rank(
    paths: Sequence[str],
    edges: Mapping[tuple[str, str], float],
    focus: Focus,
    definers: Mapping[str, set[str]],
    base: str,
) -> dict[str, float]:
    import rustworkx

    if not paths:
        return {}
    graph: rustworkx.PyDiGraph[str, float] = rustworkx.PyDiGraph()
    graph.add_nodes_from(list(paths))
    number = {path: at for at, path in enumerate(paths)}
    graph.add_edges_from(
        [
            (number[source], number[target], edges[source, target])
            for source, target in sorted(edges)
        ]
    )
    meant = set(focus.files) | {it for name in focus.names for it in definers.get(name, ())}
    start = {number[path]: 1.0 for path in sorted(meant) if path in number} or {
        number[path]: _TEST if is_test_path(path.removeprefix(base)) else 1.0 for path in paths
    }
    ranks = rustworkx.pagerank(
        graph, alpha=_DAMPING, weight_fn=float, personalization=start, tol=1e-10, max_iter=1_000
    )
    return {path: ranks[at] for path, at in number.items()}


def _symbols(
    file: FileFacts, given: Mapping[tuple[str, str], float], focus: Focus, *, is_test: bool
) -> Iterator[Symbol]:
    outline = file.outline
    path = file.path
    closures = {it.name for it in outline.functions if it.kind != "method"}
    declared: list[Function | Type] = [*outline.types]
    declared += [it for it in outline.functions if is_shown(it, closures)]
    if not given:
        yield from (Symbol(path, it, _PUBLIC if it.is_public else 0.0) for it in declared)
        return
    factor = (_TEST if is_test else 1.0) * (_FOCUSED if path in focus.files else 1.0)
    times = Counter(map(last_name, _names(file)))
    for it in declared:
        name = last_name(it.name)
        value = given.get((path, name), 0.0) * factor / times[name]
        value *= _FOCUSED if name in focus.names else 1.0
        yield Symbol(path, it, value + _PUBLIC if it.is_public else value * 0.5)
