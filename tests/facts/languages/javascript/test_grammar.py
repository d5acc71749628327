import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    decorators,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    private_names,
    type_rows,
)

FACTS = facts_of("javascript/cart.jsx")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Cart.onClick", "method", 12, 2, 1, 0, 1),
        ("Cart.constructor", "method", 14, 2, 1, 0, 1),
        ("Cart.add", "method", 20, 13, 14, 3, 3),
        ("Cart.size", "method", 41, 2, 1, 1, 0),
        ("Cart.#secret", "method", 51, 2, 1, 1, 0),
        ("Cart.render", "method", 57, 1, 1, 0, 0),
        ("Cart.render.(anonymous)", "function", 58, 2, 1, 0, 1),
        ("checkout", "function", 62, 3, 2, 0, 2),
        ("checkout.apply", "function", 63, 2, 1, 1, 1),
        ("round", "function", 70, 1, 0, 0, 1),
        ("hidden", "function", 73, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Cart.#secret",
        "Cart.render.(anonymous)",
        "checkout.apply",
        "round",
        "hidden",
    ]
    assert documented_names(FACTS) == ["Cart.add"]
    assert decorators(FACTS) == {}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [("Cart", "class", 9, ("React.Component",), True, True)]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("react", ("default", "useState"), 1, 0),
        ("./api.js", ("*",), 2, 0),
        ("./styles.css", (), 3, 0),
        ("./math.js", ("total",), 4, 0),
        ("fs", (), 6, 0),
        ("./lazy.js", (), 74, 0),
    ]
    assert FACTS.links.exports == ("sum", "default", "checkout", "helpers")


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("require",),
        "Cart.constructor": ("super",),
        "Cart.add": ("api.post",),
        "Cart.size": ("fs.close",),
        "Cart.#secret": ("this.add",),
        "Cart.render": ("this.#items.map",),
        "checkout": ("cart.items.map", "cart.items.map(apply).filter"),
        "round": ("Math.round",),
        "hidden": ("import",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) {} else if (b) {} else {}", 3, 3),
        ("for (const a in b) { for (const c of d) {} }", 3, 3),
        ("switch (a) { case 1: case 2: break; default: }", 3, 1),
        ("try {} catch (e) { if (a) {} } finally {}", 3, 3),
        ("return a?.b?.c ?? d;", 4, 1),
        ("a ||= b; c &&= d; e ??= f; g += h;", 4, 0),
        ("const { b = 1, c: [d = 2] } = a;", 3, 0),
        ("return a && b || c && (d && e);", 5, 3),
        ("l: while (a) { do { break l; } while (b); }", 3, 4),
    ],
)
def test_measures_are_those_of_eslint_and_sonar(body: str, cyclomatic: int, cognitive: int) -> None:
    """Cyclomatic by ESLint's rule `complexity`; cognitive by SonarSource's rules."""
    assert measured(f"function f() {{ {body} }}", "javascript") == (cyclomatic, cognitive)


def test_an_inner_function_counts_for_itself_and_nests() -> None:
    source = b"function f() { return () => { if (a) {} }; }"
    outline = extract(source, "javascript").outline
    assert [(it.cyclomatic, it.cognitive) for it in outline.functions] == [(1, 2), (2, 1)]


def test_everything_may_come_from_another_module() -> None:
    source = b"export * from './a.js';\nexport { b as c } from './b.js';\nexport const d = 1;\n"
    links = extract(source, "javascript").links
    assert [(it.module, it.names) for it in links.imports] == [
        ("./a.js", ("*",)),
        ("./b.js", ("b",)),
    ]
    assert links.exports == ("c", "d")


@pytest.mark.parametrize(
    "element",
    [
        '<label class="a" for={id}>text</label>',
        '<feBlend in="SourceGraphic" in2={b} />',
        "<video><track default /><Route default component={a} /></video>",
        '<p typeof="Person" class:active={on}>{a && b}</p>',
        '<p\n  class="a"\n/>',
    ],
)
def test_reserved_words_are_attributes_of_jsx(element: str) -> None:
    """As in Preact and Solid, which take the names of HTML."""
    facts = extract(f"function Item() {{ if (a) return {element}; }}".encode(), "javascript")
    assert (facts.outline.error, [it.name for it in facts.outline.functions]) == ("", ["Item"])


def test_a_respelled_attribute_is_a_token_as_written() -> None:
    facts = extract(b'const a = <p class="x" for="y" />;', "javascript")
    assert {b"class", b"for"} <= set(facts.tokens.texts)
