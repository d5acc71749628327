"""Settings of the template tools."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict


class TemplateSettings(BaseModel):
    """Where templates come from, besides those that are built in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folders: tuple[Path, ...] = ()
