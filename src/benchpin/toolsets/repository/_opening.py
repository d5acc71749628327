"""How the tools of this package get the files of a repository."""

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import InvalidPath
from benchpin.facts import open_index
from benchpin.repository import RepositoryTree
from benchpin.workspace.walking import WalkOptions


def open_tree(path: str, bench: Bench, options: WalkOptions | None = None) -> RepositoryTree:
    """Return the readable files of a folder.

    Raises:
        InvalidPath: when it is a file.
        PathError: when it does not exist or may not be read.
    """
    place = bench.existing(path)
    if not place.is_dir():
        raise InvalidPath(
            f"{path!r} is a file",
            suggestion="Give the folder of a repository.",
            data={"path": path},
        )
    start = str(bench.workspace.relative(place))
    bench.job.report(0, None, "folders")
    walked = open_index(bench.session).walk(options or WalkOptions(), start, bench.job)
    permitted = [file for file in walked.files if bench.may(file.path, Operation.READ)]
    denied = len(walked.files) - len(permitted)
    return RepositoryTree(
        bench.session,
        "" if start == "." else f"{start}/",
        permitted,
        walked.skipped | ({"not permitted": denied} if denied else {}),
        bench.permissions,
        is_whole=not bench.job.missing,
    )
