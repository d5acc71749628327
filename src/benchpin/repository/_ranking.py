"""Rank the symbols of a repository: important code refers to important symbols.

Files are the nodes of a graph. An edge weighs as much as one file uses names that the other
defines: the square root of the number of uses, divided among all files that define the name, and
multiplied by how certain it is that the name refers to that definition (`name_scope`). PageRank
over this graph, starting from the files in focus, gives the rank of each file. A file distributes
its rank over the symbols that it uses; the sum is multiplied by the number of files that use the
symbol. What only its own package can use counts a tenth, and of several symbols of one name the
first counts most. The weights were chosen on gin, flask, scrapy and tokio.
"""

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.facts import FileFacts, Function, Type
from benchpin.system.processes import has_extra, lacks_extra
from benchpin.workspace.walking import is_product_path

from ._outline import RankedSymbol, is_shown, last_name, names_of
from ._references import FOCUSED, Ranks, References, is_short
from ._tree import RepositoryTree

# Weight of test files.
_TEST = 0.1
_MAX_KEPT = 2
# Weight of what only its own file or package can use.
_PRIVATE = 0.1
_REPEATED = 0.3
_REPEATED_HERE = 0.02
_DAMPING = 0.85
# Puts public symbols before others that are used as little.
_PUBLIC = 1e-9
# A file that uses less distributes only a part of its rank: one import is not all it needs.
_MIN_USES = 50.0
# References that a slow machine ranks in a second.
_RANKED_PER_S = 1.2e6
# Functions and types that a slow machine sorts in a second.
_LISTED_PER_S = 500e3


@dataclass(frozen=True, slots=True)
class Focus:
    """The files and names that the caller works on."""

    files: frozenset[str]
    names: frozenset[str]


def find_focus(files: Sequence[FileFacts], wanted: Sequence[str]) -> Focus:
    """Find files and names by path, end of a path, folder or symbol.

    Raises:
        InvalidParams: when the repository has nothing of that name; the error suggests others.
    """
    names = {last_name(name) for file in files for name in names_of(file)} if wanted else set()
    paths = [file.path for file in files]
    focused_files: set[str] = set()
    focused_names: set[str] = set()
    for written in wanted:
        path = written.strip().removeprefix("./").rstrip("/")
        hits = [
            it for it in paths if it == path or it.endswith(f"/{path}") or it.startswith(f"{path}/")
        ]
        focused_files.update(hits)
        name = last_name(path)
        if name in names and (not hits or path == name):
            focused_names.add(name)
        elif not hits:
            near = difflib.get_close_matches(path, [*paths, *sorted(names)], n=3, cutoff=0.5)
            shown = ", ".join(repr(it) for it in near)
            raise InvalidParams(
                f"There is no file or symbol {written!r}",
                suggestion=f"The nearest are {shown}." if near else "Leave focus out to see names.",
                data={"focus": written},
            )
    return Focus(frozenset(focused_files), frozenset(focused_names))


def rank_symbols(
    files: Sequence[FileFacts], tree: RepositoryTree, focus: Focus, job: Job
) -> list[RankedSymbol]:
    """Return the symbols of a repository, the most important first.

    Without time for a ranking, or without the extra that computes it, public symbols come first.
    """
    can_rank = has_extra("measures")
    ranks = _ranks(files, tree, focus, job) if can_rank and not job.is_expired else None
    if ranks is None:
        why = "" if can_rank else f": {lacks_extra('measures')}"
        job.leave_out(f"the ranking of symbols{why}")
    symbols: list[RankedSymbol] = []
    for file in files:
        job.report(len(symbols), None, "symbols")
        is_test = not is_product_path(tree.local(file.path))
        symbols += _symbols(file, ranks or {}, focus, is_test=is_test)
    return _in_order(symbols)


def _in_order(symbols: Sequence[RankedSymbol]) -> list[RankedSymbol]:
    """Sort by rank; what has the same name as something before it tells a reader less.

    Most of all where both are in one folder: variants for several systems, or overrides.
    """
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    ranks: list[tuple[float, str, int, RankedSymbol]] = []
    for symbol in sorted(symbols, key=lambda it: (-it.rank, it.file, it.line)):
        before, folder = folders[last_name(symbol.name)], symbol.file.rpartition("/")[0]
        elsewhere = len(before) - (folder in before)
        factor = _REPEATED_HERE ** before[folder] * _REPEATED**elsewhere
        ranks.append((-symbol.rank * factor, symbol.file, symbol.line, symbol))
        before[folder] += 1
    return [it[-1] for it in sorted(ranks, key=lambda it: it[:3])]


def _ranks(
    files: Sequence[FileFacts], tree: RepositoryTree, focus: Focus, job: Job
) -> Ranks | None:
    """Return the rank of each name of each file; None when there is no time for it."""
    read, session, key = tree.read_permitted, tree.session, (tree.base, focus)
    # One call at a time: references that one had no time for are finished by the next.
    with session.exclusive(job, ("ranking", key)) as is_held:
        if not is_held:
            return None
        references = session.remember(
            job,
            "references",
            key,
            lambda: References(files, focus.names),
            room=_MAX_KEPT,
            is_current=lambda it: it.are_of(files, read),
        )
        if references.ranks is not None:
            return references.ranks
        declared = sum(len(it.outline.functions) + len(it.outline.types) for it in files)
        listing_s = declared / _LISTED_PER_S
        if not references.complete(files, read, job, listing_s):
            return None
        uses = len(references.edges) + sum(map(len, references.shares.values()))
        if is_short(job, uses / _RANKED_PER_S + listing_s):
            return None
        ranks = _distribute(references, [file.path for file in files], focus, tree.base, job)
        references.keep(ranks)
        return ranks


def _distribute(
    references: References, paths: Sequence[str], focus: Focus, base: str, job: Job
) -> Ranks:
    """Rank the files, and distribute the rank of each over the names that it uses."""
    job.report(0, None, "ranks")
    file_ranks = _page_rank(paths, references.edges, focus, references.definers, base)
    ranks: dict[tuple[str, str], float] = defaultdict(float)
    users: Counter[tuple[str, str]] = Counter()
    for source, targets in references.shares.items():
        job.report(len(ranks), None, "symbols")
        total = max(sum(targets.values()), _MIN_USES)
        for symbol, weight in targets.items():
            ranks[symbol] += file_ranks[source] * weight / total
            users[symbol] += 1
    return {symbol: value * users[symbol] for symbol, value in ranks.items()}


def _page_rank(
    paths: Sequence[str],
    edges: Mapping[tuple[str, str], float],
    focus: Focus,
    definers: Mapping[str, Mapping[str, bool]],
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
            for source, target in sorted(edges)  # a stable order gives the same sums
        ]
    )
    focused = set(focus.files) | {it for name in focus.names for it in definers.get(name, ())}
    start = {number[path]: 1.0 for path in sorted(focused) if path in number} or {
        number[path]: 1.0 if is_product_path(path.removeprefix(base)) else _TEST for path in paths
    }
    ranks = rustworkx.pagerank(
        graph, alpha=_DAMPING, weight_fn=float, personalization=start, tol=1e-10, max_iter=1_000
    )
    return {path: ranks[at] for path, at in number.items()}


def _symbols(
    file: FileFacts, ranks: Mapping[tuple[str, str], float], focus: Focus, *, is_test: bool
) -> Iterator[RankedSymbol]:
    outline = file.outline
    path = file.path
    closures = {it.name for it in outline.functions if it.kind != "method"}
    declared: list[Function | Type] = [*outline.types]
    declared += [it for it in outline.functions if is_shown(it, closures)]
    if not ranks:
        yield from (RankedSymbol(path, it, _PUBLIC if it.is_public else 0.0) for it in declared)
        return
    factor = (_TEST if is_test else 1.0) * (FOCUSED if path in focus.files else 1.0)
    times = Counter(map(last_name, names_of(file)))
    for definition in declared:
        name = last_name(definition.name)
        value = ranks.get((path, name), 0.0) * factor / times[name]
        value *= FOCUSED if name in focus.names else 1.0
        yield RankedSymbol(
            path, definition, value + _PUBLIC if _is_offered(definition) else value * _PRIVATE
        )


def _is_offered(definition: Function | Type) -> bool:
    """Whether other packages can use something: `pub(crate)` is for its own crate only."""
    return definition.is_public and not (
        isinstance(definition, Function) and definition.signature.startswith("pub(")
    )
