import pytest

from benchpin.core.errors import InvalidParams
from benchpin.facts import languages
from benchpin.facts.languages import languages_of


@pytest.mark.parametrize(
    ("toolchain", "expected"),
    [
        (None, None),
        ("rust", {"rust"}),
        ("deno", {"javascript", "typescript", "tsx"}),
        ("python-uv", {"python"}),
        ("python", {"python"}),
    ],
)
def test_a_toolchain_means_languages(toolchain: str | None, expected: set[str] | None) -> None:
    assert languages_of(toolchain) == expected


@pytest.mark.parametrize("name", languages.NAMES)
def test_every_language_is_a_toolchain_too(name: str) -> None:
    assert name in (languages_of(name) or ())


@pytest.mark.parametrize(("wrong", "nearest"), [("pyton", "python"), ("pythonuv", "python-uv")])
def test_a_wrong_name_is_refused_with_the_nearest(wrong: str, nearest: str) -> None:
    with pytest.raises(InvalidParams) as raised:
        languages_of(wrong)
    suggestion = raised.value.suggestion or ""
    assert f"The nearest is {nearest!r}" in suggestion
    assert all(name in suggestion for name in ("c-cmake", "deno", "java-maven", *languages.NAMES))
