"""Folders with programs that the operator shows inside the sandbox, read-only."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ._messages import Mount
from ._report import ExecutionReport
from ._system_mounts import bind, is_beneath, links_of, outermost, system_mounts

_NOT_FOUND = (": not found", ": command not found", ": No such file")
# Exit codes of shells for a command that cannot be run, or is not there.
_CODES = (126, 127)
_MAX_STDERR = 4_000
# Variables of toolchains, and the folders of the home folder that they default to.
_HOMES = {
    "CARGO_HOME": ".cargo",
    "GOMODCACHE": "go/pkg/mod",
    "NVM_DIR": ".nvm",
    "PYENV_ROOT": ".pyenv",
    "RUSTUP_HOME": ".rustup",
}
_PROGRAM_FOLDERS = {"bin", "sbin", "shims", "scripts"}


def toolchain_mounts(toolchains: Iterable[Path], root: str | None) -> list[Mount]:
    """Return the mounts of the folders that exist; behind a symbolic link, of both its ends.

    Folders of the workspace are visible with it. They are not mounted by their path: programs of
    the workspace, or whoever wrote it, could make that a link to any place outside.
    """
    outside = (it for it in toolchains if root is None or _workspace_of(it, root) is None)
    folders = [str(it) for it in outside if it.is_dir()]
    shown = outermost({*folders, *map(os.path.realpath, folders)})
    return [bind(os.path.realpath(it), it) for it in shown]


def toolchains_within(toolchains: Iterable[Path], root: str) -> frozenset[str]:
    """Return the folders of the workspace, relative to it."""
    within = ((it, _workspace_of(it, root)) for it in toolchains)
    return frozenset(str(it.relative_to(start)) for it, start in within if start is not None)


def _workspace_of(folder: Path, root: str) -> Path | None:
    """Return the name of the workspace in a path that leads through it; None if it does not."""
    return next((it for it in (folder, *folder.parents) if os.path.realpath(it) == root), None)


def toolchain_environment(toolchains: Sequence[Path]) -> dict[str, str]:
    """Return PATH and the other variables of Benchpin that lead into the folders.

    Programs that look for their files in the home folder, which is another one inside, are told
    where they are.
    """
    inside = [str(it) for it in toolchains]
    homes = {name: f"{_home()}/{folder}" for name, folder in _HOMES.items()}
    variables = {
        name: value
        for name, value in (homes | dict(os.environ)).items()
        if value.startswith("/") and name != "PATH" and is_beneath(value, inside)
    }
    path = [
        *(it for it in os.environ.get("PATH", "").split(os.pathsep) if is_beneath(it, inside)),
        *(str(it / "bin") for it in toolchains if (it / "bin").is_dir()),
    ]
    return {**variables, "PATH": os.pathsep.join(dict.fromkeys(path))}


def _home() -> str:
    """Return the home folder; `~`, which is no folder of programs, if the user has none."""
    return os.path.expanduser("~")  # noqa: PTH111 - Path.home raises without a home


def folder_to_allow(
    report: ExecutionReport, root: str, toolchains: Sequence[Path]
) -> tuple[str, str] | None:
    """Return the program that was not found inside, though it is outside, and its folder."""
    if report.exit_code not in _CODES:
        return None
    mounts = (*system_mounts(sys.executable), *toolchain_mounts(toolchains, root))
    visible = [root, *(it["target"] for it in mounts if it["kind"] in {"bind", "symlink"})]
    for name in _names_in(report.stderr[-_MAX_STDERR:]):
        for place in _places(name, root):
            if not is_beneath(place, visible):
                return name, _folder_of(place)
    return None


def _names_in(stderr: str) -> Iterator[str]:
    """Yield the programs that a shell or `env` did not find: `sh: 1: node: not found`."""
    for line in stderr.splitlines():
        for message in _NOT_FOUND:
            words = line.partition(message)[0].split() if message in line else ()
            if words:
                yield words[-1].strip("'\"\u2018\u2019")


def _places(name: str, root: str) -> Iterator[str]:
    """Yield the path of a program and those of the symbolic links that lead to it."""
    found = os.path.join(root, name) if "/" in name else shutil.which(name)  # noqa: PTH118 - text
    if found is not None and os.path.isfile(found):  # noqa: PTH113 - text, as `links_of` takes it
        yield from reversed([os.path.normpath(it) for it in links_of(found)])


def _folder_of(program: str) -> str:
    folder = Path(program).parent
    # All of ~ or ~/.local would be too much: it has more than programs.
    private = {Path(_home()), Path(_home(), ".local"), Path("/")}
    is_part = folder.name in _PROGRAM_FOLDERS and folder.parent not in private
    return str(folder.parent if is_part else folder)
