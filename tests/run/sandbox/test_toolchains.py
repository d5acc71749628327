"""Toolchains: what was fetched, and users without a home folder, such as those of a container."""

import pwd
from pathlib import Path

import pytest

from benchpin.run.sandbox._system_mounts import (
    fetched_folders,
    system_path,
    toolchain_environment,
)


def _nobody(user: int) -> pwd.struct_passwd:
    raise KeyError(user)


def test_without_a_home_folder_no_toolchain_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", _nobody)
    assert "CARGO_HOME" not in toolchain_environment([Path("/opt/rust")])
    assert not [it for it in fetched_folders() if "~" in str(it)]


def test_only_folders_without_secrets_are_shown_of_package_managers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("CARGO_HOME", "RUSTUP_HOME", "GOMODCACHE", "GOPATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    wanted = [".cargo/registry", "go/pkg/mod", ".m2/repository"]
    for name in (*wanted, ".cargo/private", ".gradle", ".m2/private"):
        (tmp_path / name).mkdir(parents=True)
    assert fetched_folders() == tuple(tmp_path / it for it in wanted)
    assert toolchain_environment(fetched_folders())["CARGO_HOME"] == str(tmp_path / ".cargo")
    monkeypatch.setenv("GOPATH", f"{tmp_path}/work:{tmp_path}/other")
    (tmp_path / "work" / "pkg" / "mod").mkdir(parents=True)
    assert tmp_path / "work" / "pkg" / "mod" in fetched_folders()


def test_a_folder_of_path_in_the_system_is_on_the_path_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"/usr/local/go/bin:{tmp_path}:/usr/bin")
    assert system_path() == ["/usr/local/go/bin", "/usr/bin"]
