"""Every setting, its default, and who may change it."""

import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
)

from benchpin.core import DEFAULT_EFFECTS, Effect, Limits, Operation, Rule, ToolsetSettings
from benchpin.toolsets import load_toolsets

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Transport = Literal["stdio", "ws", "http"]
Debug = Literal["protocol", "tools"]


def _at_home(folder: Path) -> Path:
    """Put the home folder in for `~`."""
    try:
        return folder.expanduser()
    except RuntimeError as error:
        message = f"{error} ({folder})"
        raise ValueError(message) from error


def split_list(value: object) -> object:
    """Take `a, b` for a list; whatever else it is, pydantic says."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _split_paths(value: object) -> object:
    return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value


Folder = Annotated[Path, AfterValidator(_at_home)]
Names = Annotated[tuple[str, ...], BeforeValidator(split_list)]
Token = Annotated[str, Field(pattern=r"^\S+$")]

_CLOSED = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class PermissionRule(BaseModel):
    """What may be done with the files that a glob matches; no operations is a denial."""

    model_config = _CLOSED

    pattern: Annotated[str, Field(pattern=r"[^./]")]
    operations: frozenset[Operation] = frozenset()


class Settings(BaseModel):
    """The configuration of one Benchpin."""

    model_config = _CLOSED

    root: Folder = Path()
    """The workspace."""
    toolsets: Names | None = None
    """Only these toolsets; all of them by default."""
    expose_tools: Names = ()
    """Exactly these tools, whatever their effect."""
    allow: Annotated[frozenset[Effect], BeforeValidator(split_list)] = frozenset()
    """Effects beyond read and record: write, execute, network."""
    read_only: bool = False
    """Only tools that read."""
    unconfined: bool = False
    """Run programs without a sandbox: they may read, change and send whatever you may."""
    artifacts: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders outside the workspace that the performance tools may read."""
    prompt_folders: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders with prompts in Markdown, besides .benchpin/prompts in the workspace."""
    template_folders: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders with templates of your own; the first stands before the others."""
    resource_permissions: tuple[PermissionRule, ...] = ()
    """Rules by glob for reading and writing files."""
    cache_dir: Folder = Field(default_factory=lambda: default_cache_dir(os.environ))
    """Where Benchpin keeps what it can make again."""
    data_dir: Folder | None = None
    """Where snapshots, reports and bundles go; .benchpin in the workspace by default."""
    tool_timeout: Seconds = 30.0
    """Seconds that a tool may take."""
    tool_timeouts: dict[str, Seconds] = Field(default_factory=dict)
    """Seconds for single tools."""
    transport: Transport = "stdio"
    """How clients connect: stdio, or ws and http, which share one port."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 3000
    """The port to listen on; 0 takes any free one."""
    auth_token: Token | None = None
    """The bearer token that network clients must send."""
    debug: Annotated[frozenset[Debug], BeforeValidator(split_list)] = frozenset()
    """What to trace on stderr: protocol, tools."""
    limits: Limits = Field(default_factory=Limits)
    """Bounds on size, rate and time."""

    @property
    def of_toolsets(self) -> dict[str, ToolsetSettings]:
        """The settings that toolsets declare, by the name of the toolset."""
        return {
            name: value
            for name in type(self).model_fields
            if isinstance(value := getattr(self, name), ToolsetSettings)
        }

    @property
    def effects(self) -> frozenset[Effect]:
        """What tools may do, unless they are exposed by name."""
        return frozenset({Effect.READ}) if self.read_only else DEFAULT_EFFECTS | self.allow

    def timeout_of(self, tool: str) -> float:
        """Return the seconds that one tool may take in the server."""
        return self.tool_timeouts.get(tool, self.tool_timeout)

    def chosen_timeout_of(self, tool: str) -> float | None:
        """Return the seconds that somebody set for a tool; a person can press Ctrl-C otherwise."""
        is_chosen = tool in self.tool_timeouts or "tool_timeout" in self.model_fields_set
        return self.timeout_of(tool) if is_chosen else None


@cache
def toolset_tables() -> Mapping[str, type[ToolsetSettings]]:
    """Return the settings that toolsets declare, by the name of the toolset."""
    declared = ((toolset.name, toolset.load_settings()) for toolset in load_toolsets())
    return {name: kind for name, kind in declared if kind is not None}


@cache
def settings_type() -> type[Settings]:
    """Return the settings with one more table for each toolset that has any."""
    tables: dict[str, Any] = {
        name: (kind, Field(default_factory=kind)) for name, kind in toolset_tables().items()
    }
    return create_model("Settings", __base__=Settings, **tables)


OPERATOR_ONLY = frozenset(
    {
        "root",
        "unconfined",
        "artifacts",
        "prompt_folders",
        "template_folders",
        "cache_dir",
        "data_dir",
        "transport",
        "host",
        "port",
        "auth_token",
        "debug",
    }
)
"""Settings that a workspace's own file may not touch."""


def as_rules(rules: tuple[PermissionRule, ...]) -> tuple[Rule, ...]:
    """Return permission settings as the core knows them."""
    return tuple(Rule(rule.pattern, rule.operations) for rule in rules)


def default_cache_dir(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder for Benchpin; without a home, one in the temporary folder."""
    base = environment.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "benchpin"
    try:
        return Path.home() / ".cache" / "benchpin"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / f"benchpin-{os.getuid()}"
