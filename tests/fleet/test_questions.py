import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, TimeLimitExceeded
from benchpin.fleet._questions import QUESTIONS, NothingMeasured
from repositories import Tree

from .conftest import Fleet


@pytest.fixture
def measured(fleet: Fleet) -> Fleet:
    fleet.measure()
    return fleet


def test_before_anything_was_measured_the_error_says_how(fleet: Fleet) -> None:
    with pytest.raises(NothingMeasured, match="No repository"):
        fleet.ask("repositories")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_an_answer(measured: Fleet, question: str) -> None:
    name = "load_table" if QUESTIONS[question].needs_name else None

    assert isinstance(measured.ask(question, name), list)


def test_clones_are_found_across_repositories_whatever_their_names(measured: Fleet) -> None:
    [clone] = measured.ask("clones")

    assert (clone["repositories"], clone["places"]) == (2, 3)
    places = [(it["repository"], it["name"]) for it in measured.ask("copies", "read_all")]
    assert places == [("one", "load_table"), ("two", "read_all"), ("two", "load_table")]


def test_who_uses_a_name_or_a_package(measured: Fleet) -> None:
    assert [it["path"] for it in measured.ask("users", "dumps")] == ["app.py"]
    assert [it["path"] for it in measured.ask("users", "json.dumps")] == ["app.py"]
    assert [it["version"] for it in measured.ask("dependents", "Click")] == [">=8"]
    assert measured.query("SELECT target FROM imports WHERE module = 'shared'") == [["shared.py"]]


def test_licences_and_owners_are_known(measured: Fleet) -> None:
    licences = {it["licence"]: it["repositories"] for it in measured.ask("licences")}

    assert licences == {"MIT": 1, "unknown": 1}
    assert [it["owner"] for it in measured.ask("owners")] == ["Ada"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/etc/*')",
        "COPY files TO '/tmp/out.csv'",
        "ATTACH '/tmp/a.db'",
        "INSTALL httpfs",
        "SET memory_limit = '100GB'",
        "CREATE TABLE a AS SELECT 1",
        "DROP VIEW files",
        "SELECT 1; SELECT 2",
        "SELECT nothing FROM files",
        "SELECT",
        "",
    ],
)
def test_sql_reads_the_tables_and_nothing_else(measured: Fleet, sql: str) -> None:
    with pytest.raises(InvalidParams):
        measured.query(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(1000000000) AS a, range(1000000) AS b",
        "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000))",
    ],
)
def test_a_question_that_takes_too_long_is_ended(measured: Fleet, sql: str) -> None:
    with pytest.raises(TimeLimitExceeded):
        measured.tables().query(sql, 10, Job(time_limit_s=2))


def test_rows_are_bounded_and_it_says_that_there_are_more(measured: Fleet) -> None:
    answer = measured.tables().query("SELECT * FROM range(10)", 3, Job())

    assert (len(answer.rows), answer.has_more) == (3, True)


def test_a_number_that_is_too_long_for_programs_is_a_text(measured: Fleet) -> None:
    assert measured.query("SELECT 2::HUGEINT ** 3, 170141183460469231731687303715884105727") == [
        [8, "170141183460469231731687303715884105727"]
    ]


def test_a_question_that_needs_too_much_memory_is_refused(measured: Fleet) -> None:
    with pytest.raises(InvalidParams, match="memory"):
        measured.query("SELECT range(400000000)")


def test_a_manifest_that_was_not_read_is_no_silent_nobody(fleet: Fleet, one: Tree) -> None:
    computed = b"from setuptools import setup\nsetup(install_requires=open('r').read().split())\n"
    one.commit({"tool/setup.py": computed, "ios/Podfile": b"pod 'Alamofire'\n"})
    fleet.measure()

    found = fleet.ask("dependents", "requests")

    assert [(it["path"], it["line"], it["kind"]) for it in found] == [
        ("ios/Podfile", 1, "not read"),
        ("tool/setup.py", 2, "not read"),
    ]
