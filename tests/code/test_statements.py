"""The statement of a line is found by its brackets, alike in all languages."""

from textwrap import dedent

import pytest

from benchpin.code._statements import statement_around
from navigation_kit import indexed

PYTHON = """
total = add(
    one,
    [
        two,
    ],
)


def run(items):
    if ready(items):
        return sorted(items)
    with opened(
        items
    ) as found:
        close(found)
    table = {
        "a": first,
    }
"""
GO = """
package main

func run() error {
	err := walk(func(path string) error {
		return use(path)
	})
	if err := check(
		one,
	); err != nil {
		return err
	}
	return nil
}
"""
CHAIN = """
const found = items
  .filter(it => it.ok)
  .map(
    it => it.name,
  )
  .join(",");
"""


@pytest.mark.parametrize(
    ("path", "text", "line", "lines"),
    [
        ("a.py", PYTHON, 2, (2, 7)),  # its brackets end below
        ("a.py", PYTHON, 5, (2, 7)),  # two brackets around it
        ("a.py", PYTHON, 11, (11, 11)),  # a condition, not its block
        ("a.py", PYTHON, 12, (12, 12)),
        ("a.py", PYTHON, 14, (13, 15)),
        ("a.py", PYTHON, 18, (17, 19)),  # a table is a value
        ("a.py", PYTHON, 8, (8, 8)),  # nothing is there
        ("a.go", GO, 5, (5, 5)),  # a function that is passed is a block of its own
        ("a.go", GO, 6, (6, 6)),
        ("a.go", GO, 9, (8, 10)),
        ("a.ts", CHAIN, 3, (2, 7)),
        ("a.ts", CHAIN, 5, (2, 7)),
    ],
)
def test_the_statement_around_a_line(
    path: str, text: str, line: int, lines: tuple[int, int]
) -> None:
    code = indexed({path: dedent(text)}).symbols.modules[path].code
    assert code is not None
    first, last = statement_around(code, line)
    assert first <= line <= last
    assert (first, last) == lines
