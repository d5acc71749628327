"""Files as resources: `file:///…` with the absolute path, or `file://src/main.py`."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from urllib.parse import unquote

from benchpin.core.calls import Bench, Operation
from benchpin.core.content import ResourceContents, ResourceEntry, Variables, resource
from benchpin.core.text import SCHEME, absolute_uri, file_uri, path_of, plain
from benchpin.core.tools import Effect
from benchpin.workspace.files import looks_binary, read_whole
from benchpin.workspace.writing import write_atomically

from ._texts import encoded, mime_type_of
from ._tree import readable_files

# As base64 it fits into an answer of 10 MiB.
MAX_BYTES = 7 << 20
_MAX_COMPLETIONS = 100


def _uri(variables: Variables) -> str:
    return SCHEME + variables["path"]


def _entries(bench: Bench, after: str) -> Iterator[ResourceEntry]:
    root = bench.workspace.root
    found = ((absolute_uri(root, file.path), file) for file in readable_files(bench))
    for uri, file in sorted(found):
        if uri > after:
            yield ResourceEntry(
                uri=uri,
                name=plain(file.path),
                mime_type=mime_type_of(file.path),
                size_bytes=file.size_bytes,
            )


def _complete(_variable: str, prefix: str, bench: Bench) -> list[str]:
    """Complete a path; only up to the next folder if there are too many files."""
    typed = unquote(prefix, errors="surrogateescape")
    root = f"{bench.workspace.root.as_posix().rstrip('/')}/"
    is_relative = not typed.startswith("/")
    above = "" if is_relative else root
    paths = [f"{above}{file.path}" for file in readable_files(bench)]
    paths = [path for path in paths if path.startswith(typed)]
    if len(paths) > _MAX_COMPLETIONS:
        shared = max(len(typed), len(above))
        ends = ((path, path.find("/", shared)) for path in paths)
        paths = sorted({path[: end + 1] if end >= 0 else path for path, end in ends})
    return [file_uri(path).removeprefix(SCHEME) for path in paths]


def _concerns(variables: Variables, path: PurePosixPath, _bench: Bench) -> bool:
    named = PurePosixPath(path_of(_uri(variables)))
    return named == path or (named.is_absolute() and str(named).endswith(f"/{path}"))


def _write(
    variables: Variables, body: str | bytes, bench: Bench, expected_sha256: str | None
) -> None:
    bench.require(Effect.WRITE, "Writing a resource")
    place = bench.path(_uri(variables), Operation.WRITE)
    content = body if isinstance(body, bytes) else encoded(body, "text")
    path = bench.workspace.relative(place)
    write_atomically(
        bench.workspace.root, path, content, bench.job, expected_sha256=expected_sha256
    )


@resource(
    "file://{+path}",
    title="File of the workspace",
    mime_type="text/plain",
    entries=_entries,
    complete=_complete,
    concerns=_concerns,
    write=_write,
    list_order=2,
)
def workspace_file(variables: Variables, bench: Bench) -> ResourceContents:
    """A file of the workspace by its path, as text, or as base64 if it is binary."""
    path = bench.relative(_uri(variables))
    content = read_whole(bench.workspace.root, path, MAX_BYTES, bench.job)
    if not looks_binary(content):
        with suppress(UnicodeDecodeError):
            return ResourceContents(content.decode(), mime_type_of(path.name))
    return ResourceContents(content, mime_type_of(path.name, is_binary=True))
