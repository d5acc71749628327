"""Quote code in Markdown, including code that has fences in it."""

import re

_FENCES = re.compile(r"`{3,}")


def fenced(code: str, language: str = "") -> str:
    """Return code between fences that are longer than any fence in it."""
    longest = max(map(len, _FENCES.findall(code)), default=2)
    fence = "`" * (longest + 1)
    ending = "" if code.endswith("\n") else "\n"
    return f"{fence}{language}\n{code}{ending}{fence}"
