"""Whether programs can be confined here, remembered from one start to the next.

Probing starts programs and takes a tenth of a second, and a server needs the answer for its first
list of tools. Only "yes" is remembered, under everything that it depends on. It decides what is
listed, not what is run: every run still probes, and refuses where nothing confines.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchpin._version import __version__
from benchpin.system.processes import find_program
from benchpin.workspace.files import read_own
from benchpin.workspace.writing import write_cache

from ._sandbox import detect_sandbox

_FILE = "sandbox-works"
# This boot, and what allows or forbids namespaces; not every kernel has all of them.
_KERNEL = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
)
_NAMESPACES = ("/proc/self/ns/user", "/proc/self/ns/mnt", "/proc/self/ns/pid")
_PRIVILEGES = ("CapBnd", "CapEff", "NoNewPrivs", "Seccomp")


def can_confine(root: Path, memory: Path) -> bool:
    """Whether a sandbox works here; `memory` is the folder in which a yes is kept."""
    if sys.platform == "linux" and _is_remembered(memory / _FILE, _key(root)):
        return True
    return detect_sandbox(root).confines


def remember(root: Path, memory: Path) -> None:
    """Keep that a sandbox works here."""
    if sys.platform != "linux" or _is_remembered(memory / _FILE, _key(root)):
        return
    write_cache(memory / _FILE, _key(root).encode())


def _is_remembered(place: Path, key: str) -> bool:
    with suppress(OSError):
        return read_own(place) == key.encode()
    return False


def _key(root: Path) -> str:
    return hashlib.sha256("\n".join(_circumstances(root)).encode(errors="replace")).hexdigest()


def _circumstances(root: Path) -> Iterator[str]:
    """Yield everything that the answer depends on."""
    yield from (__version__, sys.executable, *os.uname(), f"{os.getuid()}:{os.getgid()}")
    program = find_program("bwrap", root)
    with suppress(OSError):  # it may be removed in this moment
        found = Path(program or "").stat()
        yield f"{program} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_mode}"
    for path in _KERNEL:
        with suppress(OSError):
            yield f"{path} {Path(path).read_text(encoding='utf-8', errors='replace')}"
    for path in _NAMESPACES:
        with suppress(OSError):
            yield f"{path} {Path(path).readlink()}"
    with suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
        yield from (it for it in status.splitlines() if it.startswith(_PRIVILEGES))
