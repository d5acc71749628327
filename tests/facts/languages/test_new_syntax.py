"""The newest syntax of every language, by the change logs of the languages, is read in full."""

import pytest

from benchpin.facts import languages
from benchpin.facts.parsing import extract
from benchpin.facts.respelling import NAME
from language_facts import FIXTURES, measured

SAMPLES = FIXTURES.parent / "new_syntax"


def samples() -> list[tuple[str, str, str]]:
    found = []
    for file in sorted(SAMPLES.glob("*.txt")):
        for section in file.read_text(encoding="utf-8").split("=== ")[1:]:
            title, _, source = section.partition("\n")
            found.append((file.stem, title, source))
    return found


@pytest.mark.parametrize(("language", "title", "source"), samples())
def test_new_syntax_is_read_in_full(language: str, title: str, source: str) -> None:
    assert extract(source.encode(), language).outline.error == "", title


def test_every_language_has_samples_of_its_newest_syntax() -> None:
    assert {language for language, _, _ in samples()} == set(languages.NAMES)


def test_defaults_of_type_parameters_are_references_and_no_complexity() -> None:
    facts = extract(
        b"class C[T: A = B | None, **P = [int]]:\n    def f[U = int](self): ...\n", "python"
    )
    assert [(it.name, it.bases) for it in facts.outline.types] == [("C", ())]
    assert [(it.name, it.cyclomatic) for it in facts.outline.functions] == [("C.f", 1)]
    assert facts.links.references["B"] == 1


@pytest.mark.parametrize("names", ["(A, B)", "A, B", "A, B.c, D"])
def test_an_except_without_parentheses_counts_as_one_with_them(names: str) -> None:
    body = f"def f():\n    try:\n        a()\n    except {names}:\n        b()\n"
    assert measured(body, "python") == (2, 1)
    assert measured(body.replace("except", "except*"), "python") == (2, 1)


def test_code_inside_a_template_string_is_read() -> None:
    facts = extract(b'def f(a):\n    return t"{g(a) if a else 1:>{width}}"\n', "python")
    assert facts.outline.functions[0].cyclomatic == 2
    assert facts.links.calls == ((), ("g",))


def test_an_extension_block_has_its_own_name() -> None:
    source = b"static class E { extension(string s) { public bool F() => s == null || G(s); } }"
    facts = extract(source, "csharp")
    assert [(it.name, it.cyclomatic) for it in facts.outline.functions] == [("E.extension.F", 2)]


def test_a_respelled_word_is_a_token_as_written() -> None:
    source = b"class A extends B { A(int x) { if (x < 0) throw new E(); super(x); } }"
    facts = extract(source, "java")
    assert b"super" in facts.tokens.texts
    assert not any(NAME * 2 in it for it in facts.tokens.texts)
