"""A toolset: the tools, resources, prompts, commands and settings of one package.

It holds names, not objects: a module is imported when its tool is first listed or called, so that
server and commands start without loading what they do not use.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import from_json

from benchpin.core.calls import Bench
from benchpin.core.content import Prompt, Resource
from benchpin.core.errors import ToolsetBroken
from benchpin.core.results import Result

from ._tool import AnyTool, Tool, ToolDefinition

Arguments = dict[str, object]
REQUIRED: object = object()
T = TypeVar("T")

# The file of a package with what its tools publish, written by `make generate`.
DEFINITIONS = "definitions.json"


# Commands that a toolset declares: short ones, and those that differ from what their tool says.


@dataclass(frozen=True, slots=True)
class CommandField:
    """How a command takes a field of its tool; type, limits and help come from the schema."""

    name: str
    """`PATH` is an argument, `--slow-log FILE` an option; a field without a name is not offered."""
    default: object = REQUIRED
    """The value if none is typed, where the schema has another one or requires one."""
    variable: str = ""
    """An environment variable that gives the value, if the command line does not."""
    is_path: bool = False
    """Whether it is a path; typing one gives access to its folder."""
    help: str = ""
    """What the command's help says, if the description of the field does not fit."""
    parse: Callable[[str], object] | None = None
    """Returns an item of a list, or a key and its value, from one text."""


@dataclass(frozen=True, slots=True)
class Command:
    """A tool under another name, or with other arguments, than the command derived from it."""

    tool: str
    help: str = ""
    """Follows the description of the tool."""
    fields: Mapping[str, CommandField] = field(default_factory=dict)
    """Fields that differ from the derived option, by name."""
    complete: Callable[[Arguments, Bench], Arguments] | None = None
    """Adds arguments that were not typed."""
    remember: Callable[[Result, Bench], None] | None = None
    """Stores part of the result for the next command."""


def pair(separator: str) -> Callable[[str], tuple[str, str]]:
    """Return a parser of `NAME=VALUE`, with some separator.

    Raises:
        ValueError: when the text has none.
    """

    def parse(text: str) -> tuple[str, str]:
        name, found, value = text.partition(separator)
        if not found:
            message = f"{text!r} is not NAME{separator}VALUE"
            raise ValueError(message)
        return name.strip(), value.strip()

    return parse


@dataclass(frozen=True, slots=True)
class Example:
    """A call that shows what a toolset does; it must work on any repository."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


class ToolsetSettings(BaseModel):
    """Base of the settings of a toolset, from the configuration table with its name.

    The docstring of a subclass says what can be set; it is published in docs/configuration.md. The
    environment cannot set a table.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    remedy: ClassVar[str] = ""
    """What to do about a wrong value; by default the error points to docs/configuration.md."""

    def narrowed_by(self, workspace: Self) -> Self:
        """Combine these settings with those of the workspace's own file.

        By default the file replaces them. Override this where a setting grants a right, so that the
        file can only take it away.
        """
        return workspace


@dataclass(frozen=True, slots=True)
class Toolset:
    """A package of tools, resources and prompts."""

    package: str
    title: str
    description: str
    tools: tuple[str, ...]
    """Names of modules of the package, each with a tool of the same name."""
    example: Example
    resources: tuple[str, ...] = ()
    """Names of values in the package's `resources` module."""
    prompts: tuple[str, ...] = ()
    """Names of values in the package's `prompts` module."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Tools by their aliases."""
    codes: Mapping[str, int] = field(default_factory=dict)
    """JSON-RPC codes by error kind, if the toolset's protocol has any."""
    command: str = ""
    """The group of its commands, such as `perf`; without one, their names are like tools'."""
    commands: tuple[str, ...] = ()
    """Names of commands that differ from a tool's, and of values in the `commands` module."""
    settings: str = ""
    """Name of a class in the package's `settings` module; empty without settings."""
    distribution: str = ""
    """Name and version of the distribution that adds it; empty for Benchpin's own."""

    @property
    def name(self) -> str:
        """The name of the package."""
        return self.package.rpartition(".")[2]

    def load_tool(self, name: str) -> AnyTool:
        """Import one tool."""
        tool: AnyTool = self._load(name, name, Tool)
        if tool.name != name:
            message = f"{self.package}.{name} has a tool called {tool.name!r}, not {name!r}"
            raise TypeError(message)
        return tool

    def definitions(self) -> dict[str, ToolDefinition]:
        """Return what the tools publish, without importing them where that was prepared."""
        prepared = Path(import_module(self.package).__path__[0]) / DEFINITIONS
        if not prepared.is_file():
            return {name: self.load_tool(name).definition for name in self.tools}
        described = from_json(prepared.read_bytes())
        return {name: ToolDefinition.from_json(name, described[name]) for name in self.tools}

    def load_resources(self) -> tuple[Resource, ...]:
        """Import the resources."""
        return tuple(self._load("resources", name, Resource) for name in self.resources)

    def load_prompts(self) -> tuple[Prompt, ...]:
        """Import the prompts."""
        return tuple(self._load("prompts", name, Prompt) for name in self.prompts)

    def load_command(self, name: str) -> Command:
        """Import one short command."""
        return self._load("commands", name, Command)

    def load_settings(self) -> type[ToolsetSettings] | None:
        """Import the class of the settings; None without any."""
        if not self.settings:
            return None
        kind: type[ToolsetSettings] = self._load("settings", self.settings, type)
        return kind

    def _load(self, module: str, name: str, kind: type[T]) -> T:
        if not self.distribution:
            return self._import(module, name, kind)
        try:
            return self._import(module, name, kind)
        except (Exception, SystemExit) as error:  # code of others may raise anything
            raise ToolsetBroken.of(self.name, self.distribution, error) from error

    def _import(self, module: str, name: str, kind: type[T]) -> T:
        value = getattr(import_module(f"{self.package}.{module}"), name, None)
        if not isinstance(value, kind):
            message = f"{self.package}.{module} has no {kind.__name__} called {name!r}"
            raise TypeError(message)
        return value
