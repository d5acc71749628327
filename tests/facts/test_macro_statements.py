"""Macros without a `;`; the values are those that pmccabe 2.8 prints for the same text."""

import pytest

from benchpin.facts import Facts
from benchpin.facts.languages.c._macro_statements import read_c_macros
from benchpin.facts.parsing import extract


def in_body(*lines: str) -> Facts:
    text = "\n".join(("int f(int a) {", *(f"    {line}" for line in lines), "}", ""))
    return extract(text.encode(), "c")


def rows(facts: Facts) -> list[tuple[str, int]]:
    assert facts.outline.error == ""
    return [(it.name, it.cyclomatic) for it in facts.outline.functions]


@pytest.mark.parametrize(
    ("lines", "cyclomatic"),
    [
        (("Py_END_ALLOW_THREADS", "if (a) { g(); }"), 2),
        (("UWSGI_GET_GIL", "if (a && b) {", "}", "if (c) g();"), 4),
        (("LOCK(a)  // ours", "while (a) g();"), 2),
        (("LOCK(a, g(b))", "switch (a) { case 1: g(); }"), 2),
        (("if (a) RETURN_NONE", "else if (b) g();"), 3),
        (("for_each(x, xs)", "if (x) g();"), 2),
        (("for_each(x, xs) {", "if (x) g();", "}"), 2),
        (("on_error {", "if (a) return 1;", "}", "return 0;"), 2),
        (("BEGIN", "g(a ? 1 : 2);", "END", "return 0;"), 2),
        (("again:", "LEAVE", "return a || b;"), 2),
        (("LEAVE()",), 1),
        (("#ifdef X", "LOCK", "#endif", "if (a) g();"), 2),
    ],
)
def test_a_macro_without_a_semicolon_hides_no_branch(
    lines: tuple[str, ...], cyclomatic: int
) -> None:
    assert rows(in_body(*lines)) == [("f", cyclomatic)]


def test_what_a_macro_precedes_is_a_call_and_no_declaration() -> None:
    facts = in_body("Py_BEGIN_ALLOW_THREADS", "close(fd);", "Py_END_ALLOW_THREADS", "return 0;")
    assert facts.links.calls == ((), ("close",))
    assert facts.links.references["Py_END_ALLOW_THREADS"] == 1


def test_macros_between_functions_make_no_functions() -> None:
    facts = extract(b'INIT(a)\nINIT(b)\nEXPORT("x")\nstatic int f(void) { return a && b; }\n', "c")
    assert rows(facts) == [("f", 2)]
    assert facts.links.references["INIT"] == 2


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_function_that_a_macro_defines_has_the_name_of_the_macro(language: str) -> None:
    source = b'TEST("adds", 1) {\n  if (a) b();\n}\nstatic XS(boot)\n{\n  if (a || b) c();\n}\n'
    assert rows(extract(source, language)) == [("TEST", 2), ("XS", 3)]


@pytest.mark.parametrize(
    "source",
    [
        "GLOBAL(int)\nread(int a) { return a; }\n",
        "PyMODINIT_FUNC\ninit(void) { return; }\n",
        "struct a {\n  UINT\n  b;\n};\n",
        "enum a {\n  ONE,\n  TWO\n};\n",
        "int f(void) {\n  unsigned\n  a;\n  Size\n  b;\n  return 1;\n}\n",
        "int f(void) {\n  return g((struct at) {\n    X\n  });\n}\n",
        "int f(void) {\n  a = b ?\n    c :\n    D(1);\n  return\n    A;\n}\n",
        "int f(void) {\n  g(a)\n    ->b = 1;\n  if (a)\n    g(b);\n}\n",
        "int f(a)\n  int a;\n{\n  return a;\n}\n",
    ],
)
def test_what_only_looks_like_such_a_macro_stays(source: str) -> None:
    assert read_c_macros(source.encode()) == (source.encode(), [])


def test_a_comment_inside_a_macro_of_several_lines_does_not_end_it() -> None:
    facts = in_body(
        "#define GROW(n) do { \\",
        "  if (n + 4 /* for the end */ > size) { \\",
        "    grow(n); } } while (0)",
        "if (a) GROW(1);",
    )
    assert rows(facts) == [("f", 2)]
    assert [it.text for it in facts.comments.comments] == ["/* for the end */"]
