"""Files as resources: `file://src/main.py`, and `file:///…` for a whole path inside the root."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from benchpin.core import (
    Bench,
    Contents,
    Effect,
    Entry,
    InvalidPath,
    Operation,
    Variables,
    resource,
    utf8,
)
from benchpin.engines.files.reading import looks_binary, opened
from benchpin.engines.files.writing import write_atomically

from ._text import encoded, mime_type_of
from ._tree import readable_files

MAX_BYTES = 7 << 20
"""What fits into an answer as base64."""
_MOST_COMPLETIONS = 100


def _uri(path: str) -> str:
    return f"file://{quote(path)}"


def _path(variables: Variables) -> str:
    """Return the path that a URI means: percent signs are decoded once, and `..` is refused."""
    try:
        path = unquote(variables["path"], errors="strict")
        path.encode()
    except UnicodeError as error:
        raise InvalidPath(
            f"{variables['path'][:100]!r} is not UTF-8",
            suggestion="Rename the file, or read it with another tool.",
        ) from error
    if ".." in path.replace("\\", "/").split("/"):
        raise InvalidPath(
            f"{path!r} goes up", suggestion="Give a path inside the workspace, without `..`."
        )
    return path


def _entries(bench: Bench, after: str) -> Iterator[Entry]:
    files = [file for file in readable_files(bench) if file.path.isprintable()]
    for uri, file in sorted((_uri(file.path), file) for file in files):
        if uri > after:
            yield Entry(
                uri=uri,
                name=file.path,
                mime_type=mime_type_of(file.path),
                size_bytes=file.size_bytes,
            )


def _complete(_variable: str, prefix: str, bench: Bench) -> list[str]:
    """Complete a path, a folder at a time once there are too many files."""
    paths = [file.path for file in readable_files(bench) if file.path.startswith(prefix)]
    if len(paths) <= _MOST_COMPLETIONS:
        return [utf8(path) for path in paths]
    heads = (path[: end + 1] for path in paths if (end := path.find("/", len(prefix))) >= 0)
    names = (path for path in paths if "/" not in path[len(prefix) :])
    return sorted({utf8(path) for path in (*heads, *names)})


def _concerns(variables: Variables, path: PurePosixPath) -> bool:
    named = unquote(variables["path"], errors="surrogateescape")
    return named == str(path) or (named.startswith("/") and named.endswith(f"/{path}"))


def _write(variables: Variables, body: str | bytes, bench: Bench) -> None:
    bench.require(Effect.WRITE, "Writing a resource")
    place = bench.path(_path(variables), Operation.WRITE)
    content = body if isinstance(body, bytes) else encoded(body, "text")
    write_atomically(bench.workspace.root, bench.workspace.relative(place), content)


@resource(
    "file://{+path}",
    title="File of the workspace",
    mime_type="text/plain",
    entries=_entries,
    complete=_complete,
    concerns=_concerns,
    write=_write,
)
def workspace_file(variables: Variables, bench: Bench) -> Contents:
    """A file of the workspace by its path, as text, or as base64 when it is binary."""
    path = bench.workspace.relative(bench.path(_path(variables)))
    with opened(bench.workspace.root, path, MAX_BYTES) as file:
        content = file.file.read(MAX_BYTES + 1)
    if not looks_binary(content):
        with suppress(UnicodeDecodeError):
            return Contents(content.decode(), mime_type_of(path.name))
    return Contents(content, mime_type_of(path.name, is_binary=True))
