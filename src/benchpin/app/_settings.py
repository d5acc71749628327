"""The settings, their defaults, and which are for the operator only."""

import os
import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from benchpin.core.calls import Limits, Operation, Rule
from benchpin.core.tools import DEFAULT_EFFECTS, Effect, ToolsetSettings
from benchpin.toolsets import load_toolsets

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Transport = Literal["stdio", "ws", "http"]
Debug = Literal["protocol", "tools"]
Schemas = Literal["thin", "full"]
# What to trace, in the words of the variable DEBUG.
DEBUG_WORDS: Mapping[str, tuple[Debug, ...]] = {
    "mcp:*": ("protocol", "tools"),
    "mcp:protocol": ("protocol",),
    "mcp:tools": ("tools",),
    "documcp:tools": ("tools",),
}
Token = Annotated[str, Field(pattern=r"^\S+$")]
_CLOSED = ConfigDict(extra="forbid", frozen=True, defer_build=True)
# Settings that the workspace's file cannot change.
OPERATOR_ONLY = frozenset(
    {
        "root",
        "unconfined",
        "toolchains",
        "artifacts",
        "git_folders",
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
# Tables, which the environment cannot give; those of toolsets are in files only too.
FILES_ONLY = frozenset({"resource_permissions", "tool_timeouts", "profiles"})
AUTO = "auto"
FULL = "full"
LEAN = "lean"
# How hosts with file tools, a search and a shell of their own begin their `clientInfo.name`, in
# lower case with hyphens. Most are in apify/mcp-client-capabilities, which collects the handshakes.
_CODING_HOSTS = (
    "amp",
    "antigravity",
    "claude-code",
    "cline",
    "codex",
    "continue-cli",
    "copilot",
    "crush",
    "cursor",
    "factory-cli",
    "gemini-cli",
    "github-copilot",
    "goose",
    "jetbrains",
    "kilo-code",
    "opencode",
    "q-dev-cli",
    "roo-code",
    "visual-studio-code",
    "windsurf",
    "xcode-copilot",
    "zed",
)
# Tools through which unlisted tools are reached; not needed where all tools are listed.
ONLY_LEAN = frozenset({"find_tools", "call_tool"})
# The profiles besides `full`: the tools of each, in the order of the list.
BUILT_IN: dict[str, tuple[str, ...]] = {
    LEAN: (
        "find_tools",
        "call_tool",
        "run_script",
        "explore",
        "find_references",
        "trace_calls",
        "find_implementations",
        "find_tests",
        "review_change",
        "analyze_repository",
    )
}


def _at_home(folder: Path) -> Path:
    """Expand `~`."""
    try:
        return folder.expanduser()
    except RuntimeError as error:
        message = f"{error} ({folder})"
        raise ValueError(message) from error


def split_list(value: object) -> object:
    """Split `a, b` into a list; other values are left for pydantic to check."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _debug_words(value: object) -> object:
    words = split_list(value)
    if not isinstance(words, list | tuple | set | frozenset):
        return words
    return [part for word in words for part in DEBUG_WORDS.get(str(word), (word,))]


def _split_paths(value: object) -> object:
    return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value


Folder = Annotated[Path, AfterValidator(_at_home)]
# A folder that worker processes open too, which run in another folder than this process.
AbsoluteFolder = Annotated[Folder, AfterValidator(Path.absolute)]
Names = Annotated[tuple[str, ...], BeforeValidator(split_list)]


class PermissionRule(BaseModel):
    """The allowed operations on files that match a glob; without any, access is denied."""

    model_config = _CLOSED

    pattern: Annotated[str, Field(pattern=r"[^./]")]
    operations: frozenset[Operation] = frozenset()


class Settings(BaseModel):
    """The settings of Benchpin itself; `settings_type` adds those of toolsets."""

    model_config = _CLOSED

    root: Folder = Path()
    """The workspace: the folder to work on."""
    toolsets: Names | None = None
    """Only these toolsets; all of them by default."""
    expose_tools: Names = ()
    """Only these tools, whatever their effect."""
    allow: Annotated[frozenset[Effect], BeforeValidator(split_list)] = frozenset()
    """Effects beyond read and record: write, execute, network."""
    read_only: bool = False
    """Only tools that read."""
    unconfined: bool = False
    """Run programs without a sandbox: they can read, change and send everything you can."""
    index_ahead: bool = True
    """Make the index of names ready when a server starts on many files, at idle priority."""
    toolchains: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders with programs, such as ~/.pyenv or .venv, that the sandbox shows read-only."""
    artifacts: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders outside the workspace that the performance tools may read."""
    git_folders: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders outside the workspace whose objects git may read: alternates, linked packs."""
    prompt_folders: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders with prompts in Markdown, in addition to .benchpin/prompts in the workspace."""
    template_folders: Annotated[tuple[Folder, ...], BeforeValidator(_split_paths)] = ()
    """Folders with your own templates; the first folder wins."""
    resource_permissions: tuple[PermissionRule, ...] = ()
    """Which files may be read and written, by glob."""
    cache_dir: AbsoluteFolder = Field(default_factory=lambda: default_cache_dir(os.environ))
    """The folder of caches, which can be deleted at any time."""
    data_dir: Folder | None = None
    """The folder of snapshots, reports and bundles; .benchpin in the workspace by default."""
    hooks: bool = True
    """Whether the hooks that `install --hooks` wrote do anything."""
    tool_timeout: Seconds = 30.0
    """Time limit of a tool, in seconds."""
    tool_timeouts: dict[str, Seconds] = Field(default_factory=dict)
    """Time limits of single tools, in seconds."""
    profile: str = AUTO
    """Which tools to list: full, lean or one of profiles; auto: lean in hosts with file tools."""
    profiles: dict[str, Names] = Field(default_factory=dict)
    """Your own profiles: names of tools, by the name of the profile."""
    schemas: Schemas = "thin"
    """What tools/list says: thin has the arguments most callers need, full also output schemas."""
    transport: Transport = "stdio"
    """How clients connect: stdio, ws or http; ws and http share one port."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 3000
    """The port to listen on; 0 for any free one."""
    auth_token: Token | None = None
    """The bearer token that network clients must send."""
    debug: Annotated[frozenset[Debug], BeforeValidator(_debug_words)] = frozenset()
    """What to trace on stderr: protocol, tools; DEBUG=mcp:* does so too."""
    limits: Limits = Field(default_factory=Limits)
    """Limits of size, rate and time."""

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
        """The allowed effects; a tool that is exposed by name may have others."""
        return frozenset({Effect.READ}) if self.read_only else DEFAULT_EFFECTS | self.allow

    def timeout_of(self, tool: str) -> float:
        """Return the time limit of a tool in the server, in seconds."""
        return self.tool_timeouts.get(tool, self.tool_timeout)

    def chosen_timeout_of(self, tool: str) -> float | None:
        """Return the time limit that was set for a tool; None if none was."""
        is_chosen = tool in self.tool_timeouts or "tool_timeout" in self.model_fields_set
        return self.timeout_of(tool) if is_chosen else None


@cache
def toolset_tables() -> Mapping[str, type[ToolsetSettings]]:
    """Return the settings that toolsets declare, by the name of the toolset."""
    declared = ((toolset.name, toolset.load_settings()) for toolset in load_toolsets())
    return {name: kind for name, kind in declared if kind is not None}


@cache
def settings_type() -> type[Settings]:
    """Return the class of all settings: these, and a table for each toolset that declares one."""
    tables: dict[str, Any] = {
        name: (kind, Field(default_factory=kind)) for name, kind in toolset_tables().items()
    }
    return create_model("Settings", __base__=Settings, **tables)


def as_rules(rules: tuple[PermissionRule, ...]) -> tuple[Rule, ...]:
    """Return the rules of the core for permission settings."""
    return tuple(Rule(rule.pattern, rule.operations) for rule in rules)


def default_cache_dir(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder; without a home folder, one in the temporary folder."""
    base = environment.get("XDG_CACHE_HOME")
    if base:
        return Path(base).absolute() / "benchpin"
    try:
        return Path.home() / ".cache" / "benchpin"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / f"benchpin-{getattr(os, 'getuid', os.getpid)()}"


def profile_for(client: str, settings: Settings) -> str:
    """Return the profile that a client of this name is shown.

    Toolsets and tools that the operator has named are listed in any host.
    """
    if settings.profile != AUTO:
        return settings.profile
    name = re.sub(r"[\s_]+", "-", client.strip().lower())
    has_file_tools = any(name == it or name.startswith(f"{it}-") for it in _CODING_HOSTS)
    is_chosen = settings.toolsets is not None or settings.expose_tools
    return LEAN if has_file_tools and not is_chosen else FULL
