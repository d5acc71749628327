"""The one table that all comparisons write: a row for each number and sample."""

from dataclasses import dataclass
from pathlib import Path


class Missing(Exception):
    """A project or a reference tool that a comparison needs is not here."""


@dataclass(frozen=True, slots=True)
class Row:
    """How well one number of ours agrees with a reference on a sample."""

    number: str
    reference: str
    sample: str
    result: str

    def __str__(self) -> str:
        """Return it as a row of a Markdown table."""
        cells = (self.number, self.reference, self.sample, self.result)
        return f"| {' | '.join(cells)} |"


def checkout(projects: Path, name: str) -> Path:
    """Return the folder of a project, which has the name of its repository.

    Raises:
        Missing: when it is not there.
    """
    found = projects / name.rpartition("/")[2]
    if not found.is_dir():
        raise Missing(f"{name} is not in {projects.name}")
    return found
