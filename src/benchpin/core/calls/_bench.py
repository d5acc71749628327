"""What a tool is handed besides its arguments."""

import difflib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel

from benchpin.core.errors import (
    AccessDenied,
    EffectNotAllowed,
    FileMissing,
    InvalidPath,
    PathOutsideWorkspace,
)
from benchpin.core.results import Result, ResultStore
from benchpin.core.text import SCHEME, path_of
from benchpin.core.tools import DEFAULT_EFFECTS, Effect, Schema

from ._client import Client
from ._job import Job
from ._permissions import Operation, Permissions
from ._workspace_session import Limits, WorkspaceSession

if TYPE_CHECKING:
    from benchpin.core.tools import ToolDefinition

# The limit of a path: Linux takes 4,096 bytes, and resolving takes time for each name.
_MAX_PATH_NAMES = 4_096
S = TypeVar("S", bound=BaseModel)
_MAX_NAMES = 2_000


@dataclass(frozen=True, slots=True)
class Workspace:
    """A root folder."""

    root: Path

    @classmethod
    def at(cls, folder: Path) -> "Workspace":
        """Return the workspace in a folder.

        Raises:
            InvalidPath: when it is not a folder.
        """
        hint = "Name an existing folder with --root."
        try:
            root = folder.expanduser().resolve()
        except FileNotFoundError as error:  # only a relative path needs the current folder
            raise InvalidPath(
                "The current folder does not exist any more", suggestion=hint
            ) from error
        except (OSError, RuntimeError, ValueError) as error:
            raise InvalidPath(f"{str(folder)!r} is not a path: {error}", suggestion=hint) from error
        if not root.is_dir():
            raise InvalidPath(f"{folder} is not a folder", suggestion=hint)
        return cls(root)

    def resolve(self, path: str) -> Path:
        """Return the absolute path of a client's path or `file://` URI, symbolic links resolved.

        Raises:
            InvalidParams: when a URI has parts other than a path.
            InvalidPath: when the text is not a path.
            PathOutsideWorkspace: when the path is not below the root.
        """
        if path.startswith(SCHEME):
            path = path_of(path)
        if "\0" in path:
            raise InvalidPath(
                "The path contains a NUL byte", suggestion="Give a path relative to the workspace."
            )
        if path.count("/") > _MAX_PATH_NAMES:
            raise InvalidPath(
                f"The path consists of more than {_MAX_PATH_NAMES:,} names",
                suggestion="Give a path relative to the workspace.",
            )
        plain = self.without_links(path)
        if plain is not None:
            return self.root / plain
        try:
            resolved = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # ValueError: a lone surrogate
            raise InvalidPath(
                f"{path!r} cannot be resolved: {error}", suggestion="Check the path."
            ) from error
        if not resolved.is_relative_to(self.root):
            raise PathOutsideWorkspace(
                f"{path!r} is outside the workspace",
                suggestion="Give a path inside it, or start Benchpin with another --root.",
                data={"path": path},
            )
        return resolved

    def without_links(self, path: str) -> str | None:
        """Return a path to an existing place, if it has no symbolic links; None for others.

        A fast path for most calls: it does not resolve the root again. The path returned has no
        names such as `.`; that of the root is empty.
        """
        names = [name for name in path.split("/") if name not in {"", "."}]
        if os.sep != "/" or path.startswith("/") or ".." in names:
            return None
        current = str(self.root).rstrip("/")
        try:
            for name in names:
                current = f"{current}/{name}"
                if stat.S_ISLNK(os.lstat(current).st_mode):
                    return None
        except (OSError, ValueError):
            return None
        return "/".join(names)

    def relative(self, path: Path) -> PurePosixPath:
        """Return a path below the root as clients see it."""
        # As text: `relative_to` takes five times as long, and most calls need it.
        place, root = str(path), str(self.root)
        if os.sep == "/" and place.startswith(root) and place[len(root) : len(root) + 1] == "/":
            return PurePosixPath(place[len(root) + 1 :])
        return PurePosixPath(path.relative_to(self.root).as_posix())


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. Set by Benchpin, never by the caller."""

    agent_id: str
    from_agent: str
    session_id: str
    correlation_id: str = ""

    def context(self) -> dict[str, str]:
        """Return who is asking, for logs and records."""
        return {
            "agent_id": self.agent_id,
            "from_agent": self.from_agent,
            "session_id": self.session_id,
        }

    def environment(self) -> dict[str, str]:
        """Return who is asking, as environment variables of the programs that they run."""
        return {f"BENCHPIN_{name.upper()}": value for name, value in self.context().items()}


class Tools(Protocol):
    """The enabled tools, for tools that find or call others."""

    def definitions(self) -> "Sequence[ToolDefinition]":
        """Return what is known about each without importing it."""

    def every_definition(self) -> "Sequence[ToolDefinition]":
        """Return what is known about all tools, also those that are disabled."""

    def way_in(self, name: str) -> str:
        """Return how to enable a disabled tool."""

    def input_schema(self, name: str) -> Schema:
        """Return all arguments of a tool.

        Raises:
            UnknownTool, ToolDisabled: when it cannot be called.
        """

    def call(self, name: str, arguments: Mapping[str, object], bench: "Bench") -> Result:
        """Call a tool for the caller of another: with the same rights, and in the time left.

        Raises:
            BenchpinError: when the call fails.
        """


@dataclass(frozen=True, slots=True)
class Installation:
    """Facts about the running Benchpin."""

    version: str
    tools: Tools
    started_at: datetime
    started_s: float = field(default_factory=monotonic)
    """On the monotonic clock."""


def utc_now() -> datetime:
    """Return the time of day."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Bench:
    """The workspace, the rights and the means of one call."""

    workspace: Workspace
    cache_dir: Path
    session: WorkspaceSession
    """What is remembered about the workspace from call to call."""
    results: ResultStore
    installation: Installation
    caller: Caller
    permissions: Permissions = field(default_factory=Permissions)
    effects: frozenset[Effect] = DEFAULT_EFFECTS
    typed_effects: frozenset[Effect] = frozenset()
    """Effects that are allowed where an argument asks for them: a person has typed it."""
    limits: Limits = field(default_factory=Limits)
    artifact_dirs: tuple[Path, ...] = ()
    template_folders: tuple[Path, ...] = ()
    """Folders with the operator's own templates; the first wins."""
    data_dir: Path | None = None
    """Where records go; None means `.benchpin` in the workspace."""
    toolset_settings: tuple[BaseModel, ...] = ()
    toolchains: tuple[Path, ...] = ()
    """Folders with programs that the operator shows inside the sandbox."""
    is_unconfined: bool = False
    """Whether the operator has programs run without a sandbox."""
    job: Job = field(default_factory=Job)
    now: Callable[[], datetime] = utc_now
    client: Client | None = None

    def for_call(
        self,
        *,
        job: Job,
        caller: Caller,
        client: Client | None,
        effects: frozenset[Effect],
        typed_effects: frozenset[Effect] = frozenset(),
    ) -> "Bench":
        """Return this bench with what differs from call to call."""
        made = object.__new__(Bench)
        # Every call makes one; `dataclasses.replace` takes ten times as long with this many fields.
        made.__dict__.update(self.__dict__, job=job, caller=caller, client=client, effects=effects)
        made.__dict__["typed_effects"] = typed_effects
        return made

    @property
    def data_folder(self) -> Path:
        """The folder of Benchpin's own records.

        Raises:
            AccessDenied: when a workspace brings a link in its place.
        """
        if self.data_dir is not None:
            return self.data_dir
        folder = self.workspace.root / ".benchpin"
        if folder.is_symlink():
            raise AccessDenied(
                f"{folder} is a link, and a workspace does not choose where records go",
                suggestion="Remove it, or name the folder yourself with --data-dir.",
                is_server_fault=True,
            )
        return folder

    def settings(self, kind: type[S]) -> S:
        """Return the settings of one toolset; the defaults when none were given."""
        return next((it for it in self.toolset_settings if isinstance(it, kind)), None) or kind()

    def require(self, effect: Effect, action: str, *, by_argument: bool = False) -> None:
        """Check that this call may do more than its tool does by default.

        `by_argument` is whether an argument asks for it, which is enough on the command line.

        Raises:
            EffectNotAllowed: when the operator did not allow the effect.
        """
        is_typed = by_argument and effect in self.typed_effects
        if effect not in self.effects and not is_typed:
            raise EffectNotAllowed(
                f"{action} is not allowed: it needs the effect {effect.value!r}",
                suggestion=f"Start Benchpin with --allow {effect.value}.",
                data={"effect": effect.value},
            )

    def may(self, path: str, operation: Operation) -> bool:
        """Whether the permissions agree to use a file so; its path is relative to the workspace."""
        return self.permissions.may(path, operation)

    def path(self, path: str, operation: Operation = Operation.READ) -> Path:
        """Return the real place of a client's path, once the permissions agree.

        Raises:
            PathError: when the path is not inside the workspace or may not be used so.
        """
        return self._permitted(path, operation)[0]

    def relative(self, path: str, operation: Operation = Operation.READ) -> PurePosixPath:
        """Return the real place of a client's path, relative to the workspace.

        Raises:
            PathError: as `path` does.
        """
        plain = self.workspace.without_links(path)
        is_read = operation is Operation.READ
        if plain is not None and is_read and self.permissions.may(plain or ".", operation):
            return PurePosixPath(plain)  # the common case
        return self._permitted(path, operation)[1]

    def _permitted(self, path: str, operation: Operation) -> tuple[Path, PurePosixPath]:
        place = self.workspace.resolve(path)
        shown = self.workspace.relative(place)
        if operation is Operation.WRITE:
            _require_utf8(shown)
        try:
            is_folder = place.is_dir()
        except OSError as error:
            raise InvalidPath(
                f"{path[:200]!r} cannot be used: {error.strerror}", suggestion="Check the path."
            ) from error
        if self.permissions.may(str(shown), operation):
            return place, shown
        refusal = self.permissions.denied_by(shown, operation, is_folder=is_folder)
        if refusal is not None:
            raise AccessDenied(
                f"May not {operation.value} {path!r}: {refusal.reason}",
                suggestion=refusal.suggestion,
                data={"path": path, "operation": operation.value},
            )
        return place, shown

    def existing(self, path: str) -> Path:
        """Return the real place of a file or folder that is there and may be read.

        Raises:
            FileMissing: when nothing is there, naming what is called nearly the same.
            PathError: when the path is not inside the workspace or may not be read.
        """
        return self.workspace.root / self.found(path)

    def found(self, path: str) -> PurePosixPath:
        """Return the same as `existing`, relative to the workspace; raises the same."""
        plain = self.workspace.without_links(path)
        if plain is not None and self.permissions.may(plain or ".", Operation.READ):
            return PurePosixPath(plain)  # the common case
        place, shown = self._permitted(path, Operation.READ)
        if place.exists():
            return shown
        near = self._nearest(place)
        raise FileMissing(
            f"There is nothing at {path!r}",
            suggestion=f"Did you mean {near!r}?"
            if near
            else "Give a file or folder of the workspace.",
            data={"path": path},
        )

    def existing_folder(self, path: str) -> Path:
        """Return the real place of a folder that is there and may be read.

        Raises:
            PathError: when there is none, or it is not inside the workspace or may not be read.
        """
        folder = self.existing(path)
        if folder.is_dir():
            return folder
        raise InvalidPath(
            f"{path!r} is not a folder",
            suggestion=f"Give the folder, such as {str(PurePosixPath(path).parent)!r}.",
            data={"path": path},
        )

    def _nearest(self, place: Path) -> str | None:
        """Return the file or folder beside a missing one with the most similar name."""
        try:
            names = [it.name for it in islice(place.parent.iterdir(), _MAX_NAMES)]
        except OSError:
            return None
        parent = self.workspace.relative(place.parent)
        shown = {str(parent / name): name for name in names}
        readable = [path for path in shown if self.may(path, Operation.READ)]
        wanted = str(parent / place.name)
        return next(iter(difflib.get_close_matches(wanted, readable, n=1, cutoff=0.7)), None)


def _require_utf8(path: PurePosixPath) -> None:
    """Keep clients from making names that most programs cannot handle."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InvalidPath(
            f"{str(path)!r} is not UTF-8: it can be read, and not written",
            suggestion="Rename the file first.",
        ) from error
