"""Recognise test files by their path."""

import re

# `test` only at the root: further down it is as often a package of test helpers (`django/test`).
_TEST_PATH = re.compile(
    r"""
      ^tests?/
    | (?:^|/)(?:t|tests|Tests|__tests\w*__|__mocks__|specs?|e2e|testdata|unit-tests?)/
    | (?:^|/)[^/]+\.\w*Tests?/
    | (?:^|/)src/(?:\w*[tT]est|testFixtures)/
    | (?:^|/)(?:test_[^/]*|conftest|tests)\.py$
    | (?:_(?:test|spec)|\.(?:test|spec|e2e))\.\w+$
    | (?:Tests?|Spec|(?<=[a-z\d])IT)\.(?:java|kt|scala|cs|swift|php)$
    """,
    re.VERBOSE,
)


def is_test_path(path: str) -> bool:
    """Whether a file belongs to tests, by the conventions of its language."""
    return _TEST_PATH.search(path) is not None
