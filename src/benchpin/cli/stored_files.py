"""What `benchpin doctor` says of the files that Benchpin has written: old, newer or broken."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from benchpin.app import Workbench
from benchpin.comments import MAX_BYTES, NEWER, SUFFIX, parse
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts.store import engine_version
from benchpin.performance.snapshots import SnapshotStore
from benchpin.templates.projects import FORMATS, MAX_RECORD_BYTES, PROVENANCE_PATH, read_record
from benchpin.workspace.files import opened
from benchpin.workspace.walking import WalkOptions, walk

# The search for files of comments ends after this time, also in the middle of a large workspace.
_TIME_S = 2.0
_MAX_NAMED = 3
_UPDATE = "update Benchpin: pip install -U benchpin"


def stored_files(workbench: Workbench) -> Iterator[tuple[str, str]]:
    """Yield a subject and what is wrong with it, each with the command that corrects it."""
    root = workbench.bench.workspace.root
    yield from _scaffold(root)
    yield from _comments(root)
    yield from _snapshots(workbench)


def old_caches(folder: Path) -> tuple[int, int]:
    """Return how many databases of facts are of other versions, and their bytes."""
    present = f"-{engine_version()}.sqlite"
    found = (folder / "source").glob("facts-*.sqlite")
    sizes = [it.stat().st_size for it in found if not it.name.endswith(present)]
    return len(sizes), sum(sizes)


def _scaffold(root: Path) -> Iterator[tuple[str, str]]:
    content = _content(root, PROVENANCE_PATH, MAX_RECORD_BYTES)
    if content is None:
        return
    record = read_record(content)
    if isinstance(record, str):
        yield "templates", f"{PROVENANCE_PATH} cannot be used: {record}"
    elif record.format < FORMATS[-1]:
        age = f"is of an older Benchpin (format {record.format})"
        yield "templates", f"{PROVENANCE_PATH} {age}; benchpin template update rewrites it"


def _comments(root: Path) -> Iterator[tuple[str, str]]:
    job = Job(time_limit_s=_TIME_S)
    options = WalkOptions(include_patterns=(f"*{SUFFIX}",), include_ignored=True)
    try:
        files = walk(root, ".", options, job).files
    except BenchpinError:
        return
    newer: list[str] = []
    broken: list[str] = []
    for file in job.each(files, "files of comments"):
        problem = parse(_content(root, file.path, MAX_BYTES) or b"{}").problem
        if problem:
            (newer if problem.startswith(NEWER) else broken).append(file.path)
    if newer:
        yield "comments", f"{_named(newer)} written by a newer Benchpin; {_UPDATE}"
    if broken:
        yield "comments", f"{_named(broken)} damaged; restore from git"


def _snapshots(workbench: Workbench) -> Iterator[tuple[str, str]]:
    try:
        damaged = SnapshotStore(workbench.bench.data_folder).runs().damaged
    except BenchpinError as error:
        yield "snapshots", f"{error.message}. {error.suggestion}"
        return
    if damaged:
        yield "snapshots", f"{_named(damaged)} cannot be read; ingest the artefacts again"


def _content(root: Path, path: str, most_bytes: int) -> bytes | None:
    """Return the content of a file; None if there is none that can be read."""
    try:
        with opened(root, PurePosixPath(path), most_bytes) as file:
            return file.read(most_bytes)
    except BenchpinError:
        return None


def _named(names: "list[str] | tuple[str, ...]") -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more + (" is" if len(names) == 1 else " are")
