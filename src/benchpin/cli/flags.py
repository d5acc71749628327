"""The flags that every command shares, and the configuration that comes of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import click

from benchpin.app import Configuration, Workbench, load

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Flags:
    """What was given on the command line; the nearer to the command, the stronger."""

    given: Mapping[str, object] = field(default_factory=dict)

    def over(self, flags: Mapping[str, object]) -> "Flags":
        """Return these flags with others, given later, on top."""
        return Flags({**self.given, **_given(flags)})

    def configuration(self) -> Configuration:
        """Read every source.

        Raises:
            ConfigError, InvalidPath: when a setting cannot be used.
        """
        return load(_given(self.given))

    def workbench(self) -> Workbench:
        """Put Benchpin together.

        Raises:
            ConfigError, InvalidPath: when a setting cannot be used.
        """
        return Workbench(self.configuration())


def _given(flags: Mapping[str, object]) -> dict[str, object]:
    return {
        key: value
        for key, value in flags.items()
        if value is not None and value != () and value is not False
    }


def settings_options(function: F) -> F:
    """Add the shared flags to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


_FOLDER = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--root", type=_FOLDER, help="The workspace; the current folder by default."),
    click.option("--toolsets", metavar="A,B", help="Only these toolsets."),
    click.option(
        "--expose-tool", "expose_tools", multiple=True, metavar="TOOL", help="Exactly these tools."
    ),
    click.option("--allow", metavar="EFFECTS", help="Also allow write, execute or network."),
    click.option("--read-only", is_flag=True, help="Only tools that read."),
    click.option(
        "--unconfined",
        is_flag=True,
        help="Run programs without a sandbox: they may read, change and send whatever you may.",
    ),
    click.option(
        "--artifacts",
        type=_FOLDER,
        multiple=True,
        metavar="DIR",
        help="A folder outside the workspace that may be read for profiles and logs; repeatable.",
    ),
    click.option(
        "--data-dir",
        type=_FOLDER,
        metavar="DIR",
        help="Where snapshots, reports and bundles go; .benchpin in the workspace by default.",
    ),
    click.option("--tool-timeout", type=float, metavar="SECONDS", help="How long a tool may take."),
)
