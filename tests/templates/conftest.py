"""The home of a test is empty; some programs look for themselves in the real one."""

import os
import pwd
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def toolchains_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rustup find its toolchains."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(home / ".rustup")))
