"""What is read of the five dialects; the complexities were counted by hand."""

import pytest

from benchpin.facts.parsing import extract
from language_facts import calls, documented_names, facts_of, function_rows, import_rows, type_rows
from language_facts import measured as measured_in

POSTGRES = facts_of("sql/shop.sql")
MYSQL = facts_of("sql/shop_mysql.sql")
SERVER = facts_of("sql/shop_server.sql")
ORACLE = facts_of("sql/shop_oracle.pkb")


def measured(source: str) -> tuple[int, int]:
    return measured_in(source, "sql")


def test_tables_columns_views_types_and_sequences_are_symbols() -> None:
    assert [(name, kind, line) for name, kind, line, *_ in type_rows(POSTGRES)] == [
        ("customers", "table", 5),
        ("customers.id", "column", 6),
        ("customers.Name", "column", 7),
        ("customers.born", "column", 8),
        ("customers.price", "column", 9),
        ("orders", "table", 13),
        ("orders.id", "column", 14),
        ("orders.customer_id", "column", 15),
        ("orders.state", "column", 16),
        ("orders.note", "column", 17),
        ("order_state", "type", 20),
        ("numbers", "sequence", 21),
        ("open_orders", "view", 22),
        ("orders.paid_at", "column", 25),
        ("orders.remark", "column", 26),
        ("buyers", "table", 27),
    ]


def test_functions_and_triggers_of_postgresql_are_measured() -> None:
    assert function_rows(POSTGRES) == [
        ("total", "function", 30, 8, 8, 2, 2),
        ("upper_name", "function", 53, 1, 0, 0, 1),
        ("touched", "function", 55, 1, 0, 0, 0),
    ]
    assert documented_names(POSTGRES) == ["total"]
    assert calls(POSTGRES) == {
        "": ("nextval", "settle"),
        "total": ("price_of", "report"),
        "touched": ("touch",),
    }


def test_procedures_of_mysql_end_at_their_delimiter() -> None:
    assert function_rows(MYSQL) == [("settle", "function", 3, 6, 7, 2, 2)]
    assert [name for name, *_ in type_rows(MYSQL)] == [
        "orders",
        "orders.id",
        "orders.note",
        "orders.remark",
    ]


def test_procedures_of_sql_server_end_at_go() -> None:
    assert function_rows(SERVER) == [("Settle", "function", 3, 6, 6, 1, 2)]
    assert calls(SERVER) == {"Settle": ("dbo.NextOf", "dbo.Report")}
    assert [name for name, *_ in type_rows(SERVER)] == [
        "Orders",
        "Orders.Id",
        "Orders.Note",
        "Orders.Paid",
        "Orders.Due",
    ]


def test_members_of_a_package_of_oracle_are_its_methods() -> None:
    assert function_rows(ORACLE) == [
        ("billing.settle", "method", 6, 7, 6, 2, 2),
        ("billing.settle.twice", "function", 8, 1, 0, 0, 1),
        ("billing.price_of", "method", 27, 1, 0, 0, 1),
    ]
    assert calls(ORACLE)["billing.settle"] == ("audit.note", "dbms_output.put_line", "price_of")


@pytest.mark.parametrize("facts", [POSTGRES, MYSQL, SERVER, ORACLE])
def test_all_dialects_are_read_whole(facts: object) -> None:
    assert getattr(facts, "outline").error == ""  # noqa: B009 - typed as an object


def test_files_that_a_script_runs_are_imports() -> None:
    assert import_rows(POSTGRES) == [("roles.sql", (), 2, 0)]
    assert import_rows(ORACLE) == [("grants.sql", (), 34, 1)]


@pytest.mark.parametrize(
    ("source", "line", "error"),
    [
        ("SELECT 1;\nSELECT (1;\n", 2, "Unclosed '('"),
        ("SELECT 1);\n", 1, "Unexpected token ')'"),
        ("SELECT 1;\nSELECT 'a\n", 2, "Unclosed '"),
        ("SELCT 1 FROM a;\n", 1, "Unexpected token 'SELCT'"),
    ],
)
def test_what_is_wrong_is_named_and_the_rest_is_read(source: str, line: int, error: str) -> None:
    outline = extract(f"CREATE TABLE a (b INT);\n{source}".encode(), "sql").outline
    assert (outline.error_line, outline.error) == (line + 1, error)
    assert [it.name for it in outline.types] == ["a", "a.b"]


def test_conditions_of_queries_decide_nothing_in_the_routine() -> None:
    body = "SELECT a FROM t WHERE a = 1 AND b = 2 OR c = 3;"
    assert measured(f"CREATE PROCEDURE p() BEGIN {body} END;") == (1, 0)
    assert measured(f"CREATE PROCEDURE p() BEGIN IF a AND b OR c THEN {body} END IF; END;") == (
        4,
        3,
    )


def test_what_a_routine_returns_or_assigns_may_decide() -> None:
    assert measured(
        "CREATE FUNCTION f(a INT) RETURN BOOLEAN IS BEGIN RETURN a > 1 OR a < 0; END;"
    ) == (
        2,
        1,
    )


def test_members_of_a_type_of_oracle_are_its_methods() -> None:
    source = b"""CREATE TYPE BODY money AS
  CONSTRUCTOR FUNCTION money(a NUMBER) RETURN SELF AS RESULT IS BEGIN RETURN; END;
  OVERRIDING MEMBER PROCEDURE show IS BEGIN NULL; END;
END;
/
"""
    assert [it.name for it in extract(source, "sql").outline.functions] == [
        "money.money",
        "money.show",
    ]


def test_a_body_in_another_language_is_one_string() -> None:
    facts = extract(
        b"CREATE FUNCTION f() RETURNS int AS $$ if (a) { b() } $$ LANGUAGE plv8;", "sql"
    )
    assert facts.outline.functions[0].cyclomatic == 1
    assert b"$$ if (a) { b() } $$" in facts.tokens.texts


def test_dumps_are_generated() -> None:
    assert extract(b"-- MySQL dump 10.13\nSELECT 1;\n", "sql").outline.is_generated
