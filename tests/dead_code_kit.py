"""Small workspaces made of texts, and what is dead in them."""

from collections.abc import Mapping
from textwrap import dedent

from benchpin.facts import FileFacts
from benchpin.facts.languages import detect_language
from benchpin.facts.liveness import NamesOutsideCode
from benchpin.facts.parsing import extract
from benchpin.facts.store import AnySection
from benchpin.measures.unused import SURE_FROM, DeadCode
from benchpin.measures.unused._search import find_dead_code
from benchpin.workspace.walking import is_product_path


def facts_of(files: Mapping[str, str]) -> list[FileFacts]:
    """Return the facts of files, given their texts by path."""
    found = []
    for path, text in files.items():
        source = dedent(text).encode()
        language = detect_language(path, bytes)
        assert language is not None
        facts = extract(source, language)
        sections: dict[str, AnySection] = {
            "outline": facts.outline,
            "links": facts.links,
            "tokens": facts.tokens,
        }
        found.append(FileFacts(path, language, len(source), sections))
    return found


def dead_code_in(
    files: Mapping[str, str],
    outside: NamesOutsideCode | None = None,
    *,
    min_confidence: float = 0.0,
    include_tests: bool = False,
    is_folded: bool = True,
) -> DeadCode:
    """Return what is dead in some files."""
    return find_dead_code(
        facts_of(files),
        outside or NamesOutsideCode(),
        min_confidence=min_confidence,
        chosen={it for it in files if include_tests or is_product_path(it)},
        is_folded=is_folded,
    )


def confidences(
    files: Mapping[str, str], outside: NamesOutsideCode | None = None
) -> dict[str, float]:
    """Return the confidence for everything that may be dead, by qualified name."""
    return {it.name: it.confidence for it in dead_code_in(files, outside, is_folded=False).items}


def assert_only_first_alive(path: str, alive: str, dead: str) -> None:
    """Check that the first text has no dead code, and that `it` is dead in the second."""
    assert not surely_dead({path: alive})
    assert any(name.lower().endswith("it") for name in surely_dead({path: dead}))


def surely_dead(files: Mapping[str, str], outside: NamesOutsideCode | None = None) -> set[str]:
    """Return what is dead with the confidence that is reported by default."""
    return {name for name, it in confidences(files, outside).items() if it >= SURE_FROM}
