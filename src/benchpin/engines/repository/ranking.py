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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core import InvalidParams, Job
from benchpin.engines.source.facts import Function, Type
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.resolve import Reader
from benchpin.engines.source.testing import is_test_path

from .references import FOCUSED, Ranks, References, hand_back, is_short, take_references
from .symbols import Symbol, is_shown, last_name, names_of

_TEST = 0.1
_DAMPING = 0.85
_PUBLIC = 1e-9
"""What is public goes before what is not, where nobody uses either."""
_LEAST_USE = 50.0
"""A file that uses less hands on only a part: its one import is not all that matters to it."""
_RANKED_PER_S = 1.2e6
"""References between files that are ranked, and handed on to symbols, in a second."""
_LISTED_PER_S = 500e3
"""Functions and types that are made symbols and put in order in a second."""


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
    names = {last_name(name) for file in files for name in names_of(file)} if wanted else set()
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
    symbols.sort(key=lambda it: (-it.rank, it.file, it.declared.line))
    return symbols


def _given(
    files: Sequence[FileFacts], read: Reader, focus: Focus, base: str, job: Job
) -> Ranks | None:
    """Return how much rank each name of each file is handed; None when there is no time for it."""
    references = take_references(files, read, focus.names)
    try:
        known = references.ranks((focus, base))
        if known is not None:
            return known
        declared = sum(len(it.outline.functions) + len(it.outline.types) for it in files)
        listing_s = declared / _LISTED_PER_S
        if not references.complete(files, read, job, listing_s):
            return None
        uses = len(references.edges) + sum(map(len, references.shares.values()))
        if is_short(job, uses / _RANKED_PER_S + listing_s):
            return None
        given = _hand_on(references, [file.path for file in files], focus, base, job)
        references.keep((focus, base), given)
        return given
    finally:
        hand_back(references)


def _hand_on(
    references: References, paths: Sequence[str], focus: Focus, base: str, job: Job
) -> Ranks:
    """Rank files, and let each hand its rank on to the names that it uses."""
    job.report(0, None, "ranks")
    ranks = _page_rank(paths, references.edges, focus, references.definers, base)
    given: dict[tuple[str, str], float] = defaultdict(float)
    users: Counter[tuple[str, str]] = Counter()
    for source, targets in references.shares.items():
        job.report(len(given), None, "symbols")
        total = max(sum(targets.values()), _LEAST_USE)
        for symbol, weight in targets.items():
            given[symbol] += ranks[source] * weight / total
            users[symbol] += 1
    return {symbol: value * math.sqrt(users[symbol]) for symbol, value in given.items()}


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
    factor = (_TEST if is_test else 1.0) * (FOCUSED if path in focus.files else 1.0)
    times = Counter(map(last_name, names_of(file)))
    for it in declared:
        name = last_name(it.name)
        value = given.get((path, name), 0.0) * factor / times[name]
        value *= FOCUSED if name in focus.names else 1.0
        yield Symbol(path, it, value + _PUBLIC if it.is_public else value * 0.5)
