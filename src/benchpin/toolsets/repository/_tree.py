"""How every tool here gets at the files of a repository."""

from benchpin.core import Bench, InvalidPath, Operation
from benchpin.engines.repository.tree import Notes, RepositoryTree, notes_of
from benchpin.engines.source.index import Section, SourceQuery, Sources, open_index
from benchpin.engines.source.walk import WalkOptions


def open_tree(path: str, bench: Bench, options: WalkOptions | None = None) -> RepositoryTree:
    """Return the files of the folder that a call means, those that may be read.

    Raises:
        InvalidPath: when it is a file.
        PathError: when it is not there, or may not be read.
    """
    place = bench.existing(path)
    if not place.is_dir():
        raise InvalidPath(
            f"{path!r} is a file",
            suggestion="Give the folder of a repository.",
            data={"path": path},
        )
    start = str(bench.workspace.relative(place))
    base = "" if start == "." else f"{start}/"
    index = open_index(bench.session)
    bench.job.report(0, None, "folders")
    walked = index.walk(options or WalkOptions(), start, bench.job)
    permitted = [file for file in walked.files if bench.may(file.path, Operation.READ)]
    denied = len(walked.files) - len(permitted)
    skipped = walked.skipped | ({"not permitted": denied} if denied else {})
    return RepositoryTree(
        bench.session,
        base,
        permitted,
        skipped,
        may=lambda it: bench.may(it, Operation.READ),
        is_whole=not bench.job.missing,
    )


def open_notes(bench: Bench) -> Notes:
    """Return what is known of the files of the workspace from calls before."""
    return notes_of(bench.workspace.root, bench.cache_dir)


def read_outlines(tree: RepositoryTree, bench: Bench, *sections: Section) -> Sources:
    """Return the facts of the files of a repository that are in a language known here."""
    query = SourceQuery(start=tree.base.rstrip("/"), sections=("outline", *sections))
    index = open_index(bench.session)
    return index.read(query, bench.job, lambda it: bench.may(it, Operation.READ))
