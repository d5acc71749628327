"""Projects for tests of navigation, and the uses of their symbols in few words."""

from collections.abc import Mapping

from benchpin.code import CodeIndex, one_symbol
from benchpin.code._code_index import index_files
from benchpin.code.references import find_uses
from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.languages import detect_language
from benchpin.facts.parsing import extract
from benchpin.facts.store import AnySection
from made_sources import reader_of


def indexed(texts: Mapping[str, str]) -> CodeIndex:
    """Return the index of some files; those that are no source code are manifests."""
    return index_files(facts_of(texts), reader_of(texts), Job())


def facts_of(texts: Mapping[str, str]) -> list[FileFacts]:
    """Return what an index is made of."""
    files = []
    for path, text in sorted(texts.items()):
        language = detect_language(path, bytes)
        if language is not None:
            facts = extract(text.encode(), language)
            sections: dict[str, AnySection] = {
                "outline": facts.outline,
                "links": facts.links,
                "tokens": facts.tokens,
                "comments": facts.comments,
            }
            files.append(FileFacts(path, language, len(text), sections, key=text.encode()))
    return files


def uses(texts: Mapping[str, str], symbol: str) -> dict[str, list[str]]:
    """Return the uses of a symbol as `file:line kind function`, by certainty."""
    index = indexed(texts)
    found, _ = one_symbol(index, symbol, Job())
    places: dict[str, list[str]] = {"certain": [], "possible": [], "mention": []}
    for it in find_uses(index, found, Job()).found:
        places[it.certainty].append(f"{it.file}:{it.line} {it.kind} {it.inside}".strip())
    return places
