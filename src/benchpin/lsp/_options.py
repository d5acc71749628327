"""What an editor asks for in `initializationOptions`."""

from dataclasses import dataclass
from typing import Literal, get_args

Display = Literal["inlayHints", "codeLenses", "diagnostics"]
DISPLAYS: tuple[Display, ...] = get_args(Display)


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """The settings of one editor."""

    notes: tuple[Display, ...] = ()
    """How notes are shown."""
    review: bool = True
    """Whether review findings are shown as diagnostics."""
    navigation: bool = False
    """Whether definitions, references, calls, renames and symbols are answered."""
    other_servers: frozenset[str] = frozenset()
    """The languages that another server answers those for, by the ids of the protocol."""
    complexity: bool = False
    """Whether functions have a code lens with their complexity."""
    unused: bool = False
    """Whether what nothing uses has a code lens."""
    author: str = ""
    """The author of notes; the git user by default."""


def read_options(given: object, *, has_inlay_hints: bool) -> tuple[EditorOptions, list[str]]:
    """Return the settings, and what is wrong with those that were given.

    Notes are inlay hints where the editor has them, and diagnostics of level hint elsewhere.
    """
    default: tuple[Display, ...] = ("inlayHints",) if has_inlay_hints else ("diagnostics",)
    values = given if isinstance(given, dict) else {}
    problems = []
    notes = values.get("notes", default)
    listed = [notes] if isinstance(notes, str) else notes
    if not isinstance(listed, list | tuple) or any(it not in DISPLAYS for it in listed):
        problems.append(f"notes is {notes!r}; it is a list of {', '.join(DISPLAYS)}")
        listed = default
    flags = {}
    others = values.get("otherServers")
    # A client that says which servers run wants the rest from here.
    navigates = others is not None
    if others is not None and not (
        isinstance(others, list | tuple) and all(isinstance(it, str) for it in others)
    ):
        problems.append(f"otherServers is {others!r}; it is a list of language ids")
        others, navigates = None, False
    defaults = {"review": True, "navigation": navigates, "complexity": False, "unused": False}
    for name, otherwise in defaults.items():
        value = values.get(name, otherwise)
        if not isinstance(value, bool):
            problems.append(f"{name} is {value!r}; it is true or false")
            value = otherwise
        flags[name] = value
    author = values.get("author", "")
    if not isinstance(author, str):
        problems.append(f"author is {author!r}; it is a text")
        author = ""
    options = EditorOptions(
        tuple(listed), author=author, other_servers=frozenset(others or ()), **flags
    )
    return options, problems
