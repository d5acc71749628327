import pytest

from benchpin.measures.names import name_quality
from made_sources import parsed


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("total_price = request", 1),
        ("x1 = q2", 0),
        ("tmp2 = value", 0.75),
        ("for i in items: pass", 1),
        ("zqxv = value", 0.5),
        ("pass", None),
    ],
)
def test_names_are_good_as_far_as_their_words_say_something(
    code: str, expected: float | None
) -> None:
    (file,) = parsed({"a.py": f"{code}\n"})
    assert name_quality(file) == expected
