"""Settings under `[comments]`."""

from typing import Literal

from benchpin.core import ToolsetSettings


class CommentsSettings(ToolsetSettings):
    """Where comments are kept."""

    store: Literal["sidecar", "central"] = "sidecar"
    """In `<file>.comments` next to each file, or centrally in the data folder."""
