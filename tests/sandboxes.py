"""Sandboxes for tests: each kind that works here, and a way to see what a program left behind."""

from functools import cache

import psutil
import pytest

from benchpin.engines.execution import Sandbox
from benchpin.engines.execution.sandbox import _candidates, _failure

KINDS = ("bubblewrap", "namespaces")


def working(kind: str) -> Sandbox:
    """Return a sandbox of a kind, or skip the test with the reason."""
    found, reason = _tried(kind)
    if found is None:
        pytest.skip(reason)
    return found


@cache
def _tried(kind: str) -> tuple[Sandbox | None, str]:
    reason = f"{kind} is not installed"
    for candidate in _candidates():
        if candidate.name == kind:
            failure = _failure(candidate)
            if failure is None:
                return candidate, ""
            reason = failure
    return None, reason


def survivors(mark: str) -> list[str]:
    """Return the command lines of processes that have a mark in them."""
    found = [" ".join(it.info["cmdline"] or ()) for it in psutil.process_iter(["cmdline"])]
    return [line for line in found if mark in line]
