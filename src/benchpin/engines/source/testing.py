"""Recognise tests and samples by their path."""

import re

# `test` only at the root: further down it is as often a package of test helpers (`django/test`).
_TEST_PATH = re.compile(
    r"""
      ^tests?/
    | (?:^|/)(?:t|tests|Tests|__tests\w*__|__mocks__|specs?|e2e|testdata|unit-tests?)/
    | (?:^|/)(?:fixtures?|__fixtures?__)/
    | (?:^|/)[^/]+\.\w*Tests?/
    | (?:^|/)src/(?:\w*[tT]est|testFixtures)/
    | (?:^|/)(?:test_[^/]*|conftest|tests)\.py$
    | (?:_(?:test|spec)|\.(?:test|spec|e2e))\.\w+$
    | (?:Tests?|Spec|(?<=[a-z\d])IT)\.(?:java|kt|scala|cs|swift|php)$
    """,
    re.VERBOSE,
)
_SAMPLE_PATH = re.compile(r"(?:^|/)_?(?:examples?|samples?|demos?|playgrounds?)/", re.IGNORECASE)


def is_test_path(path: str) -> bool:
    """Whether a file belongs to tests, by the conventions of its language."""
    return _TEST_PATH.search(path) is not None


def is_product_path(path: str) -> bool:
    """Whether a file is part of the product: neither a test nor a sample of how to use it."""
    return not is_test_path(path) and _SAMPLE_PATH.search(path) is None
