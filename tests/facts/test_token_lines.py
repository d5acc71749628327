import array

import pytest

from benchpin.facts import languages
from benchpin.facts.parsing import extract
from language_facts import sample_of


def lines_of(source: str, language: str) -> list[tuple[str, int]]:
    """Return every token on a known line, with the line."""
    tokens = extract(source.encode(), language).tokens
    begun = array.array("I", tokens.begun)
    lines = [line for line, count in enumerate(begun, start=1) for _ in range(count)]
    words = [tokens.texts[number].decode() for number in tokens.indices()]
    return list(zip(words, lines, strict=False))


def test_every_word_is_on_the_line_where_it_begins() -> None:
    source = 'a = 1\n\n# no\nf(\n  """x\n  y""",\n  b)\n'
    assert lines_of(source, "python") == [
        ("a", 1),
        ("=", 1),
        ("1", 1),
        ("f", 4),
        ("(", 4),
        ('"""x\n  y"""', 5),
        (",", 6),
        ("b", 7),
        (")", 7),
    ]


def test_tokens_after_a_body_come_after_it() -> None:
    source = "def f(a = 1)\n  a\nend\nclass C\n  def g\n    2\n  end\nend\n"
    words = ["def", "f", "(", "a", "=", "1", ")", "a", "end"]
    lines = [1, 1, 1, 1, 1, 1, 1, 2, 3]
    rest = [("class", 4), ("C", 4), ("def", 5), ("g", 5), ("2", 6), ("end", 7), ("end", 8)]
    assert lines_of(source, "ruby") == [*zip(words, lines, strict=True), *rest]


_MADE_FOR_TEMPLATES = frozenset(
    {"LineRow", "const", "for", "function", "if", "of", "template", "vFocus"}
)


@pytest.mark.parametrize("language", languages.NAMES)
def test_the_words_of_a_line_are_in_it(language: str) -> None:
    source = sample_of(language).decode()
    texts = source.split("\n")
    found = lines_of(source, language)
    assert found
    if languages.load(language).as_code is not None:
        # What makes code of a template is not in the file, only what the template names.
        found = [it for it in found if it[0].isidentifier() and it[0] not in _MADE_FOR_TEMPLATES]
    for word, line in found:
        assert texts[line - 1].find(word.split("\n")[0]) >= 0, (word, line)


def test_words_that_were_not_parsed_have_no_line() -> None:
    source = "int f(void) {\n#if A\n  if (x) {\n#else\n  if (y) {\n#endif\n  g(); }\n}\n"
    tokens = extract(source.encode(), "c").tokens
    placed = sum(array.array("I", tokens.begun))
    assert len(tokens.indices()) > placed
    rest = [tokens.texts[number] for number in tokens.indices()[placed:]]
    assert b"y" in rest
