import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.templates import Parameter, ParameterProblem
from benchpin.templates._parameters import check_parameters

NAME = Parameter(
    name="name", description="What it is called.", required=True, pattern="[a-z]+", example="ada"
)
PORT = Parameter(
    name="port", description="Where.", type="integer", default=80, minimum=1, maximum=99
)
FLAG = Parameter(name="flag", description="Whether.", type="boolean", default=True)
KIND = Parameter(name="kind", description="Which.", default="a", choices=("a", "b"))
SHORT = Parameter(name="short", description="Few words.", max_length=3, forbidden=("no",))
ALL = (NAME, PORT, FLAG, KIND, SHORT)


def problems(**given: object) -> dict[str, str]:
    return {it.path: it.problem for it in check_parameters(ALL, {"name": "ada", **given})[1]}


def test_what_is_not_given_takes_its_default() -> None:
    values, wrong = check_parameters(ALL, {"name": "ada"})
    assert values == {"name": "ada", "port": 80, "flag": True, "kind": "a", "short": None}
    assert not wrong


def test_every_problem_is_named_at_once() -> None:
    _, wrong = check_parameters(ALL, {"port": 100, "flag": "yes", "kind": "c", "poort": 1})
    assert wrong[0] == ParameterProblem(
        "parameters.name", "is required", "name: What it is called. For example 'ada'."
    )
    assert [it.path for it in wrong] == [
        "parameters.name",
        "parameters.port",
        "parameters.flag",
        "parameters.kind",
        "parameters.poort",
    ]
    assert "Did you mean port?" in wrong[-1].suggestion
    assert all(it.suggestion for it in wrong)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"name": "Ada"}, "must match [a-z]+, unlike 'Ada'"),
        ({"name": 1}, "must be a string, not 1"),
        ({"name": ["a"]}, "must be a string, not a list"),
        ({"port": True}, "must be a whole number, not true"),
        ({"port": "80"}, "must be a whole number, not '80'"),
        ({"port": 0}, "must be at least 1, not 0"),
        ({"flag": 1}, "must be true or false, not 1"),
        ({"kind": "c"}, "must be one of a, b, not 'c'"),
        ({"short": "long"}, "must have at most 3 characters, not 4"),
        ({"short": "no"}, "may not be 'no': it is reserved by a compiler or a build tool"),
        ({"short": "a\nb"}, "must be one line without control characters"),
        ({"short": "a\u202eb"}, "must be one line without control characters"),
        ({"short": "\ud800"}, "must be one line without control characters"),
        ({"other": 1}, "there is no such parameter"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(given: dict[str, object], problem: str) -> None:
    [name] = given
    assert problems(**given) == {f"parameters.{name}": problem}


@pytest.mark.parametrize("text", ["no", "n-o", "No", "a.no"])
def test_a_forbidden_name_is_forbidden_however_a_language_reads_it(text: str) -> None:
    _, wrong = check_parameters(
        [Parameter(name="x", description="X.", forbidden=("no",))], {"x": text}
    )
    assert len(wrong) == 1


def test_a_flood_of_unknown_names_is_counted() -> None:
    _, wrong = check_parameters(ALL, {"name": "ada", **{f"odd{n}": 1 for n in range(5000)}})
    assert len(wrong) == 21
    assert wrong[-1].problem == "has 4980 more names that no template knows"


@given(st.text())
def test_a_pattern_holds_for_the_whole_value(text: str) -> None:
    is_refused = "parameters.name" in problems(name=text)
    is_name = bool(text) and all("a" <= char <= "z" for char in text)
    assert is_refused != is_name
