"""Resources: things with a URI that a client reads, lists, watches and sometimes writes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from .bench import Bench

Variables = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Contents:
    """What stands behind a URI."""

    body: str | bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `resources/list`."""

    uri: str
    name: str
    mime_type: str
    title: str = ""
    description: str = ""
    size_bytes: int | None = None


@dataclass(frozen=True)
class Resource:
    """A resource, or a family of them when its URI has `{variables}`.

    `{name}` stands for one segment, `{+name}` for the rest of the URI, slashes included.
    """

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Variables, Bench], Contents]
    entries: Callable[[Bench, str], Iterator[Entry]] | None = None
    """The members of a family in URI order, from the first after the given URI ("" for all)."""
    complete: Callable[[str, str, Bench], Sequence[str]] | None = None
    """Values of the variable (first argument) that begin with the prefix (second)."""
    concerns: Callable[[Variables, PurePosixPath, Bench], bool] | None = None
    """Whether a change of that file changes this resource.

    Its path is relative to the workspace, and whole for a record that is kept elsewhere.
    """
    write: Callable[[Variables, str | bytes, Bench], None] | None = None
    """Replace the content, for `resources/write`."""

    @property
    def is_template(self) -> bool:
        """Whether this is a family."""
        return "{" in self.uri

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split(r"\{(\+?\w+)\}", self.uri)
        pattern = "".join(
            re.escape(part)
            if at % 2 == 0
            else f"(?P<{part.lstrip('+')}>{'.+' if part.startswith('+') else '[^/]+'})"
            for at, part in enumerate(parts)
        )
        return re.compile(pattern, re.DOTALL)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in their order."""
        return tuple(self._pattern.groupindex)

    def match(self, uri: str) -> Variables | None:
        """Return the variables of a URI of this family, or None."""
        found = self._pattern.fullmatch(uri)
        return found.groupdict() if found else None


def resource(
    uri: str,
    *,
    title: str,
    mime_type: str,
    entries: Callable[[Bench, str], Iterator[Entry]] | None = None,
    complete: Callable[[str, str, Bench], Sequence[str]] | None = None,
    concerns: Callable[[Variables, PurePosixPath, Bench], bool] | None = None,
    write: Callable[[Variables, str | bytes, Bench], None] | None = None,
) -> Callable[[Callable[[Variables, Bench], Contents]], Resource]:
    """Make a resource of a function that reads it; its docstring is the description."""

    def define(read: Callable[[Variables, Bench], Contents]) -> Resource:
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
        )

    return define
