"""Read the source files of a workspace for comments: texts, symbols, and why one cannot be read."""

from functools import lru_cache
from pathlib import PurePosixPath

from benchpin.core.calls import Job, Operation, Permissions, WorkspaceSession
from benchpin.core.errors import (
    AccessDenied,
    FileMissing,
    FileTooLarge,
    InvalidPath,
    PathError,
    TimeLimitExceeded,
)
from benchpin.facts import Outline, SourceQuery, open_index
from benchpin.workspace.files import looks_binary, opened
from benchpin.workspace.walking import Tree, WalkOptions

from ._anchor import GONE
from ._tracked_text import SymbolSpan, TrackedText, symbols_of

MAX_SOURCE_BYTES = 8 << 20
_MAX_TEXTS = 64


class SourceFiles:
    """The files of a workspace that one call may read."""

    def __init__(self, session: WorkspaceSession, permissions: Permissions, job: Job) -> None:
        self.session = session
        self.root = session.root
        self.job = job
        self._permissions = permissions
        self.read_now = lru_cache(_MAX_TEXTS)(self._read_now)

    def may_read(self, path: str) -> bool:
        """Whether a file may be read, and its comments shown."""
        return self._permissions.may(path, Operation.READ)

    def text(self, path: str) -> TrackedText:
        """Return the present text of a file.

        Raises:
            PathError: when there is none, or it is binary or too large.
        """
        with opened(self.root, PurePosixPath(path), MAX_SOURCE_BYTES) as file:
            text = file.read(MAX_SOURCE_BYTES)
        if looks_binary(text):
            raise InvalidPath(f"{path} is binary", suggestion="Comment on lines of text.")
        return TrackedText(text, lambda: self._symbols(path))

    def _read_now(self, path: str) -> TrackedText | None:
        """Return the present text of a file; None when there is none, or it may not be read."""
        try:
            return self.text(path) if self.may_read(path) else None
        except PathError:
            return None

    def why_unreadable(self, path: str) -> str:
        """Return why a file cannot be read; empty when it can."""
        try:
            self.text(path)
        except FileMissing:
            return GONE
        except FileTooLarge:
            return f"the file is larger than {MAX_SOURCE_BYTES >> 20} MiB now"
        except AccessDenied:
            return "the file may not be read"
        except PathError:
            is_file = (self.root / path).is_file()
            return "the file is binary now" if is_file else "the path is no longer a file"
        return ""

    @property
    def tree(self) -> Tree:
        """The files that git does not ignore."""
        return self.session.service("files near comments", lambda: Tree(self.root, WalkOptions()))

    def entries(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder, without what git ignores; `.` is the workspace."""
        start = "" if folder == "." else f"{folder}/"
        files = self.tree.refresh(self.job).files
        names = {
            it.path[len(start) :].partition("/")[0] for it in files if it.path.startswith(start)
        }
        return tuple(sorted(it for it in names if not it.endswith(".comments")))

    def outline(self, path: str) -> Outline | None:
        """Return the functions and types of a file; None when there is no grammar for it.

        Raises:
            TimeLimitExceeded: when the file was not parsed in time.
        """
        omissions = self.job.omissions
        query = SourceQuery(start=path)
        found = open_index(self.session).read(query, self.job, self.may_read)
        if found.files:
            return found.files[0].outline
        if self.job.omissions > omissions:
            raise TimeLimitExceeded(f"{path} was not parsed in time", suggestion="Call again.")
        return None

    def _symbols(self, path: str) -> tuple[SymbolSpan, ...]:
        try:
            outline = self.outline(path)
        except TimeLimitExceeded:  # the job has recorded what was left out
            return ()
        return () if outline is None else symbols_of(outline)
