"""How texts name arguments and mark severity: plainly, for clients of MCP and for Python.

A hint names arguments and tools as MCP does: "format=full shows the rest", "list_runs shows all". A
name that is also a common word is in backticks: "leave `diff` out". The command line writes its
flags and commands instead, and colours severities on a terminal.
"""

from collections.abc import Mapping


class TextStyle:
    """The plain style, which changes nothing."""

    def hint(self, text: str) -> str:
        """Return a hint with names as its reader knows them."""
        return text

    def arguments(self, given: Mapping[str, str]) -> str:
        """Return arguments with their values as its reader gives them."""
        return ", ".join(f"{name}={value}" for name, value in given.items())

    def severity(self, level: str, text: str) -> str:
        """Return a text, marked by how bad it is: error, warning, high, failed, passed …."""
        del level
        return text

    def finish(self, text: str) -> str:
        """Return the whole text as it is printed, after control characters were removed."""
        return text


PLAIN = TextStyle()
