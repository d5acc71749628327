"""Skills: how an agent does a whole task with the tools, each a folder with a SKILL.md.

They have the form of https://agentskills.io/specification: front matter in YAML, then Markdown.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from benchpin.core.text import parse_plain_yaml

NAMES = (
    "benchpin-fix-first",
    "benchpin-make-faster",
    "benchpin-review-change",
    "benchpin-understand-repository",
)
SKILL_FILE = "SKILL.md"
SCHEME = "skill://"
# The resource that serves them; clients learn its name without an import of the toolset.
RESOURCE = "skill_file"
_MAX_FRONT_MATTER_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill; SKILL.md is its only file."""

    name: str
    content: bytes

    @property
    def uri(self) -> str:
        """The URI of SKILL.md, by which the skill is known to clients."""
        return f"{SCHEME}{self.name}/{SKILL_FILE}"

    @property
    def front_matter(self) -> dict[str, str]:
        """All fields that the file begins with."""
        _, yaml, _ = self.content.decode().split("---\n", 2)
        return cast("dict[str, str]", parse_plain_yaml(yaml, _MAX_FRONT_MATTER_CHARS))


def read_skills() -> list[Skill]:
    """Return the skills that Benchpin ships, by name."""
    folder = Path(__file__).parent
    return [Skill(name, (folder / name / SKILL_FILE).read_bytes()) for name in NAMES]
