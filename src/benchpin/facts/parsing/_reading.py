"""Facts of a file in any language: by its grammar, or by a reader of its own."""

from benchpin.facts import Facts, languages

from ._extract import extract as extract_by_grammar


def extract(source: bytes, language: str) -> Facts:
    """Return all facts of a file.

    A language that no grammar reads well has a module `reader` with a function `READ` instead.
    """
    own = languages.family_module(language, "reader")
    facts: Facts = extract_by_grammar(source, language) if own is None else own.READ(source)
    return facts
