"""Find the functions of the workspace that a profile names, and what is known about them."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, Protocol

from benchpin.code import CodeIndex, index_of
from benchpin.code.names import Symbol
from benchpin.code.references import find_related_tests
from benchpin.comments import ReadingCall
from benchpin.comments.shown import comments_within
from benchpin.core.calls import Workspace
from benchpin.core.errors import BenchpinError, PathError
from benchpin.core.results import Item
from benchpin.facts import FileSelection, Function, SourceQuery
from benchpin.measures.history import FileCommit, read_line_history
from benchpin.performance.findings import HotFunction, HotSpan
from benchpin.performance.snapshots import SnapshotStore
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import find_repository

Certainty = Literal["certain", "likely"]
_MAX_BYTES = 4 << 20
_MAX_TESTS = 3
_MAX_COMMENTS = 3
_MAX_SHARES = 5
_FOREIGN = frozenset({"vendor", "node_modules", "site-packages", "dist-packages", "third_party"})
_NOT_A_FILE = ("<", "[", "node:", "internal/", "php:", "evalmachine")
# A `$` within a name of Java is before a nested class; one at its beginning belongs to the name.
_SEPARATORS = re.compile(r"::|->|(?<=\w)\$(?=[A-Za-z_])|[.\\/#]")
_LAMBDA = re.compile(r"\blambda\$(\w+)\$[0-9]+$")
_UNNAMED = frozenset({"", "(anonymous)", "<lambda>", "{closure}", "<anonymous>", "anonymous"})


class LocatedFunction(NamedTuple):
    """A function of the workspace, and how sure it is that the profile means it."""

    file: str
    function: Function
    certainty: Certainty


def name_parts(name: str) -> list[str]:
    """Return the parts of a name in a profile, such as of `Cart::total` or `main.(*T).Run`.

    A lambda of Java has the name of the method that it is in.
    """
    bare = name.partition("(")[0] if not name.startswith("(") and ".(" not in name else name
    bare = _LAMBDA.sub(r"\1", bare)
    return [it.strip("(*)") for it in _SEPARATORS.split(bare) if it.strip("(*)")]


def is_same_file(in_profile: str, path: str) -> bool:
    """Whether a path of a profile, from another machine perhaps, may be a file of the workspace."""
    theirs, ours = _parts(in_profile), path.split("/")
    shared = min(len(theirs), len(ours))
    return shared > 0 and theirs[-shared:] == ours[-shared:]


def _parts(path: str) -> list[str]:
    bare = path.removeprefix("file://").partition("?")[0].replace("\\", "/")
    return [it for it in bare.split("/") if it not in {"", "."}]


def fits(span: HotSpan, functions: Sequence[Function]) -> Function | None:
    """Return the function of a file that a profile means, by its lines or else by its name."""
    names = name_parts(span.function)
    same = [it for it in functions if names and it.name.rpartition(".")[2] == names[-1]]
    if span.line is not None:
        inside = [it for it in same or functions if it.line <= span.line <= it.end_line]
        if not inside or not (same or span.function in _UNNAMED):
            return None
        return max(inside, key=lambda it: it.line)  # the innermost
    if len(same) > 1:
        qualified = [it for it in same if it.name.split(".")[-2:] == names[-2:]]
        same = qualified or same
    return same[0] if len(same) == 1 else None


class ProfileCall(ReadingCall, Protocol):
    """What a call has with which the functions of a profile are found and described."""

    @property
    def workspace(self) -> Workspace: ...


class ProfiledFunctions:
    """Resolves frames for one call; files are read only as far as frames name them."""

    def __init__(self, call: ProfileCall) -> None:
        self._call = call
        self._root = call.workspace.root
        self._selection = FileSelection(call.session, call.permissions, call.job)
        self._outlines: dict[str, Sequence[Function]] = {}

    def describe(self, spans: Sequence[HotSpan]) -> list[HotFunction]:
        """Return what is known about the functions of the workspace among some of a profile."""
        placed = [(span, place) for span in spans if (place := self.place(span))]
        return [self._described(span, place) for span, place in placed]

    def place(self, span: HotSpan) -> LocatedFunction | None:
        """Return the function that a frame means; None for those of others, and in doubt."""
        if span.file is None:
            return self._by_name(span)
        found = self._file(span.file)
        if found is None:
            return None
        path, certainty = found
        function = fits(span, self._functions(path))
        return None if function is None else LocatedFunction(path, function, certainty)

    def _file(self, written: str) -> tuple[str, Certainty] | None:
        if written.startswith(_NOT_A_FILE):
            return None
        parts = _parts(written)
        absolute = PurePosixPath("/", *parts)
        if absolute.is_relative_to(self._root):
            parts = list(absolute.relative_to(self._root).parts)
        if _FOREIGN & set(parts):  # also where an environment is within the workspace
            return None
        for start in range(len(parts)):
            path = "/".join(parts[start:])
            if self._is_file(path):
                is_whole = start == 0 or len(parts) - start > 1
                return path, "certain" if is_whole else "likely"
        return self._elsewhere(parts)

    def _is_file(self, path: str) -> bool:
        """Whether a path is a file that may be read, and no link leads elsewhere."""
        workspace = self._call.workspace
        try:
            place = workspace.resolve(path)
            is_itself = workspace.relative(place) == PurePosixPath(path)
        except PathError:
            return False
        return is_itself and place.is_file() and self._selection.may_read(path)

    def _elsewhere(self, parts: Sequence[str]) -> tuple[str, Certainty] | None:
        """Return the only file deeper in the workspace whose path ends like it."""
        named = self._by_file_name.get(parts[-1], []) if parts else []
        alike = {path: _shared_end(path.split("/"), parts) for path in named}
        most = max(alike.values(), default=0)
        best = [path for path, shared in alike.items() if shared == most]
        return (best[0], "likely") if len(best) == 1 else None

    @cached_property
    def _by_file_name(self) -> dict[str, list[str]]:
        found = defaultdict(list)
        for file in self._selection.workspace().list_files().files:
            found[file.path.rpartition("/")[2]].append(file.path)
        return found

    def _functions(self, path: str) -> Sequence[Function]:
        if path not in self._outlines:
            query = SourceQuery(start=path)
            read = replace(self._selection, query=query).read().files
            self._outlines[path] = read[0].outline.functions if read else ()
        return self._outlines[path]

    def _by_name(self, span: HotSpan) -> LocatedFunction | None:
        """Return the only function with a name that says what contains it, as in `Cart::total`."""
        names = name_parts(span.function)
        if len(names) < 2:  # noqa: PLR2004 - a bare name is anyone's
            return None
        found = [
            (path, function)
            for path, function in self._by_function_name.get(names[-1], ())
            if names[-2] in {*function.name.split("."), PurePosixPath(path).stem}
        ]
        return LocatedFunction(*found[0], "likely") if len(found) == 1 else None

    @cached_property
    def _by_function_name(self) -> dict[str, list[tuple[str, Function]]]:
        found = defaultdict(list)
        for file in self._selection.workspace().read().files:
            for function in file.outline.functions:
                found[function.name.rpartition(".")[2]].append((file.path, function))
        return found

    @cached_property
    def _index(self) -> CodeIndex:
        return index_of(self._selection)

    def _described(self, span: HotSpan, place: LocatedFunction) -> HotFunction:
        path, function = place.file, place.function
        module = self._index.symbols.modules.get(path)
        symbol = None if module is None else module.symbols.get(function.name)
        job = self._call.job
        tests = [] if symbol is None else find_related_tests(self._index, [symbol], [], job)
        comments = comments_within(self._call, [(path, function.line, function.end_line)])
        history = list(self._history(path, function))
        newest = history[0] if history else None
        authors: dict[str, int] = defaultdict(int)
        for commit in history:
            authors[commit.author] += len(commit.lines)
        return HotFunction(
            share=span.share_permille / 1000,
            function=span.function,
            file=path,
            symbol=function.name,
            line=function.line,
            certainty=place.certainty,
            cyclomatic=function.cyclomatic,
            cognitive=function.cognitive,
            last_change=None if newest is None else _in_words(newest),
            owner=max(authors, key=lambda it: (authors[it], it)) if authors else None,
            tests=[it.id for it in tests[:_MAX_TESTS]],
            tests_total=len(tests),
            comments=[f"line {it.line}: {it.text}" for it in comments.items[:_MAX_COMMENTS]],
        )

    def _history(self, path: str, function: Function) -> Iterator[FileCommit]:
        """Yield the commits of its lines, newest first; none outside of a repository."""
        try:
            now, _ = read_regular(os.fsencode(self._root), path, _MAX_BYTES)
            repository = find_repository(
                (self._root / path).parent, self._root, self._call.session.git_folders
            )
            lines = (function.line, function.end_line)
            yield from read_line_history(repository, path, now, self._call.job, lines)
        except (BenchpinError, Unreadable):
            return


class ProfiledShare(Item):
    """A function, and what it takes of the newest profile that was ingested."""

    symbol: str
    share: float
    """Its own cost in that of all functions, from 0 to 1."""
    run_id: str


def shares_of(symbols: Iterable[Symbol], store: SnapshotStore) -> list[ProfiledShare]:
    """Return what functions take of the newest profile, the most first; none without a profile."""
    try:
        run = next((it for it in store.runs().runs if it.counts.profiles), None)
        spans = () if run is None else store.metadata(run.id).functions
    except BenchpinError:
        return []  # a damaged store is reported by check_health, and is no reason to fail here
    if run is None or not spans:
        return []
    found = [
        ProfiledShare(symbol=symbol.id, share=permille / 1000, run_id=run.id)
        for symbol in symbols
        if (permille := sum(it.share_permille for it in spans if _means(it, symbol)))
    ]
    return sorted(found, key=lambda it: (-it.share, it.symbol))[:_MAX_SHARES]


def _means(span: HotSpan, symbol: Symbol) -> bool:
    function = symbol.declared
    if not isinstance(function, Function) or span.file is None:
        return False
    return is_same_file(span.file, symbol.file) and fits(span, [function]) is not None


def _shared_end(ours: Sequence[str], theirs: Sequence[str]) -> int:
    shared = 0
    for one, other in zip(reversed(ours), reversed(theirs), strict=False):
        if one != other:
            break
        shared += 1
    return shared


def _in_words(commit: FileCommit) -> str:
    date = "uncommitted" if commit.time is None else commit.time.date().isoformat()
    return f"{date} {commit.author}: {commit.subject}"
