from collections.abc import Iterator
from pathlib import PurePosixPath

from benchpin.core.calls import Bench, Operation
from benchpin.core.content import ResourceContents, ResourceEntry, Variables, resource
from benchpin.core.errors import FileMissing


def _paths(bench: Bench) -> list[str]:
    root = bench.workspace.root
    return sorted(place.relative_to(root).as_posix() for place in root.rglob("*.txt"))


def _entries(bench: Bench, after: str) -> Iterator[ResourceEntry]:
    for path in _paths(bench):
        if f"note://{path}" > after:
            yield ResourceEntry(uri=f"note://{path}", name=path, mime_type="text/plain")


def _complete(_variable: str, prefix: str, bench: Bench) -> list[str]:
    return [path for path in _paths(bench) if path.startswith(prefix)]


def _concerns(variables: Variables, path: PurePosixPath, _bench: Bench) -> bool:
    return str(path) == variables["path"]


def _write(
    variables: Variables, body: str | bytes, bench: Bench, _expected_sha256: str | None
) -> None:
    place = bench.path(variables["path"], Operation.WRITE)
    place.write_bytes(body if isinstance(body, bytes) else body.encode())


@resource(
    "note://{+path}",
    title="Note",
    mime_type="text/plain",
    entries=_entries,
    complete=_complete,
    concerns=_concerns,
    write=_write,
)
def note(variables: Variables, bench: Bench) -> ResourceContents:
    """One note."""
    place = bench.path(variables["path"])
    if not place.is_file():
        raise FileMissing(f"No note at {variables['path']!r}", suggestion="List the notes.")
    body = place.read_bytes()
    try:
        return ResourceContents(body.decode(), "text/plain")
    except UnicodeDecodeError:
        return ResourceContents(body, "application/octet-stream")


@resource(
    "notes://all",
    title="All notes",
    mime_type="text/plain",
    concerns=lambda _variables, path, _bench: path.suffix == ".txt",
)
def all_notes(_variables: Variables, bench: Bench) -> ResourceContents:
    """The names of all notes."""
    return ResourceContents("\n".join(_paths(bench)), "text/plain")
