"""Settings of the comments, under `[comments]`."""

from typing import Literal

from benchpin.core import ToolsetSettings


class CommentsSettings(ToolsetSettings):
    """Where comments are kept."""

    store: Literal["sidecar", "central"] = "sidecar"
    """Beside each file as `<file>.comments`, or all together in the folder of records."""
