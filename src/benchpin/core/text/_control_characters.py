"""Show control characters instead of sending them to a terminal or a reader."""

import re

# What can move the cursor, reorder or hide text on a terminal, or in front of a reader.
_UNSAFE = re.compile(
    r"\r(?!\n)|"  # overwrites the line
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but no tab or line feed
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # direction of text, other line ends
    "\U000e0000-\U000e007f]"  # tags: invisible text
)


def visible(text: str) -> str:
    r"""Return a text whose control characters are shown as `\u001b`.

    Tabs and line feeds stay. In a JSON document the result has the same meaning.
    """
    return text if text.isprintable() else _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
