"""How texts name arguments and mark severity: plainly, for clients of MCP and for Python.

A hint names arguments and tools as MCP does: "format=full shows the rest", "list_runs shows all". A
name that is also a common word is in backticks: "leave `diff` out". The command line writes its
flags and commands instead, and colours severities on a terminal.
"""

import re
from collections.abc import Mapping

# What can move the cursor, reorder or hide text on a terminal, or in front of a reader.
_UNSAFE = re.compile(
    r"\r(?!\n)|"  # overwrites the line
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but no tab or line feed
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # direction of text, other line ends
    "\U000e0000-\U000e007f]"  # tags: invisible text
)


class TextStyle:
    """The plain style, which changes nothing."""

    width = 0
    """The columns that lines have to fit in; 0 for no limit."""
    says_confidence = True
    """Whether the last line says how sure the rows are; people read it in each row."""

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


def visible(text: str) -> str:
    r"""Return a text whose control characters are shown as `\u001b`.

    Tabs and line feeds stay. In a JSON document the result has the same meaning.
    """
    return text if text.isprintable() else _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
