import pytest

from benchpin.app import Workbench


def test_a_pattern_finds_lines_of_code_with_their_text(fleet: Workbench) -> None:
    found = fleet.call("find_across", kind="pattern", name=r"sum\(row").model_dump()

    assert found["columns"] == ["repository", "path", "line", "text"]
    assert [row[3].strip() for row in found["rows"]] == ["total = sum(row[2] for row in rows)"] * 2


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("symbol", "kind pattern"),
        ("users", "kind pattern"),
        ("dependency", "query_fleet"),
        ("clone", "50 tokens"),
        ("pattern", "(?i)"),
    ],
)
def test_an_empty_answer_says_what_to_try(fleet: Workbench, kind: str, hint: str) -> None:
    text = fleet.call("find_across", kind=kind, name="nobody_has_this").to_text()

    assert "0 rows" in text
    assert hint in text
