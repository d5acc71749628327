"""Every setting, its default, and who may change it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from benchpin.core import DEFAULT_EFFECTS, Effect, Limits, Operation, Rule

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


Folder = Annotated[Path, AfterValidator(_at_home)]

_CLOSED = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


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
    toolsets: tuple[str, ...] | None = None
    """Only these toolsets; all of them by default."""
    expose_tools: tuple[str, ...] = ()
    """Exactly these tools, whatever their effect."""
    allow: frozenset[Effect] = frozenset()
    """Effects beyond read and record: write, execute, network."""
    read_only: bool = False
    """Only tools that read."""
    artifacts: tuple[Folder, ...] = ()
    """Folders outside the workspace that the performance tools may read."""
    resource_permissions: tuple[PermissionRule, ...] = ()
    """Rules by glob for reading and writing files."""
    cache_dir: Folder = Field(default_factory=lambda: default_cache_dir(os.environ))
    """Where Benchpin keeps what it can make again."""
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
    auth_token: str | None = None
    """The bearer token that network clients must send."""
    debug: frozenset[Debug] = frozenset()
    """What to trace on stderr: protocol, tools."""
    limits: Limits = Field(default_factory=Limits)
    """Bounds on size, rate and time."""

    @property
    def effects(self) -> frozenset[Effect]:
        """What tools may do, unless they are exposed by name."""
        return frozenset({Effect.READ}) if self.read_only else DEFAULT_EFFECTS | self.allow

    def timeout_of(self, tool: str) -> float:
        """Return the seconds that one tool may take."""
        return self.tool_timeouts.get(tool, self.tool_timeout)


OPERATOR_ONLY = frozenset(
    {"root", "artifacts", "cache_dir", "transport", "host", "port", "auth_token", "debug"}
)
"""Settings that a workspace's own file may not touch."""


def as_rules(rules: tuple[PermissionRule, ...]) -> tuple[Rule, ...]:
    """Return permission settings as the core knows them."""
    return tuple(Rule(rule.pattern, rule.operations) for rule in rules)


def default_cache_dir(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder for Benchpin."""
    base = environment.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "benchpin"
