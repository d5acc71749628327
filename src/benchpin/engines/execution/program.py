"""A program that somebody wants to run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """What to run, and where."""

    argv: tuple[str, ...]
    folder: str
    script: str | None = None
    """Put into a file, whose path is added to the arguments."""
