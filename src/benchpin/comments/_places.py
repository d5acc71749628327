"""Where the sidecars of a workspace are, for readers and writers."""

from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from benchpin.core.calls import Bench, Permissions, covers
from benchpin.core.tools import ToolsetSettings

SUFFIX = ".comments"


class CommentsSettings(ToolsetSettings):
    """Where comments are kept."""

    store: Literal["sidecar", "central"] = "sidecar"
    """In `<file>.comments` next to each file, or centrally in the data folder."""


class SidecarFolder(NamedTuple):
    """The folder that mirrors the workspace and has a sidecar for each commented file."""

    root: Path
    prefix: PurePosixPath = PurePosixPath()
    """The folder itself, relative to the root."""

    def place_of(self, path: PurePosixPath) -> PurePosixPath:
        """Return the sidecar of a file, relative to the root."""
        return self.prefix / path.with_name(path.name + SUFFIX)


def sidecar_folder(bench: Bench) -> SidecarFolder:
    """Return where the sidecars of a workspace are kept."""
    root = bench.workspace.root
    if bench.settings(CommentsSettings).store == "sidecar":
        return SidecarFolder(root)
    if bench.data_dir is None:
        return SidecarFolder(root, PurePosixPath(".benchpin/comments"))
    return SidecarFolder(bench.data_dir, PurePosixPath("comments"))


def is_denied(permissions: Permissions, sidecar: PurePosixPath) -> bool:
    """Whether a rule denies a sidecar, so that its comments are not shown."""
    return any(covers(rule.pattern, sidecar) for rule in permissions.denials)
