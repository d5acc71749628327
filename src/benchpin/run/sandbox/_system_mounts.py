"""The mounts of every confined program: the system and the interpreter, both read-only."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from ._messages import Kind, Mount
from ._report import ExecutionReport

_MIB = 1 << 20
TMP = "/tmp"  # noqa: S108 - private to the program, in memory
SHARED = "/dev/shm"  # noqa: S108 - likewise
# The folder of the script, which the program itself cannot change.
SCRIPTS = "/run/benchpin"
_TMP_BYTES = 256 * _MIB
_SCRIPT_BYTES = 16 * _MIB
_SHARED_BYTES = 64 * _MIB
_DEVICES_BYTES = 1 * _MIB
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
# What programs need from /etc; none of it is secret, as the settings.xml of Maven may be.
_SETTINGS = tuple(
    """
    alternatives bash.bashrc ca-certificates crypto-policies fonts group hosts ld.so.cache
    ld.so.conf ld.so.conf.d localtime maven/logging maven/m2.conf mime.types nsswitch.conf passwd
    perl pki/ca-trust pki/tls/certs profile protocols services ssl/certs ssl/openssl.cnf terminfo
    timezone
    """.split()  # noqa: SIM905 - easier to read as a table
)
_RUNTIMES = ("java*", "php*", "python*")
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
_FETCHED = (".m2/repository", ".m2/wrapper/dists", ".gradle/caches", ".gradle/wrapper/dists")
_PROGRAM_FOLDERS = {"bin", "sbin", "shims", "scripts"}


def bind(source: str, target: str | None = None, *, is_writable: bool = False) -> Mount:
    """Show a file or folder from outside."""
    return _mount("bind", source if target is None else target, source, is_writable=is_writable)


def system_mounts(executable: str) -> list[Mount]:
    """Return what every program needs, and the Python environment that Benchpin runs in."""
    return [
        _mount("proc", "/proc"),
        _mount("dev", "/dev", size_bytes=_DEVICES_BYTES),
        _mount("tmpfs", SHARED, size_bytes=_SHARED_BYTES, is_writable=True),
        _mount("tmpfs", TMP, size_bytes=_TMP_BYTES, is_writable=True),
        _mount("tmpfs", SCRIPTS, size_bytes=_SCRIPT_BYTES, is_writable=True),
        *_system(),
        *(bind(str(path)) for path in _settings()),
        *_interpreter(executable),
    ]


def outside_mounts(mounts: Iterable[Mount], root: str) -> list[Mount]:
    """Leave out what is in the workspace, and replace sources in it by symbolic links.

    A program that may write could exchange them; the workspace itself shows them.
    """
    chosen = []
    for mount in mounts:
        is_file = mount["kind"] in {"bind", "symlink"}
        if is_file and is_beneath(mount["target"], (root,)):
            continue
        if mount["kind"] == "bind" and is_beneath(mount["source"], (root,)):
            chosen.append(_mount("symlink", mount["target"], mount["source"]))
        else:
            chosen.append(mount)
    return chosen


def mounts_inside(root: str, mounts: Iterable[Mount]) -> tuple[frozenset[str], frozenset[str]]:
    """Return where the system is in a workspace: read-only paths, and new file systems.

    The first are virtual environments, if anything; the second is only not empty
    when the workspace is a folder such as `/`. Both are relative to the workspace.
    """
    read_only: set[str] = set()
    new: set[str] = set()
    for mount in mounts:
        target = mount["target"]
        if target != root and is_beneath(target, (root,)) and mount["kind"] != "symlink":
            (read_only if mount["kind"] == "bind" else new).add(os.path.relpath(target, root))
    return frozenset(read_only), frozenset(new)


def sort_mounts(mounts: Iterable[Mount]) -> list[Mount]:
    """Put outer targets before inner ones, which they would cover."""
    return sorted(mounts, key=lambda it: PurePath(it["target"]).parts)


def _mount(
    kind: Kind, target: str, source: str = "", *, size_bytes: int = 0, is_writable: bool = False
) -> Mount:
    return Mount(
        kind=kind,
        target=target,
        source=source,
        is_writable=is_writable,
        size_bytes=size_bytes,
    )


def _system() -> Iterator[Mount]:
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield _mount("symlink", name, str(path.readlink()))
        elif path.is_dir():
            yield bind(name)


def _settings() -> Iterator[Path]:
    etc = Path("/etc")
    yield from (etc / name for name in _SETTINGS if (etc / name).exists())
    yield from sorted(path for pattern in _RUNTIMES for path in etc.glob(pattern))


def _interpreter(executable: str) -> Iterator[Mount]:
    """Show the folders of the interpreter, and symbolic links to it in other folders."""
    real = os.path.realpath(executable)
    folders = {
        os.path.realpath(sys.prefix),
        os.path.realpath(sys.base_prefix),
        sys.prefix,
        sys.base_prefix,
        str(Path(real).parent.parent),
    }
    shown = [it for it in outermost(folders) if not is_beneath(it, _SYSTEM) and it != "/"]
    yield from (bind(it) for it in shown)
    for link in links_of(executable):
        if not is_beneath(link, (*_SYSTEM, *shown, *(str(it) for it in _settings()))):
            yield bind(real, link)


def links_of(path: str) -> Iterator[str]:
    """Yield a path, and what it leads to as long as that is a symbolic link."""
    seen: set[str] = set()
    while path not in seen:
        seen.add(path)
        yield path
        if Path(path).is_symlink():
            path = os.path.normpath(Path(path).parent / Path(path).readlink())


def outermost(folders: Iterable[str]) -> list[str]:
    """Leave out folders that are inside others."""
    chosen: list[str] = []
    for folder in sorted(folders, key=len):
        if not is_beneath(folder, chosen):
            chosen.append(folder)
    return chosen


def is_beneath(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of the folders or inside one."""
    return any(PurePath(path).is_relative_to(folder) for folder in folders)


# Folders with programs that the operator shows inside the sandbox, read-only.


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

    For programs that look for their files in the home folder, which is a different one inside,
    there are the variables that name the real folders.
    """
    inside = [str(it) for it in toolchains]
    homes = {name: f"{_home()}/{folder}" for name, folder in _HOMES.items()}
    variables = {
        name: value
        for name, value in (homes | dict(os.environ)).items()
        if value.startswith("/")
        and name != "PATH"
        and (is_beneath(value, inside) or (name in _HOMES and _is_around(value, inside)))
    }
    path = [
        *(it for it in os.environ.get("PATH", "").split(os.pathsep) if is_beneath(it, inside)),
        *(str(it / "bin") for it in toolchains if (it / "bin").is_dir()),
    ]
    return {**variables, "PATH": os.pathsep.join(dict.fromkeys(path))}


def _is_around(home: str, folders: Sequence[str]) -> bool:
    return any(is_beneath(it, (home,)) for it in folders)


def fetched_folders() -> tuple[Path, ...]:
    """Return where package managers keep programs and dependencies that they fetched.

    Programs that build a project need them, and there is no network inside. Settings and
    credentials are beside these folders, and are not shown.
    """
    first = os.environ.get("GOPATH", "").partition(os.pathsep)[0]
    defaults = _HOMES | ({"GOMODCACHE": f"{first}/pkg/mod"} if first else {})
    homes = {name: Path(_home(), os.environ.get(name) or it) for name, it in defaults.items()}
    found = (
        *(homes["CARGO_HOME"] / it for it in ("bin", "registry", "git")),
        homes["RUSTUP_HOME"],
        homes["GOMODCACHE"],
        *(Path(_home(), it) for it in _FETCHED),
    )
    return tuple(it for it in found if it.is_absolute() and it.is_dir())


def system_path() -> list[str]:
    """Return the folders of PATH that every program sees, such as that of /usr/local/go."""
    return [it for it in os.environ.get("PATH", "").split(os.pathsep) if is_beneath(it, _SYSTEM)]


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
