"""Commands that a toolset declares: short ones, and those that differ from what their tool says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchpin.core.calls import Bench
from benchpin.core.results import Result

Arguments = dict[str, object]
REQUIRED: object = object()


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
