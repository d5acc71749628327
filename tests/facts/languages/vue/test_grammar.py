"""Components of Vue: script, template and style of one file are one piece of code."""

import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    type_rows,
)

FACTS = facts_of("vue/Basket.vue")


def test_functions_of_the_script_and_the_template_are_measured() -> None:
    assert function_rows(FACTS) == [
        ("mounted", "function", 18, 1, 0, 0, 1),
        ("(anonymous)", "function", 21, 1, 0, 0, 0),
        ("(anonymous).(anonymous)", "function", 21, 1, 0, 0, 2),
        ("save", "function", 23, 3, 2, 1, 1),
        ("template", "function", 30, 7, 10, 3, 0),
        ("template.(anonymous)", "function", 48, 1, 0, 0, 0),
    ]
    assert "save" not in documented_names(FACTS)


def test_both_scripts_have_types_imports_and_exports() -> None:
    assert type_rows(FACTS) == [("Line", "interface", 2, (), True, False)]
    assert import_rows(FACTS) == [
        ("vue", ("computed", "ref"), 9, 0),
        ("./LineRow.vue", ("default",), 10, 0),
        ("../money", ("money",), 11, 0),
        ("./rate", ("Rate",), 12, 0),
    ]
    assert FACTS.links.exports == ("Line",)


def test_components_and_functions_are_called_by_the_template() -> None:
    found = calls(FACTS)
    assert found["template"] == ("/}}/.test", "LineRow", "money", "save")
    assert found["template.(anonymous)"] == ("save",)


def test_names_in_directives_styles_and_tags_are_references() -> None:
    counts = FACTS.links.references
    assert (counts["LineRow"], counts["color"], counts["vFocus"], counts["list"]) == (2, 2, 2, 2)


def test_comments_of_the_template_and_the_style_are_comments() -> None:
    assert [(it.line, it.text) for it in FACTS.comments.comments] == [
        (20, "/** The sum of all lines. */"),
        (31, "/* TODO: show the rate */"),
        (52, "/* FIXME: dark colours */"),
    ]
    assert (FACTS.outline.lines, FACTS.outline.code_lines, FACTS.outline.comment_lines) == (
        *(54, 45),
        3,
    )


@pytest.mark.parametrize(
    ("template", "cyclomatic", "cognitive"),
    [
        ('<p v-if="a"/>', 2, 1),
        ('<p v-if="a"/><p v-else-if="b"/><p v-else/>', 3, 3),
        ('<p v-if="a && b || c"/>', 4, 3),
        ('<p v-if="a"><b v-for="x in y"><i v-if="x"/></b></p>', 4, 6),
        ('<p v-for="x in y" v-if="x"/>', 3, 3),
        ("<p>{{ a ? b : c }}</p>", 2, 1),
        ('<p v-show="a" :b="c || d" @e="f ?? g"/>', 3, 2),
        ('<p v-if="a"><br><b/></p>\n<!-- x -->\n<p class="x" v-else>\n</p>', 2, 2),
        ("<p v-else>alone</p>", 1, 0),
        ('<p v-if="a">{{ b ? "</p>" : c }}</p>', 3, 3),
    ],
)
def test_conditions_and_loops_of_the_template_are_its_complexity(
    template: str, cyclomatic: int, cognitive: int
) -> None:
    source = f"<template>{template}</template>"
    assert measured(source, "vue") == (cyclomatic, cognitive)
    assert extract(source.encode(), "vue").outline.error == ""


@pytest.mark.parametrize(
    ("attributes", "language"),
    [("", "javascript"), ('lang="ts"', "typescript"), ('lang="tsx"', "tsx")],
)
def test_a_script_is_read_in_its_language(attributes: str, language: str) -> None:
    only_here = {"javascript": "a<b>(c)", "typescript": "<T>a", "tsx": "<A b={1 as number} />"}
    source = f"<script {attributes}>\nx = {only_here[language]}\n</script>"
    assert extract(source.encode(), "vue").outline.error == ""


def test_a_string_with_an_escaped_tag_does_not_end_the_script() -> None:
    source = b"<script>\nfunction a() { return `\\<script>\\</script\\>` }\na()\n</script>\n"
    facts = extract(source, "vue")
    assert (facts.outline.error, facts.links.calls) == ("", (("a",), ()))


def test_a_template_in_another_notation_is_left_out() -> None:
    facts = extract(b'<template lang="pug">\np(v-if="a")\n</template>\n', "vue")
    assert (facts.outline.functions, facts.outline.code_lines) == ((), 3)
