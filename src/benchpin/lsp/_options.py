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
    """Whether definitions, references and symbols are answered; language servers do it too."""
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
    for name, otherwise in (("review", True), ("navigation", False)):
        value = values.get(name, otherwise)
        if not isinstance(value, bool):
            problems.append(f"{name} is {value!r}; it is true or false")
            value = otherwise
        flags[name] = value
    author = values.get("author", "")
    if not isinstance(author, str):
        problems.append(f"author is {author!r}; it is a text")
        author = ""
    return EditorOptions(tuple(listed), flags["review"], flags["navigation"], author), problems
