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

FACTS = facts_of("c/queue.c")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("queue_push", "function", 23, 9, 11, 2, 2),
        ("name_of", "function", 47, 3, 1, 1, 1),
        ("handler", "function", 59, 2, 1, 1, 0),
        ("old_style", "function", 67, 2, 6, 2, 2),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["name_of", "handler"]
    assert documented_names(FACTS) == ["queue_push"]
    assert decorators(FACTS) == {}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("node", "struct", 10, (), True, True),
        ("queue_t", "struct", 15, (), True, False),
        ("state", "enum", 19, (), True, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [("stdlib.h", (), 1, 0), ("queue.h", (), 2, 1)]
    assert FACTS.links.exports == ("queue_size", "limit")


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "queue_push": ("MIN", "malloc"),
        "handler": ("name_of",),
        "old_style": ("queue_size",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) {} else if (b) {} else {}", 3, 3),
        ("switch (a) { case 1: case 2: break; default: break; }", 3, 1),
        ("do { } while (a && b);", 3, 2),
        ("for (;;) { while (a) { if (b) {} } }", 4, 6),
        ("return a && b || c && (d && e);", 5, 3),
        ("return a ? b ? 1 : 2 : 3;", 3, 3),
        ("goto end; end: return 1;", 1, 1),
        ("OUT: for (i = 1; i <= n; ++i) { for (j = 2; j < i; ++j) { if (i % j == 0) {} } }", 4, 6),
    ],
)
def test_measures_are_those_of_pmccabe_and_the_definition(
    body: str, cyclomatic: int, cognitive: int
) -> None:
    """Cyclomatic as pmccabe 2.8 prints it in its second column; cognitive by the white paper."""
    assert measured(f"int f(void) {{ {body} }}", "c") == (cyclomatic, cognitive)


def test_a_conditional_that_cuts_through_statements_keeps_its_first_branch() -> None:
    facts = facts_of("c/cut.c")
    assert facts.outline.error_line == 0
    assert function_rows(facts) == [
        ("open_brace", "function", 2, 2, 1, 1, 1),
        ("chain", "function", 14, 3, 3, 1, 1),
        ("after", "function", 26, 1, 0, 0, 0),
    ]


def test_names_in_masked_code_are_still_found() -> None:
    facts = facts_of("c/cut.c")
    assert facts.links.references["only_here"] == 1
    assert "// hidden" in [comment.text for comment in facts.comments.comments]
    assert (facts.outline.lines, facts.outline.comment_lines) == (26, 1)


def test_a_statement_after_a_macro_is_no_function() -> None:
    source = b"int f(void)\n{\n  BEGIN\n  struct pair { int a; } p;\n  if (p.a) { return 1; }\n}\n"
    assert [it.name for it in extract(source, "c").outline.functions] == ["f"]


def test_a_file_that_does_not_parse_says_where() -> None:
    outline = extract(b"int a(void) { return 1; }\nint b( {\n", "c").outline
    assert outline.error_line == 2
    assert [it.name for it in outline.functions] == ["a"]


def test_macros_that_replace_loops_and_attributes_are_skipped() -> None:
    source = b"""
    char *
    find(char *key UNUSED, int at)
    {
        FOR_ALL_TABS(tab)
            FOR_ALL_WINDOWS(tab, (win))
                if (win->at == at && at)
                    return win->key;
        return 0;
    }
    """
    outline = extract(source, "c").outline
    assert outline.error_line == 0
    assert [(it.name, it.cyclomatic, it.parameters) for it in outline.functions] == [("find", 3, 2)]
