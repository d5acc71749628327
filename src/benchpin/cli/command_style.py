"""How the command line names arguments and tools in hints, and colours severities."""

import re
import secrets
from collections.abc import Callable, Mapping

import click

from benchpin.core.text import TextStyle
from benchpin.toolsets import load_toolsets

_COLORS = {
    "red": ("error", "critical", "high", "failed", "p0"),
    "yellow": ("warning", "medium", "moderate", "not measured", "p1"),
    "blue": ("note", "info", "low", "reported", "p2"),
    "green": ("passed",),
}
_COLOR_OF = {level: color for color, levels in _COLORS.items() for level in levels}
# Names in quotes, paths and longer names are values, which stay as they are.
_NAME = re.compile(r"(?<![\w'\"/.-])(`?)([A-Za-z]\w*+)(?:=([^\s;,`]++))?\1(?![\w'\"/])")
_HAS_SEVERAL_WORDS = re.compile(r"_|[a-z][A-Z]")


class CommandStyle(TextStyle):
    """Flags for arguments and commands for tools, with or without colours."""

    def __init__(
        self, flag_of: Callable[[str, str | None], str | None], *, is_colored: bool
    ) -> None:
        """Take what writes an argument of the command, with its value, as on a command line."""
        self._flag_of = flag_of
        self._is_colored = is_colored
        # Texts of a repository cannot contain it, so only our own colours reach the terminal.
        self._mark = secrets.token_hex()

    def hint(self, text: str) -> str:
        """Return a hint with flags in place of arguments, and commands in place of tools."""
        return _NAME.sub(self._written, text)

    def arguments(self, given: Mapping[str, str]) -> str:
        """Return what is typed, quoted for a shell."""
        typed = (self._flag_of(name, value) for name, value in given.items())
        return " ".join(it for it in typed if it is not None)

    def _written(self, found: re.Match[str]) -> str:
        mark, name, given = found.groups()
        value = given and given.rstrip(".")
        is_name = mark or value or _HAS_SEVERAL_WORDS.search(name)
        flag = self._flag_of(name.removeprefix("next_"), value) if is_name else None
        if flag is not None:
            return flag + (given or "")[len(value or "") :]  # the full stop of the sentence
        command = _command_of(name)
        return found[0] if command is None else f"`benchpin {command}`"

    def severity(self, level: str, text: str) -> str:
        """Return a text in the colour of its level."""
        color = _COLOR_OF.get(level.strip().lower()) if self._is_colored else None
        return f"{self._mark}{color};{text}{self._mark};" if color else text

    def finish(self, text: str) -> str:
        """Return the text with colours in place of their marks."""
        for color in _COLORS:
            code = click.style("", fg=color, bold=color == "red" or None, reset=False)
            text = text.replace(f"{self._mark}{color};", code)
        return text.replace(f"{self._mark};", click.style("", reset=True))


def _command_of(tool: str) -> str | None:
    """Return the command of a tool, preferably a short one; None if there is no such tool."""
    for toolset in load_toolsets():
        if tool not in toolset.tools:
            continue
        short = toolset.commands if toolset.command else ()
        names = (it for it in short if toolset.load_command(it).tool == tool)
        words = tool.replace("_", " ", 1).replace("_", "-")
        return next((f"{toolset.command} {it}" for it in names), words)
    return None
