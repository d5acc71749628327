import ast

import pytest

from check_languages import find_names, known_names


@pytest.mark.parametrize(
    "code",
    [
        'if module.language == "go": ...',
        '_FAMILIES = {"rust"}',
        'if symbol.file.endswith(".go"): ...',
        'is_test = path.endswith("_test.go")',
        '_ENDINGS = {".rs": 1}',
        "from benchpin.facts.languages.java.imports import packages_of",
    ],
)
def test_a_named_language_is_found(code: str) -> None:
    assert len(list(find_names(ast.parse(code), known_names()))) == 1


@pytest.mark.parametrize(
    "code",
    [
        '"""Reads go."""',
        'x = "golang"',
        'FILE = "setup.py"',
        'path.endswith(".toml")',
        "from benchpin.facts.languages import family_of",
    ],
)
def test_other_words_and_the_door_are_not(code: str) -> None:
    assert list(find_names(ast.parse(code), known_names())) == []
