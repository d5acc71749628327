"""Settings of the comments, under `[comments]`."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class CommentsSettings(BaseModel):
    """Everything under `[comments]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: Literal["sidecar", "central"] = "sidecar"
    """Beside each file as `<file>.comments`, or all together in the folder of records."""
