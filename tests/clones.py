"""Code to clone, and a short way to look for clones in it."""

import hashlib

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.parsing import extract
from benchpin.facts.store import AnySection
from benchpin.measures.clones import (
    ALL,
    CloneGroup,
    DuplicateOptions,
    Duplicates,
    Minimum,
    find_duplicates,
)
from benchpin.measures.clones._grouping import CloneType

LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "c": "c", "java": "java",
             "go": "go", "rs": "rust", "rb": "ruby", "cpp": "cpp"}  # fmt: skip


def read(files: dict[str, str]) -> list[FileFacts]:
    """Return the facts of files, by path and text."""
    found = []
    for path, text in sorted(files.items()):
        source = text.encode()
        language = LANGUAGES[path.rpartition(".")[2]]
        facts = extract(source, language)
        sections: dict[str, AnySection] = {"outline": facts.outline, "tokens": facts.tokens}
        key = hashlib.sha256(source).digest()
        found.append(FileFacts(path, language, len(source), sections, key))
    return found


def search(
    files: dict[str, str],
    *types: CloneType,
    threshold: float = 0.85,
    tokens: int = 30,
    lines: int = 5,
    job: Job | None = None,
) -> Duplicates:
    """Look for clones."""
    options = DuplicateOptions(types or ALL, threshold, Minimum(tokens=tokens, lines=lines))
    return find_duplicates(read(files), options, job or Job())


Place = tuple[str, int, int]


def places(group: CloneGroup) -> list[Place]:
    """Return file, first and last line of each fragment."""
    return [(it.file, it.line, it.end_line) for it in group.fragments]


def found(files: dict[str, str], *types: CloneType, **options: float) -> list[list[Place]]:
    """Return the places of every group."""
    result = search(
        files,
        *types,
        threshold=options.get("threshold", 0.85),
        tokens=int(options.get("tokens", 30)),
        lines=int(options.get("lines", 5)),
    )
    return [places(group) for group in result.groups]
