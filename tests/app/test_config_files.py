import os
from pathlib import Path

import pytest

from benchpin.app import load
from benchpin.core.errors import ConfigError

NAMES = ("benchpin.toml", "pyproject.toml")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/proc/kmsg", "/"])
def test_a_link_to_what_never_ends_is_a_clear_error(
    workspace: Path, name: str, target: str
) -> None:
    (workspace / name).symlink_to(target)
    with pytest.raises(ConfigError, match=name):
        load({"root": workspace})


@pytest.mark.parametrize("name", NAMES)
def test_a_named_pipe_is_a_clear_error(workspace: Path, name: str) -> None:
    os.mkfifo(workspace / name)
    with pytest.raises(ConfigError, match="not a regular file"):
        load({"root": workspace})


@pytest.mark.parametrize("name", NAMES)
def test_a_huge_file_is_refused_before_it_is_read(workspace: Path, name: str) -> None:
    with (workspace / name).open("wb") as file:
        file.write(b"# benchpin\n")
        file.truncate(1 << 30)
    with pytest.raises(ConfigError, match="longer than 1,048,576 bytes"):
        load({"root": workspace})


def test_the_file_of_the_user_is_held_to_the_same_rules(workspace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "config" / "benchpin"
    folder.mkdir(parents=True)
    (folder / "config.toml").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match="not a regular file"):
        load({"root": workspace}, {"XDG_CONFIG_HOME": str(tmp_path / "config")})


def test_a_link_to_a_regular_file_is_read(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "shared.toml").write_text("read_only = true\n", encoding="utf-8")
    (workspace / "benchpin.toml").symlink_to(tmp_path / "shared.toml")
    assert load({"root": workspace}).narrowing.effects is not None
