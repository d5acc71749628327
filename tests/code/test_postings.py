from array import array

from hypothesis import given
from hypothesis import strategies as st

from benchpin.code.names import Postings

_NUMBERS = st.lists(st.integers(0, 2**32 - 1), max_size=5)


@given(st.dictionaries(st.text(), _NUMBERS, max_size=20), st.text())
def test_each_name_has_its_numbers(found: dict[str, list[int]], other: str) -> None:
    made = Postings.of({name: array("I", it) for name, it in found.items()})
    assert {name: list(made.get(name)) for name in found} == found
    assert list(made.get(other)) == found.get(other, [])
    assert sorted(made) == sorted(found)
