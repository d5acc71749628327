"""Projects for tests of navigation, and the uses of their symbols in few words."""

from collections.abc import Mapping

from benchpin.core import Job
from benchpin.engines.navigation.code_index import CodeIndex, index_files
from benchpin.engines.navigation.search import one_symbol
from benchpin.engines.navigation.uses import find_uses
from benchpin.engines.source.detect import detect_language
from benchpin.engines.source.extract import extract
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.on_demand import AnySection
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
