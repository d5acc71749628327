"""The flags of every command, and the configuration they lead to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import click

from benchpin.app import Configuration, Workbench, load

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags that were given; those after the command win over those before it."""

    given: Mapping[str, object] = field(default_factory=dict)

    def over(self, flags: Mapping[str, object]) -> "Flags":
        """Return these flags with later ones added; later ones win."""
        return Flags({**self.given, **_given(flags)})

    def configuration(self) -> Configuration:
        """Read the configuration.

        Raises:
            ConfigError, InvalidPath: when a setting is wrong.
        """
        return load(_given(self.given))

    def workbench(self) -> Workbench:
        """Return a workbench with this configuration.

        Raises:
            ConfigError, InvalidPath: when a setting is wrong.
        """
        return Workbench(self.configuration())


def _given(flags: Mapping[str, object]) -> dict[str, object]:
    return {
        key: value
        for key, value in flags.items()
        if value is not None and value != () and value is not False
    }


def settings_options(function: F) -> F:
    """Add the common flags to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


_FOLDER = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--root", type=_FOLDER, help="The folder to work on; the current one by default."),
    click.option("--toolsets", metavar="A,B", help="Enable only these toolsets."),
    click.option(
        "--expose-tool",
        "expose_tools",
        multiple=True,
        metavar="TOOL",
        help="Enable only this tool, whatever its effect; repeatable.",
    ),
    click.option(
        "--allow",
        metavar="EFFECTS",
        help="Also enable tools with these effects: write, execute, network.",
    ),
    click.option("--read-only", is_flag=True, help="Enable only tools that read."),
    click.option(
        "--unconfined",
        is_flag=True,
        help="Run programs without a sandbox: they can read, change and send everything you can.",
    ),
    click.option(
        "--artifacts",
        type=_FOLDER,
        multiple=True,
        metavar="DIR",
        help="A folder outside the workspace with profiles and logs; repeatable.",
    ),
    click.option(
        "--data-dir",
        type=_FOLDER,
        metavar="DIR",
        help="The folder of snapshots and reports; .benchpin in the workspace by default.",
    ),
    click.option("--tool-timeout", type=float, metavar="SECONDS", help="Time limit of a tool."),
)
