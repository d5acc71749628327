"""Read a git configuration file without running git."""

import os
import re
from collections.abc import Iterator

TRUE = frozenset({"1", "true", "yes", "on"})
_ENTRY = re.compile(
    r"""
    \[ \s*+ (?P<section> [\w.-]++ ) \s*+ (?P<subsection> "(?: [^"\\\n] | \\. )*+" )?+ \s*+ \]
    | (?P<key> [A-Za-z] [\w-]*+ ) [ \t]*+
      (?: = (?P<value> (?: [^"\\#;\n] | \\. | " (?: [^"\\\n] | \\. )*+ " )*+ ) )?+
      [^\n]*+
    | [#;] [^\n]*
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(.)|"', re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}


def read_settings(content: bytes) -> Iterator[tuple[str, str | None]]:
    """Yield names, in lower case except the subsection, and values; None without a `=`."""
    section = ""
    for entry in _ENTRY.finditer(os.fsdecode(content)):
        if entry["section"]:
            section = entry["section"].lower() + (entry["subsection"] or "")
        elif entry["key"]:
            raw = entry["value"]
            value = None if raw is None else _ESCAPE.sub(_unescaped, raw.strip())
            yield f"{section}.{entry['key'].lower()}", value


def _unescaped(found: re.Match[str]) -> str:
    char = found[1]
    return "" if char is None else _ESCAPED.get(char, char)
