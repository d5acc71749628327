"""Tell tests from what they test, by where files stand and how they are named."""

import re

# A folder `test` further down is as often a package that helps others to test, as `django/test`.
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
    """Whether a file is there for tests, by the customs of its language."""
    return _TEST_PATH.search(path) is not None
