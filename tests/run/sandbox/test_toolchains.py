"""Toolchains for users without a home folder, such as a numeric user of a container."""

import pwd
from pathlib import Path

import pytest

from benchpin.run.sandbox._system_mounts import toolchain_environment


def _nobody(user: int) -> pwd.struct_passwd:
    raise KeyError(user)


def test_without_a_home_folder_no_toolchain_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", _nobody)
    assert "CARGO_HOME" not in toolchain_environment([Path("/opt/rust")])
