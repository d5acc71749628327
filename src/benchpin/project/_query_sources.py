"""Where the queries of a snapshot are sent from: its statements, the source and plans together."""

from collections.abc import Iterator, Sequence
from typing import Literal

from benchpin.facts import FileSelection, Function, SourceQuery
from benchpin.performance.findings import QuerySource, QueryWithPlan
from benchpin.performance.statements import Models, WrittenStatement, comparable, statements_in
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.walking import is_test_path

from ._profiled_functions import ProfileCall

_MAX_FILES = 5_000
_MAX_FILE_BYTES = 1 << 20
_MAX_TOTAL_BYTES = 64 << 20
_MAX_PLACES = 3
_MAX_STATEMENT_CHARS = 300
Certainty = Literal["certain", "likely", "possible"]


def query_sources(queries: Sequence[QueryWithPlan], call: ProfileCall) -> list[QuerySource]:
    """Return the places that send some queries, in their order; production code first."""
    if not queries:
        return []
    sources = _Sources(call)
    return [found for query in call.job.timed(queries) for found in sources.places(query)]


class _Sources:
    """The statements and models that are written in the workspace."""

    def __init__(self, call: ProfileCall) -> None:
        self._call = call
        self._selection = FileSelection(call.session, call.permissions, call.job)
        self._models = Models()
        self._written: list[tuple[str, WrittenStatement]] = []
        for path, text in self._texts():
            self._models.add(path, text)
            self._written += [(path, it) for it in statements_in(text)]

    def places(self, query: QueryWithPlan) -> Iterator[QuerySource]:
        statement = comparable(query.statement)
        answers = [(path, it.line, it.sends(statement)) for path, it in self._written]
        certainty: Certainty = "certain"
        found = [(path, line) for path, line, is_sent in answers if is_sent]
        if not found:
            certainty = "likely"
            found = [(path, line) for path, line, is_sent in answers if is_sent is None]
        if not found:
            certainty = "possible"
            found = [(it.path, it.line) for it in self._models.places(statement)]
        found.sort(key=lambda it: is_test_path(it[0]))
        for path, line in found[:_MAX_PLACES]:
            yield QuerySource(
                query_id=query.query_id,
                statement=query.statement[:_MAX_STATEMENT_CHARS],
                file=path,
                line=line,
                function=self._function(path, line),
                certainty=certainty,
                plan=query.plan,
            )

    def _texts(self) -> Iterator[tuple[str, str]]:
        root, left = str(self._call.workspace.root).encode(), _MAX_TOTAL_BYTES
        files = self._selection.workspace().list_files().files
        if len(files) > _MAX_FILES:
            self._call.job.leave_out(f"{len(files) - _MAX_FILES:,} files, where queries may be")
        for each in self._call.job.timed(files[:_MAX_FILES]):
            try:
                content = read_regular(root, each.path, _MAX_FILE_BYTES)[0]
            except Unreadable:
                continue
            left -= len(content)
            if left < 0:
                self._call.job.leave_out("files after the first 64 MiB, where queries may be")
                return
            yield each.path, content.decode("utf-8", "replace")

    def _function(self, path: str, line: int) -> str | None:
        """Return the innermost function around a line."""
        query = SourceQuery(start=path)
        read = FileSelection(
            self._call.session, self._call.permissions, self._call.job, query=query
        ).read()
        inside: list[Function] = [
            it
            for file in read.files
            if file.path == path
            for it in file.outline.functions
            if it.line <= line <= it.end_line
        ]
        return max(inside, key=lambda it: it.line).name if inside else None
