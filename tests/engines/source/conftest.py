"""What tests of the source engine share: workers that are their own."""

import pytest


@pytest.fixture
def kept_workers() -> None:
    """Start and end workers as the pool does; that is what these tests look at."""
