"""What tests of the source engine share: workers that are their own."""

import pytest

from benchpin.facts.workers import _pool as pool
from kept_workers import KeptWorker


@pytest.fixture(autouse=True)
def own_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start and end workers as the pool does; that is what these tests look at."""
    monkeypatch.setattr(pool, "_Worker", KeptWorker.__bases__[0])
