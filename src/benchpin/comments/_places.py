"""Where the sidecars of a workspace are, for readers and writers."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple, Protocol

from benchpin.core.calls import Job, Permissions, WorkspaceSession, covers
from benchpin.core.own_files import SIDECAR_SUFFIX
from benchpin.core.tools import ToolsetSettings

SUFFIX = SIDECAR_SUFFIX


class CommentsSettings(ToolsetSettings):
    """Where comments are kept."""

    store: Literal["sidecar", "central"] = "sidecar"
    """In `<file>.comments` next to each file, or centrally in the data folder."""


class ReadingCall(Protocol):
    """What a call has with which comments are read."""

    @property
    def session(self) -> WorkspaceSession: ...

    @property
    def permissions(self) -> Permissions: ...

    @property
    def job(self) -> Job: ...

    @property
    def data_dir(self) -> Path | None: ...

    @property
    def now(self) -> Callable[[], datetime]: ...

    def settings(self, kind: type[CommentsSettings]) -> CommentsSettings: ...


class SidecarFolder(NamedTuple):
    """The folder that mirrors the workspace and has a sidecar for each commented file."""

    root: Path
    prefix: PurePosixPath = PurePosixPath()
    """The folder itself, relative to the root."""

    def place_of(self, path: PurePosixPath) -> PurePosixPath:
        """Return the sidecar of a file, relative to the root."""
        return self.prefix / path.with_name(path.name + SUFFIX)


def sidecar_folder(call: ReadingCall) -> SidecarFolder:
    """Return where the sidecars of a workspace are kept."""
    root = call.session.root
    if call.settings(CommentsSettings).store == "sidecar":
        return SidecarFolder(root)
    if call.data_dir is None:
        return SidecarFolder(root, PurePosixPath(".benchpin/comments"))
    return SidecarFolder(call.data_dir, PurePosixPath("comments"))


def is_denied(permissions: Permissions, sidecar: PurePosixPath) -> bool:
    """Whether a rule denies a sidecar, so that its comments are not shown."""
    return any(covers(rule.pattern, sidecar) for rule in permissions.denials)
