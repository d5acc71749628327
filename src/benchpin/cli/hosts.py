"""MCP hosts: where each keeps its configuration, and what an entry looks like there.

`benchpin install`, the table in README.md and the tests are all made from this table.
"""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchpin.system.processes import home_folder

SERVER = "benchpin"
Scope = Literal["project", "user"]
Entry = dict[str, object]


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a host starts the server."""

    program: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Host:
    """A program that talks to MCP servers."""

    name: str
    title: str
    keys: tuple[str, ...]
    """Where the entries of servers are in the file."""
    entry: Callable[[ServerCommand], Entry]
    user_file: Callable[["Places"], Path]
    project_file: str | None = None
    """The file in a project; None if the host has none."""
    programs: tuple[str, ...] = ()
    """Commands that say that the host is installed."""
    root_variable: str | None = None
    """The project folder in a project's file; without one, the host starts servers there."""
    starts_in_project: bool = True
    """Whether a server of the user's file is started in the project that is open."""
    profile: str | None = None
    """The profile of the tool list; None for the default."""
    skills_folder: str | None = None
    """Where it reads skills, in a project or the home folder; None if that is not documented."""

    def file(self, scope: Scope, root: Path, places: "Places") -> Path | None:
        """Return the configuration file; None if the host has none of this scope."""
        if scope == "user":
            return self.user_file(places)
        return None if self.project_file is None else root / self.project_file

    def skills(self, scope: Scope, root: Path, places: "Places") -> Path | None:
        """Return the folder that skills are read from; None without one."""
        if self.skills_folder is None:
            return None
        return (root if scope == "project" else places.home) / self.skills_folder

    def is_installed(self, places: "Places") -> bool:
        """Whether the host seems to be on this machine."""
        file = self.user_file(places)
        # A home folder or ~/.config is always there: only a folder of the host itself counts.
        is_own_folder = file.parent not in {places.home, places.config}
        return (
            file.exists()
            or (is_own_folder and file.parent.is_dir())
            or any(shutil.which(it) for it in self.programs)
        )

    def command(self, scope: Scope, root: Path, program: str) -> ServerCommand:
        """Return how this host should start the server."""
        arguments = ["serve"]
        if scope == "project" and self.root_variable is not None:
            arguments += ["--root", self.root_variable]
        elif scope == "user" and not self.starts_in_project:
            arguments += ["--root", str(root)]
        if self.profile is not None:
            arguments += ["--profile", self.profile]
        # A project's file is shared, so it names the command and not where it is on one machine.
        is_on_path = scope == "project" and shutil.which(SERVER) is not None
        return ServerCommand(SERVER if is_on_path else program, tuple(arguments))


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of a user, which differ from system to system."""

    home: Path
    config: Path
    """Where programs keep their settings: ~/.config, or its like."""
    application: Path
    """Where desktop programs keep theirs; the same on Linux."""

    @classmethod
    def of_this_machine(cls) -> "Places":
        """Return the folders of the current user."""
        home = home_folder()
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        if sys.platform == "darwin":
            return cls(home, config, home / "Library" / "Application Support")
        if sys.platform == "win32":
            roaming = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
            return cls(home, roaming, roaming)
        return cls(home, config, config)


def _plain(command: ServerCommand) -> Entry:
    return {"command": command.program, "args": list(command.arguments)}


def _typed(command: ServerCommand) -> Entry:
    return {"type": "stdio", **_plain(command)}


def _claude_code(command: ServerCommand) -> Entry:
    # Otherwise a model sees the names of tools only, and has to search for what they do.
    return {**_typed(command), "alwaysLoad": True}


def _copilot(command: ServerCommand) -> Entry:
    # It enables no tool without a list; its own search hides tools from the thirtieth on.
    return {"type": "local", **_plain(command), "tools": ["*"], "deferTools": "never"}


def _opencode(command: ServerCommand) -> Entry:
    argv = [command.program, *command.arguments]
    return {"type": "local", "command": argv, "enabled": True}


def _goose(command: ServerCommand) -> Entry:
    return {
        "name": SERVER,
        "type": "stdio",
        "enabled": True,
        "cmd": command.program,
        "args": list(command.arguments),
        "envs": {},
        "timeout": 300,
    }


_SHARED_SKILLS = ".agents/skills"

HOSTS = (
    Host(
        "claude-code",
        "Claude Code",
        ("mcpServers",),
        _claude_code,
        lambda it: it.home / ".claude.json",
        project_file=".mcp.json",
        programs=("claude",),
        profile="lean",  # all that is listed is loaded
        skills_folder=".claude/skills",
    ),
    Host(
        "claude-desktop",
        "Claude Desktop",
        ("mcpServers",),
        _plain,
        lambda it: it.application / "Claude" / "claude_desktop_config.json",
        starts_in_project=False,
    ),
    Host(
        "cursor",
        "Cursor",
        ("mcpServers",),
        _typed,
        lambda it: it.home / ".cursor" / "mcp.json",
        project_file=".cursor/mcp.json",
        programs=("cursor", "cursor-agent"),
        root_variable="${workspaceFolder}",
        profile="lean",  # shows a model at most 40 tools of all servers together
        skills_folder=_SHARED_SKILLS,
    ),
    Host(
        "vscode",
        "VS Code",
        ("servers",),
        _typed,
        lambda it: it.application / "Code" / "User" / "mcp.json",
        project_file=".vscode/mcp.json",
        programs=("code",),
        root_variable="${workspaceFolder}",
        skills_folder=_SHARED_SKILLS,
    ),
    Host(
        "codex",
        "Codex",
        ("mcp_servers",),
        _plain,
        lambda it: it.home / ".codex" / "config.toml",
        project_file=".codex/config.toml",
        programs=("codex",),
        skills_folder=_SHARED_SKILLS,
    ),
    Host(
        "copilot-cli",
        "Copilot CLI",
        ("mcpServers",),
        _copilot,
        lambda it: it.home / ".copilot" / "mcp-config.json",
        programs=("copilot",),
        profile="lean",  # all that is listed is loaded
    ),
    Host(
        "gemini",
        "Gemini CLI",
        ("mcpServers",),
        _plain,
        lambda it: it.home / ".gemini" / "settings.json",
        project_file=".gemini/settings.json",
        programs=("gemini",),
        skills_folder=_SHARED_SKILLS,
    ),
    Host(
        "windsurf",
        "Windsurf",
        ("mcpServers",),
        _plain,
        lambda it: it.home / ".codeium" / "windsurf" / "mcp_config.json",
        programs=("windsurf",),
        starts_in_project=False,
        profile="lean",  # at most 100 tools of all servers together
    ),
    Host(
        "zed",
        "Zed",
        ("context_servers",),
        _plain,
        lambda it: it.config / "zed" / "settings.json",
        project_file=".zed/settings.json",
        programs=("zed", "zeditor"),
        skills_folder=_SHARED_SKILLS,
    ),
    Host(
        "opencode",
        "opencode",
        ("mcp",),
        _opencode,
        lambda it: it.config / "opencode" / "opencode.json",
        project_file="opencode.json",
        programs=("opencode",),
        skills_folder=_SHARED_SKILLS,
    ),
    Host(
        "goose",
        "Goose",
        ("extensions",),
        _goose,
        lambda it: it.config / "goose" / "config.yaml",
        programs=("goose",),
    ),
)
