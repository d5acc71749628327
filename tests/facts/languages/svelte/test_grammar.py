"""Components of Svelte: scripts, markup and style of one file are one piece of code."""

import pytest

from benchpin.facts.parsing import extract
from language_facts import calls, facts_of, function_rows, import_rows, measured, type_rows

FACTS = facts_of("svelte/Basket.svelte")


def test_functions_of_the_script_and_the_markup_are_measured() -> None:
    assert function_rows(FACTS) == [
        ("save", "function", 20, 3, 2, 1, 1),
        ("template", "function", 28, 7, 11, 3, 0),
        ("template.(anonymous)", "function", 30, 1, 0, 0, 0),
        ("template.row", "function", 46, 1, 0, 0, 1),
        ("template.(anonymous)", "function", 50, 2, 1, 0, 1),
    ]


def test_both_scripts_have_types_imports_and_exports() -> None:
    assert type_rows(FACTS) == [("Line", "interface", 10, (), False, False)]
    assert import_rows(FACTS) == [
        ("../stores", ("count", "money"), 6, 0),
        ("./Row.svelte", ("default",), 7, 0),
        ("svelte/transition", ("fade",), 8, 0),
    ]
    assert FACTS.links.exports == ("limit",)


def test_components_snippets_and_functions_are_called_by_the_markup() -> None:
    assert calls(FACTS) == {
        "": ("$props", "$state"),
        "save": ("count.set",),
        "template": ("/}/.test", "Row", "load", "money", "row"),
        "template.(anonymous)": ("save",),
    }


def test_a_store_is_used_by_its_name_with_a_dollar() -> None:
    counts = FACTS.links.references
    assert counts["count"] == 4
    assert "$count" not in counts
    assert {"$props", "$state"} <= counts.keys()
    assert {"fade", "open"} <= counts.keys()


def test_comments_of_the_markup_and_the_style_are_comments() -> None:
    assert [(it.line, it.text) for it in FACTS.comments.comments] == [
        (19, "/** Keep a line. */"),
        (27, "/* TODO: show the rate */"),
        (53, "/* FIXME: dark colours */"),
    ]


@pytest.mark.parametrize(
    ("markup", "cyclomatic", "cognitive"),
    [
        ("{#if a}x{/if}", 2, 1),
        ("{#if a}x{:else if b}y{:else}z{/if}", 3, 3),
        ("{#each a as b, i (b.id)}{#if b}{i}{/if}{/each}", 3, 3),
        ("{#each a as b}{b}{:else}none{/each}", 2, 1),
        ("{#await a}b{:then c}{c}{:catch d}{d}{/await}", 1, 0),
        ("{#await a then b}{b}{/await}", 1, 0),
        ("{#key a}<p/>{/key}", 1, 0),
        ("<p class={a ? b : c} {d} {...e} on:f={g && h}>{i}</p>", 3, 2),
        ('<p class="x {a ? "}" : b}" />', 2, 1),
        ("{#if a}<p>{#if b}x{/if}{/if}", 3, 3),
    ],
)
def test_blocks_of_the_markup_are_its_complexity(
    markup: str, cyclomatic: int, cognitive: int
) -> None:
    assert measured(markup, "svelte") == (cyclomatic, cognitive)
    assert extract(markup.encode(), "svelte").outline.error == ""


def test_a_script_inside_of_an_element_is_no_code() -> None:
    facts = extract(b"<svelte:head><script>f(1)</script></svelte:head>{g()}", "svelte")
    assert facts.links.calls == ((), ("g",))
