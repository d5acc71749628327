"""Statements of a server, and the sources that send them."""

import tomllib
from pathlib import Path

import pytest

from benchpin.performance.formats._postgres_messages import skeleton
from benchpin.performance.slowlog import fingerprint, generalise
from benchpin.performance.statements import Models, comparable, statements_in

PLANTED = tomllib.loads(
    Path("tests/fixtures/query_sources.toml").read_text(encoding="utf-8"),
)
FILES: dict[str, str] = PLANTED["files"]


def logged(sql: str) -> str:
    raw = sql.strip().encode()
    return comparable(generalise(raw, skeleton(raw)).decode())


def found_in(files: dict[str, str], sql: str) -> list[tuple[str, int]]:
    """Return the best places that send a statement."""
    statement, models = logged(sql), Models()
    written = []
    for path, text in files.items():
        models.add(path, text)
        written += [(path, it.line, it.sends(statement)) for it in statements_in(text)]
    for wanted in (True, None):
        if places := [(path, line) for path, line, sends in written if sends is wanted]:
            return places
    return [(it.path, it.line) for it in models.places(statement)]


def function_at(path: str, line: int) -> str:
    """Return the last function that begins before a line."""
    before = FILES[path].splitlines()[:line]
    words = ("def ", "func ", "function ", "async function ")
    heads = [it for it in before if it.startswith(words)]
    return heads[-1] if heads else ""


@pytest.mark.parametrize("query", PLANTED["query"], ids=lambda it: it["sql"][:60])
def test_a_statement_is_found_where_it_is_sent_from(query: dict[str, str]) -> None:
    file, _, function = query["sent"].partition(": ")
    places = found_in(FILES, query["sql"])
    if not file:
        assert not places
    else:
        assert any(path == file and function in function_at(path, line) for path, line in places)


@pytest.mark.parametrize(
    ("source", "sql"),
    [
        ("q = 'SELECT a FROM t WHERE b = ' + str(b)", "SELECT a FROM t WHERE b = 5"),
        (
            '$db->query("SELECT a FROM t WHERE b = $b AND c IS NULL")',
            "SELECT a FROM t WHERE b = 1 AND c IS NULL",
        ),
        (
            "sql = <<~SQL\n  SELECT a\n  FROM t\n  WHERE b = :b\nSQL\n",
            "SELECT a FROM t WHERE b = 'x'",
        ),
        ("const q = `SELECT a FROM ${table} WHERE b = ${b}`", "SELECT a FROM things WHERE b = 'x'"),
        (
            'q := "SELECT a FROM t " +\n\t"WHERE b = $1 LIMIT 10"',
            "SELECT a FROM t WHERE b = 3 LIMIT 10",
        ),
        (
            "'select `a`.`b` from `a` where `a`.`c` in (%s, %s)'",
            "select a.b from a where a.c in (1,2,3)",
        ),
    ],
)
def test_a_written_statement_is_known_by_its_fixed_parts(source: str, sql: str) -> None:
    assert found_in({"a": source}, sql) == [("a", 1)]


@pytest.mark.parametrize(
    "source",
    [
        "'select a from t'",
        "'select'",
        "'SELECT a FROM t WHERE b",
        "x = 'update'; y = 'insert into'",
        "`SELECT ${all}`",
        "<<SQL\nSELECT a",
    ],
)
def test_what_says_too_little_is_no_answer(source: str) -> None:
    assert not found_in({"a": source}, "SELECT name, mail FROM subscribers WHERE confirmed = 1")


def test_both_servers_fingerprints_are_comparable() -> None:
    sql = b"SELECT `a`.`b` FROM `a` WHERE `c` IN (1, 2) AND d = 'x'"
    assert comparable(fingerprint(sql).decode()) == logged(
        'SELECT "a"."b" FROM "a" WHERE "c" IN ($1, $2) AND d = $3'
    )


@pytest.mark.parametrize(
    "text",
    [
        "'select " * 3_000,
        "<<SQL\nselect " * 3_000,
        "'select a'+b+" * 3_000,
        "`select ${" * 3_000,
    ],
)
def test_text_that_looks_like_many_statements_is_read_in_pieces(text: str) -> None:
    assert len(list(statements_in(text))) <= 3_000
