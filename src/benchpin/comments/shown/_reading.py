"""Read the sidecar of one file, and find the present places of its comments."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from benchpin.comments import CommentStore, PlacedComment, SidecarFolder
from benchpin.comments.anchoring import CommentTracker, SourceFiles, open_git_history
from benchpin.core.calls import Bench
from benchpin.core.errors import PathError


def place_comments(bench: Bench, folder: SidecarFolder, path: str) -> Iterable[PlacedComment]:
    """Return the comments of a file; none where its sidecar cannot be read."""
    try:
        sidecar = CommentStore(*folder).read(PurePosixPath(path))
    except PathError:
        return ()
    files = SourceFiles(bench.session, bench.permissions, bench.job)
    with open_git_history(files) as history:
        return CommentTracker(files, history).place(sidecar).values()
