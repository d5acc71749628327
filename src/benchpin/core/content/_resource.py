"""Resources: content with a URI that clients read, list, subscribe to and sometimes write."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from benchpin.core.calls import Bench

Variables = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ResourceContents:
    """The content of a resource."""

    body: str | bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class ResourceEntry:
    """One entry of `resources/list`."""

    uri: str
    name: str
    mime_type: str
    title: str = ""
    description: str = ""
    size_bytes: int | None = None


@dataclass(frozen=True)
class Resource:
    """A resource, or a template of many if its URI has `{variables}`.

    `{name}` matches one segment, `{+name}` the rest of the URI, with slashes or empty.
    """

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Variables, Bench], ResourceContents]
    entries: Callable[[Bench, str], Iterator[ResourceEntry]] | None = None
    """The resources of a template in URI order, after the given URI ("" for all)."""
    complete: Callable[[str, str, Bench], Sequence[str]] | None = None
    """Values of the variable (first argument) that start with the prefix (second)."""
    concerns: Callable[[Variables, PurePosixPath, Bench], bool] | None = None
    """Whether a change of that file changes this resource.

    Its path is relative to the workspace, but absolute for a record outside the workspace.
    """
    write: Callable[[Variables, str | bytes, Bench, str | None], None] | None = None
    """Replace the content, for `resources/write`; the last argument is the SHA-256 of the content
    that the caller expects to replace, if it gave one."""
    list_order: int = 0
    """Lists begin with the lowest: what changes often or has many entries comes last."""

    @property
    def is_template(self) -> bool:
        """Whether this is a template."""
        return "{" in self.uri

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split(r"\{(\+?\w+)\}", self.uri)
        pattern = "".join(
            re.escape(part)
            if at % 2 == 0
            else f"(?P<{part.lstrip('+')}>{'.*' if part.startswith('+') else '[^/]+'})"
            for at, part in enumerate(parts)
        )
        return re.compile(pattern, re.DOTALL)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return tuple(self._pattern.groupindex)

    def match(self, uri: str) -> Variables | None:
        """Return the variables of a URI, or None if it is not of this resource."""
        found = self._pattern.fullmatch(uri)
        return found.groupdict() if found else None


def resource(
    uri: str,
    *,
    title: str,
    mime_type: str,
    entries: Callable[[Bench, str], Iterator[ResourceEntry]] | None = None,
    complete: Callable[[str, str, Bench], Sequence[str]] | None = None,
    concerns: Callable[[Variables, PurePosixPath, Bench], bool] | None = None,
    write: Callable[[Variables, str | bytes, Bench, str | None], None] | None = None,
    list_order: int = 0,
) -> Callable[[Callable[[Variables, Bench], ResourceContents]], Resource]:
    """Make a resource from a function that reads it; its docstring is the description."""

    def define(read: Callable[[Variables, Bench], ResourceContents]) -> Resource:
        return Resource(
            uri=uri,
            name=getattr(read, "__name__", uri),
            title=title,
            description=" ".join((read.__doc__ or "").split()),
            mime_type=mime_type,
            read=read,
            entries=entries,
            complete=complete,
            concerns=concerns,
            write=write,
            list_order=list_order,
        )

    return define
