import pickle
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from benchpin.core import errors
from benchpin.core.errors import BenchpinError, InvalidCursor, InvalidParams


def _tree(root: type[BenchpinError]) -> Iterator[type[BenchpinError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


CORE_ERRORS = [error for error in _tree(BenchpinError) if error.__module__ == errors.__name__]


def test_each_error_has_a_kind_of_its_own() -> None:
    kinds = Counter(error.kind for error in CORE_ERRORS)
    assert len(CORE_ERRORS) > 10
    assert [kind for kind, times in kinds.items() if times > 1] == []


@pytest.mark.parametrize("error", CORE_ERRORS)
def test_a_kind_is_declared_by_the_class_itself_in_snake_case(error: type[BenchpinError]) -> None:
    assert "kind" in vars(error)
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", error.kind)


@pytest.mark.parametrize("error", CORE_ERRORS)
def test_the_tree_in_the_docstring_shows_every_error(error: type[BenchpinError]) -> None:
    assert re.search(rf"\b{error.__name__}\b", errors.__doc__ or "")


def test_a_bad_cursor_is_a_bad_argument() -> None:
    assert issubclass(InvalidCursor, InvalidParams)


def test_an_error_is_plain_data() -> None:
    error = BenchpinError("It broke", suggestion="Mend it.", data={"path": "a.py"})
    assert error.as_dict() == {
        "kind": "error",
        "message": "It broke",
        "suggestion": "Mend it.",
        "data": {"path": "a.py"},
    }
    assert str(error) == "It broke"


def test_the_data_of_an_error_is_its_own_copy() -> None:
    facts = {"path": "a.py"}
    error = BenchpinError("It broke", suggestion="Mend it.", data=facts)
    facts.clear()
    assert error.data == {"path": "a.py"}


def test_an_error_of_another_process_is_the_same_here() -> None:
    error = InvalidCursor("no such page", suggestion="Ask again.", data={"cursor": "x"})
    error.is_server_fault = True

    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - written on the line itself

    assert type(copy) is InvalidCursor
    assert (copy.as_dict(), str(copy)) == (error.as_dict(), str(error))
    assert copy.is_server_fault
