"""Settings of the template tools, apart from the engine: every program reads settings."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict


class TemplateSettings(BaseModel):
    """Where templates come from, besides those that are built in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folders: tuple[Path, ...] = ()
