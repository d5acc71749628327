"""The mounts of every confined program: the system and the interpreter, both read-only."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from ._messages import Kind, Mount

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
