from pathlib import Path

import pytest

from benchpin.system.formats import NotToml, parse_toml
from benchpin.system.formats._texts import MAX_DEPTH

HOSTILE: dict[str, str | bytes] = {
    "digits": "x = " + "9" * 5_000,
    "digits of 16": "x = [0x" + "f" * 5_000 + "]",
    "lists": "x = " + "[" * 3_000,
    "closed lists": f"x = {'[' * 200}{']' * 200}",
    "inline tables": "x = " + "{a = " * 3_000,
    "key": "a." * 100_000 + "a = 1",
    "header": "[" + "a." * 100_000 + "a]",
    "header and key": f"[{'a.' * 60}a]\n{'b.' * 60}b = 1",
    "quoted key": '"a" . ' * 100_000 + "a = 1",
    "key behind five quotes": f'x = {{k = """a""""", {"a." * 100_000}a = 1, z = "b"}}',
    "not utf-8": b"\xff\xfe",
    "cut": "x = [",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_wrong_is_refused_in_one_way(text: str | bytes) -> None:
    with pytest.raises(NotToml) as caught:
        parse_toml(text)
    assert str(caught.value)


def test_a_refusal_names_the_line_where_there_is_one() -> None:
    with pytest.raises(NotToml) as caught:
        parse_toml("a = 1\nb = \n")
    assert caught.value.line == 2
    with pytest.raises(NotToml) as caught:
        parse_toml(HOSTILE["digits"])
    assert caught.value.line is None


@pytest.mark.parametrize(
    "value",
    [
        f'"{"a." * 500}"',
        f"'{'a.' * 500}'",
        f'"""\n{"." * 500}"""',
        f"'''{'a.' * 500}'''",
        f'"\\"{"a." * 500}"',
        f"1 # {'a.' * 500}",
        f"[{'1.5, ' * 500}]",
    ],
)
def test_dots_that_are_in_no_key_do_not_count(value: str) -> None:
    assert parse_toml(f"x = {value}")["x"]


def test_the_longest_numbers_of_toml_are_read() -> None:
    assert parse_toml(f"a = {2**63 - 1}\nb = -{2**63}") == {"a": 2**63 - 1, "b": -(2**63)}


def test_what_is_as_deep_as_may_be_is_read() -> None:
    table: object = parse_toml(f"{'a.' * (MAX_DEPTH - 2)}a = 1")
    for _ in range(MAX_DEPTH - 1):
        assert isinstance(table, dict)
        table = table["a"]
    assert table == 1


def test_nothing_else_reads_toml() -> None:
    source = Path(__file__).parents[2] / "src"
    users = [it for it in source.rglob("*.py") if "import tomllib" in it.read_text("utf-8")]
    assert [it.name for it in users] == ["_texts.py"]
