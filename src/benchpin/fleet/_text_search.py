"""Search the text of the code that was measured: every repository at its measured commit."""

from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from benchpin.core.calls import Job, Permissions
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.workspace.files import looks_binary
from benchpin.workspace.git import check
from benchpin.workspace.search import Pattern, compile_pattern, matching_lines

from ._answering import Answer, Cell
from ._members import Member, member_at
from ._records import Measurement
from ._sources import open_source

COLUMNS = ["repository", "path", "line", "text"]
_CHECK_EVERY = 64  # files between two looks at the job


class TextSearch:
    """Searches the repositories of a workspace; RE2 takes time in proportion to the text."""

    def __init__(self, root: Path, permissions: Permissions, job: Job) -> None:
        self._root, self._permissions, self._job = root.resolve(), permissions, job

    def search(self, measured: Sequence[Measurement], pattern: str, limit: int) -> Answer:
        """Return the lines that match, by repository and path; the job notes what is left out.

        Raises:
            Cancelled: when the job was cancelled.
            InvalidParams: when it is not a regular expression.
        """
        compiled = compile_pattern(pattern, ignore_case=False)
        rows: list[list[Cell]] = []
        for at, measurement in enumerate(measured):
            self._job.report(at, len(measured), "repositories")
            member = member_at(self._root, measurement.name, self._permissions)
            if member is None:
                self._job.leave_out(f"{measurement.name}, which is not in this workspace")
                continue
            try:
                with closing(self._lines(member, measurement.commit, compiled)) as lines:
                    rows += islice(lines, limit + 1 - len(rows))
            except TimeLimitExceeded:
                self._job.leave_out(f"{len(measured) - at} of {len(measured)} repositories")
                break
            except Cancelled:
                raise
            except BenchpinError as error:
                self._job.leave_out(f"{measurement.name}: {error.message}")
            if len(rows) > limit:
                break
        return Answer(COLUMNS, rows[:limit], len(rows) > limit)

    def _lines(
        self, member: Member, commit: str, pattern: Pattern
    ) -> Generator[list[Cell], None, None]:
        source = open_source(member.path)
        code = source.tree(commit, member.may_read, self._job).code
        with source.opened(self._job) as contents:
            read = zip(code, contents.read_each(code), strict=True)
            for at, (file, content) in enumerate(read):
                if at % _CHECK_EVERY == 0:
                    check(self._job)
                if content and not looks_binary(content):
                    for found in matching_lines(file.path, content, pattern):
                        yield [member.name, found.path, found.line, found.text]
