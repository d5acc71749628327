"""The image: its entry point runs as another user on a read-only root, and its health can be asked.

There is no Docker here: bubblewrap makes the same root from what the Dockerfile says.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sandboxes import working

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
IN_CONTAINER = """
import subprocess, sys, time
entry, health = eval(sys.argv[1]), eval(sys.argv[2])
server = subprocess.Popen(entry, stderr=subprocess.PIPE, text=True)
first = server.stderr.readline()
assert "listening" in first, first + server.stderr.read()
print(subprocess.run(health, capture_output=True, text=True).returncode)
print(subprocess.run(["env", "BENCHPIN_AUTH_TOKEN=wrong", *health], stdout=-1).returncode)
try:
    open("/healthcheck.py", "a")
except OSError as error:
    print(error.strerror)
server.terminate()
print(server.wait())
"""


def instruction(name: str) -> str:
    """Return what the last instruction of a name says."""
    found: list[str] = re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)
    return found[-1]


def variables() -> dict[str, str]:
    """Return the variables that the image sets, but for the path."""
    pairs = re.findall(r"([A-Z_]+)=(\S+)", instruction("ENV"))
    return {name: value for name, value in pairs if name != "PATH"}


def container(*command: str, token: str | None) -> list[str]:
    """Return a command in a root like that of the image."""
    working("bubblewrap")
    uid, gid = instruction("USER").split(":")
    shown = ["/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", sys.prefix, sys.base_prefix]
    shown += [place for place in sys.path if Path(place).is_dir()]
    given = {
        **variables(),
        "HOME": "/home/benchpin",  # as Docker sets it; the folder does not exist
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
    }
    if token is not None:
        given["BENCHPIN_AUTH_TOKEN"] = token
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--uid", uid, "--gid", gid),
        *("--clearenv", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),  # noqa: S108
        *(part for it in sorted(set(shown)) for part in ("--ro-bind-try", it, it)),
        *("--ro-bind", str(ROOT / "tests/fixtures/languages"), instruction("WORKDIR")),
        *("--ro-bind", str(ROOT / "docker/healthcheck.py"), "/healthcheck.py"),
        *("--tmpfs", instruction("VOLUME"), "--remount-ro", "/"),
        *(part for name, value in given.items() for part in ("--setenv", name, value)),
        *("--chdir", instruction("WORKDIR"), "--", *command),
    ]


def arguments(name: str) -> list[str]:
    """Return the list that an instruction has."""
    return [str(it) for it in ast.literal_eval(instruction(name))]


ENTRY = [*arguments("ENTRYPOINT"), *arguments("CMD")]


@pytest.mark.slow
def test_the_entry_point_serves_on_a_read_only_root_and_is_healthy() -> None:
    [health] = re.findall(r"^HEALTHCHECK .*CMD (.+)$", DOCKERFILE, re.MULTILINE)
    command = ("python", "-c", IN_CONTAINER, repr(ENTRY), health)
    done = subprocess.run(
        container(*command, token="some-token"), capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n") == ["0", "1", "Read-only file system", "0", ""], done.stderr


@pytest.mark.slow
def test_without_a_token_the_container_does_not_start() -> None:
    done = subprocess.run(
        container(*ENTRY, token=None), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "BENCHPIN_AUTH_TOKEN" in done.stderr


def test_the_example_mounts_the_repository_read_only_and_gives_up_every_right() -> None:
    place = ROOT / "docker" / "compose.yaml"
    [service] = yaml.safe_load(place.read_text(encoding="utf-8"))["services"].values()
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "${REPOSITORY:-..}:/workspace:ro" in service["volumes"]
    assert service["ports"] == ["127.0.0.1:3000:3000"]
    assert service["environment"]["BENCHPIN_AUTH_TOKEN"].startswith("${BENCHPIN_AUTH_TOKEN:?")
