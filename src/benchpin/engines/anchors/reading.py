"""Read the sidecar of one file, and find the present places of its comments."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from benchpin.core import Bench, PathError

from .comment import PlacedComment
from .git_history import open_git_history
from .places import SidecarFolder
from .source_files import SourceFiles
from .store import CommentStore
from .tracking import CommentTracker


def place_comments(bench: Bench, folder: SidecarFolder, path: str) -> Iterable[PlacedComment]:
    """Return the comments of a file; none where its sidecar cannot be read."""
    try:
        sidecar = CommentStore(*folder).read(PurePosixPath(path))
    except PathError:
        return ()
    files = SourceFiles(bench.session, bench.permissions, bench.job)
    with open_git_history(files) as history:
        return CommentTracker(files, history).place(sidecar).values()
