"""Uses of tables and columns: by statement and alias, over migrations, and in other languages."""

from navigation_kit import uses

SCHEMA = {
    "migrations/001.sql": """CREATE TABLE teams (id INT PRIMARY KEY, title TEXT);
CREATE TABLE users (id INT, email TEXT, team_id INT REFERENCES teams (id));
CREATE INDEX by_email ON users (email);
""",
    "migrations/002.sql": """ALTER TABLE users ADD COLUMN phone TEXT;
UPDATE users SET phone = email;
""",
    "migrations/003.sql": """ALTER TABLE users RENAME COLUMN email TO address;
ALTER TABLE users DROP COLUMN phone;
""",
    "queries.sql": """SELECT u.email, t.title FROM users u JOIN teams AS t ON t.id = u.team_id
  WHERE email LIKE 'a%';
SELECT email FROM mails;
WITH recent AS (SELECT email FROM mails) SELECT email FROM recent;
INSERT INTO users (email) VALUES ('email');
""",
}


def test_uses_of_a_column_are_certain_about_its_table_in_the_order_of_migrations() -> None:
    found = uses(SCHEMA, "users.email")
    assert found["certain"] == [
        "migrations/001.sql:3 read",
        "migrations/002.sql:2 read",
        "migrations/003.sql:1 write",
        "queries.sql:1 read",
        "queries.sql:2 read",
        "queries.sql:5 write",
    ]


def test_a_column_of_another_table_of_the_same_name_is_no_use() -> None:
    found = uses(SCHEMA, "users.email")
    assert "queries.sql:3 read" not in [*found["certain"], *found["possible"]]


def test_a_column_of_a_common_table_may_be_any_of_that_name() -> None:
    assert uses(SCHEMA, "users.email")["possible"] == ["queries.sql:4 read"]


def test_uses_of_a_table_are_certain() -> None:
    found = uses(SCHEMA, "teams")
    assert found["certain"] == ["migrations/001.sql:2 read users.team_id", "queries.sql:1 read"]


def test_statements_in_strings_of_other_languages_are_possible_uses() -> None:
    code = """def find(db, key):
    db.execute("SELECT id, email FROM users WHERE id = ?", key)
    db.execute("SELECT email FROM mails")
    print("email")
    db.where("ORDER BY email")
"""
    found = uses({**SCHEMA, "app.py": code}, "users.email")
    assert [it for it in found["possible"] if it.startswith("app")] == [
        "app.py:2 string find",
        "app.py:5 string find",
    ]
    assert [it for it in found["mention"] if it.startswith("app")] == [
        "app.py:3 string find",
        "app.py:4 string find",
    ]


def test_a_table_that_two_folders_define_is_the_nearest_one() -> None:
    files = {
        "mysql/schema.sql": "CREATE TABLE users (id INT);\n",
        "mysql/data.sql": "INSERT INTO users (id) VALUES (1);\n",
        "postgres/schema.sql": "CREATE TABLE users (id INT);\n",
    }
    assert uses(files, "mysql/schema.sql::users")["certain"] == ["mysql/data.sql:1 write"]
    assert uses(files, "postgres/schema.sql::users")["certain"] == []


def test_rows_of_a_trigger_may_be_of_any_table() -> None:
    files = {
        "a.sql": "CREATE TABLE users (id INT, email TEXT);\n",
        "b.sql": """CREATE FUNCTION f() RETURNS trigger AS $$
BEGIN
  NEW.email := lower(NEW.email);
  RETURN NEW;
END;
$$ LANGUAGE plpgsql;
""",
    }
    assert uses(files, "users.email")["possible"] == ["b.sql:3 read f"]
