"""Whether a call fits a signature, by the number and the names of its arguments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.engines.source.token_stream import CLOSING, OPENING

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_MOST_TOKENS = 2_000
"""Of one call: a longer one is a table of data."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a Python function can be called."""

    most: int | None
    """How many positional arguments; None for any number."""
    names: frozenset[str]
    required: frozenset[str]
    """Arguments that must be given, by position or by name."""
    takes_any_name: bool


def parse_signature(text: str, *, is_method: bool) -> Signature | None:
    """Read a Python signature such as `f(a, b=1, *, c, **rest)`; None if it has no such form."""
    inside = _inside(text)
    if inside is None:
        return None
    parts = [it.strip() for it in _split(inside) if it.strip()]
    if is_method and parts:
        parts = parts[1:]
    star = next((at for at, it in enumerate(parts) if it.startswith("*")), len(parts))
    has_rest = star < len(parts) and parts[star][1:2].isidentifier()
    plain = [it for it in parts if not it.startswith("*") and it != "/"]
    positional = [it for it in parts[:star] if it != "/"]
    return Signature(
        most=None if has_rest else len(positional),
        names=frozenset(map(_name, plain)),
        required=frozenset(_name(it) for it in plain if "=" not in it),
        takes_any_name=any(it.startswith("**") for it in parts),
    )


def _name(parameter: str) -> str:
    found = _NAME.match(parameter)
    return found[0] if found else parameter


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call."""

    positional: int
    names: frozenset[str]
    is_open: bool
    """Whether it passes on `*args` or `**named`."""


def read_call(words: Sequence[str], opening: int) -> Call | None:
    """Read the arguments after an opening parenthesis; None if its end is not found."""
    depth, start = 0, opening + 1
    parts: list[Sequence[str]] = []
    for at in range(opening, min(len(words), opening + _MOST_TOKENS)):
        if words[at] in OPENING:
            depth += 1
        elif words[at] in CLOSING:
            depth -= 1
            if not depth:
                parts.append(words[start:at])
                break
        elif words[at] == "," and depth == 1:
            parts.append(words[start:at])
            start = at + 1
    else:
        return None
    given = [it for it in parts if it]
    named = {it[0] for it in given if len(it) > 1 and it[1] == "="}
    is_open = any(it[0] in {"*", "**"} for it in given)
    is_generator = len(given) == 1 and "for" in given[0]
    positional = 1 if is_generator else len(given) - len(named)
    return Call(positional, frozenset(named), is_open)


def misfit(call: Call, signature: Signature) -> str:
    """Return why a call does not fit; empty if it does, or may."""
    if call.is_open:
        return ""
    unknown = call.names - signature.names
    if unknown and not signature.takes_any_name:
        return f"there is no argument {min(unknown)}"
    if signature.most is not None and call.positional > signature.most:
        return f"{call.positional} positional arguments for at most {signature.most}"
    missing = len(signature.required - call.names) - call.positional
    return f"{missing} required arguments are missing" if missing > 0 else ""


def _inside(text: str) -> str | None:
    start = text.find("(")
    depth = 0
    for at in range(start, len(text)) if start >= 0 else ():
        depth += (text[at] in OPENING) - (text[at] in CLOSING)
        if not depth:
            return text[start + 1 : at]
    return None


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in OPENING) - (character in CLOSING)
        if character == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
