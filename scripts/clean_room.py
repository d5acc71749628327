"""Try a built wheel as a new user has it, and look what is left behind.

In a fresh environment outside the checkout, with an empty home folder, no git configuration, and
after the install without a network and without a compiler: `--version`, `doctor`, `analyze .`, a
session with the official client, and `pip uninstall`.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
_COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "c99", "c89")
_PROGRAMS = ("scripts/tour.py", "scripts/fact_digests.py")
_SAMPLES = ("src", "docs", "tests/fixtures/languages")
_MEGABYTE = 1e6
_MAX_LIGHT_MB = 120


class Failed(Exception):
    """Something does not work in the clean room."""


@dataclass
class Judgement:
    """What was seen of one wheel."""

    wheel: Path
    extras: str
    """What was installed with it: empty for the light install, or `all`."""
    size_mb: float
    """On disk, with dependencies and bytecode."""
    weights_mb: dict[str, float]
    """The heaviest packages, and how much of all is bytecode."""
    seconds: dict[str, float]
    digests: dict[str, str] = field(repr=False)
    """Of the facts of each sample file."""


def confined(command: Sequence[str], writable: Path, *, compilers: bool = False) -> list[str]:
    """Return a command without network, for a folder that is all it may write to.

    The checkout and, unless they are wanted, compilers cannot be seen.
    """
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        print("bwrap is not installed: the network is not cut off")
        return list(command)
    places = [shutil.which(name) for name in _COMPILERS]
    hidden = [] if compilers else sorted({os.path.realpath(it) for it in places if it})
    return [
        *(bubblewrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *("--tmpfs", str(ROOT), "--bind", str(writable), str(writable)),
        *("--bind", str(writable / "tmp"), "/tmp"),  # noqa: S108 - a folder of the room
        *("--bind", str(writable), str(writable)),  # again: it may be below /tmp
        *(part for place in hidden for part in ("--ro-bind", "/dev/null", place)),
        *("--unshare-all", "--die-with-parent", "--"),
        *command,
    ]


class Room:
    """A folder with a virtual environment, an empty home and something to analyse."""

    def __init__(self, folder: Path, python: str, tree: Path) -> None:
        self.folder = folder
        for name in ("home", "tmp", "samples"):
            (folder / name).mkdir(parents=True)
        _run([python, "-m", "venv", str(folder / "venv")], folder, {})
        self.bin = folder / "venv" / "bin"
        shutil.copytree(tree, folder / "tree", symlinks=True)
        for name in _PROGRAMS:
            shutil.copy(ROOT / name, folder)
        for name in _SAMPLES:
            ignored = shutil.ignore_patterns("*.so", "__pycache__")
            shutil.copytree(ROOT / name, folder / "samples" / name, ignore=ignored)

    def install(self, requirement: str) -> tuple[float, float]:
        """Install with pip; return the seconds and the megabytes on disk."""
        before = _size(self.folder / "venv")
        started = time.monotonic()
        command = [str(self.bin / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        constraints = ["--constraint", str(ROOT / "constraints.txt")]
        _run([*command, *constraints, requirement], self.folder, dict(os.environ))
        taken = time.monotonic() - started
        return taken, (_size(self.folder / "venv") - before) / _MEGABYTE

    def weights(self) -> dict[str, float]:
        """Return the megabytes of each package above a hundredth of all, the heaviest first."""
        [packages] = (self.folder / "venv").glob("lib/python3*/site-packages")
        sizes = {it.name: _size(it) / _MEGABYTE for it in packages.iterdir() if it.is_dir()}
        bytecode = sum(_size(it) for it in packages.rglob("__pycache__")) / _MEGABYTE
        least = sum(sizes.values()) / 100
        heavy = {name: size for name, size in sizes.items() if size > least and name != "pip"}
        ordered = sorted(heavy.items(), key=lambda item: -item[1])
        return {**dict(ordered), "bytecode of all": bytecode}

    def run(self, *command: str, cwd: str = "tree") -> str:
        """Run a program of the environment in the clean room and return what it prints."""
        environment = {
            "HOME": str(self.folder / "home"),
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        program = [str(self.bin / command[0]), *command[1:]]
        return _run(confined(program, self.folder), self.folder / cwd, environment)

    def files(self) -> set[Path]:
        """Return every file of the room, relative to it."""
        return {
            place.relative_to(self.folder)
            for place in self.folder.rglob("*")
            if not place.is_dir() or place.is_symlink()
        }


def judge(wheel: Path, extras: str, python: str, tree: Path, folder: Path) -> Judgement:
    """Install a wheel, use it, uninstall it.

    Raises:
        Failed: when a step fails, the light install is too large, or something is left behind that
            `doctor` did not name.
    """
    room = Room(folder, python, tree)
    before = room.files()
    seconds = {}
    seconds["install"], size_mb = room.install(f"{wheel}[{extras}]" if extras else str(wheel))
    if not extras and size_mb > _MAX_LIGHT_MB:
        raise Failed(f"the light install takes {size_mb:.0f} MB, more than {_MAX_LIGHT_MB}")
    weights = room.weights()
    for step, command in (
        ("version", ("benchpin", "--version")),
        ("doctor", ("benchpin", "doctor", "--json")),
        ("analyze", ("benchpin", "analyze", ".")),
        ("analyze again", ("benchpin", "analyze", ".")),
        ("tour", ("python", "../tour.py", ".")),
    ):
        started = time.monotonic()
        printed = room.run(*command)
        seconds[step] = time.monotonic() - started
        if step == "doctor":
            named = list(_named_by_doctor(printed, folder))
    walker, digests = json.loads(room.run("python", "fact_digests.py", "samples", cwd="."))
    room.run("pip", "uninstall", "--yes", "--quiet", "benchpin", cwd=".")
    check_left(room.files() - before, named)
    if missing := before - room.files():
        raise Failed(f"removed files that it had not made: {sorted(map(str, missing))[:5]}")
    is_compiled = not walker.endswith(".py")
    if is_compiled == wheel.name.endswith("-none-any.whl"):
        raise Failed(f"{wheel.name} runs {walker}")
    return Judgement(wheel, extras, size_mb, weights, seconds, digests)


def _named_by_doctor(printed: str, folder: Path) -> Iterator[Path]:
    """Yield the folders that `doctor` said it writes to, relative to the room."""
    for finding in json.loads(printed):
        if finding["subject"] in {"cache", "data"}:
            place = Path(finding["detail"].partition(",")[0])
            yield place.relative_to(folder)


def check_left(left: set[Path], named: Sequence[Path]) -> None:
    """Refuse files of Benchpin that doctor did not name; its dependencies stay, as pip has it."""
    unnamed = [
        place
        for place in left
        if not any(place.is_relative_to(folder) for folder in named)
        and (place.parts[0] != "venv" or "benchpin" in str(place.relative_to("venv")))
    ]
    if unnamed:
        raise Failed(f"left behind, and not named by doctor: {sorted(map(str, unnamed))[:10]}")


def _size(folder: Path) -> int:
    """Return the bytes that a folder takes on disk."""
    return sum(place.lstat().st_blocks * 512 for place in folder.rglob("*"))


def _run(command: Sequence[str], cwd: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f"{command[-3:]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
