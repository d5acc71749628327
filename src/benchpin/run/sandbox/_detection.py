"""Probe which sandbox works on this machine."""

import os
import platform
import subprocess
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.run.sandbox.launcher import DEVICE_LINKS, DEVICES

from ._messages import Mount
from ._running import run_confined
from ._sandbox import LANDLOCK, UNCONFINED, Execution, Sandbox
from ._seccomp import build_filter

_PROBE_TIMEOUT_S = 10
_MAX_REASON_CHARS = 160
_BUBBLEWRAP_TIMEOUT_S = 5
_WITH_SIGNALS = 6  # the version of Landlock that confines them
# The out-of-memory killer prefers the highest score: the sandbox, not the server.
_RAISE_OOM_SCORE = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$0" "$@"'


def find_strongest(bubblewrap: str | None) -> Sandbox:
    """Return the strongest sandbox that works, or an unconfined one with the reasons."""
    if build_filter(platform.machine()) is None:
        return Sandbox(UNCONFINED, f"no seccomp filter for {platform.machine()} machines")
    reasons: list[str] = []
    for candidate in candidates(bubblewrap):
        reason = probe(candidate) if candidate.confines else candidate.detail
        if reason is None:
            if candidate.name == LANDLOCK:
                why = "; ".join(dict.fromkeys(reasons))
                return replace(candidate, detail=f"{candidate.detail} ({why})")
            return replace(candidate, detail=f"{candidate.detail}, seccomp, {_landlock()}")
        reasons.append(reason)
    return Sandbox(UNCONFINED, "; ".join(dict.fromkeys(reasons)))


def _landlock_version() -> int:
    from benchpin.run.sandbox.launcher import (  # noqa: PLC0415 - exists on Linux only
        landlock_version,
    )

    return landlock_version()


def _landlock() -> str:
    version = _landlock_version()
    return f"Landlock {version}" if version else "no Landlock in this kernel"


def candidates(bubblewrap: str | None) -> Iterator[Sandbox]:
    """Yield what may work, the strongest first; unconfined ones carry the reason for a failure."""
    if bubblewrap is None:
        yield Sandbox(UNCONFINED, "bubblewrap (bwrap) is not installed")
    else:
        yield from _bubblewrap_candidates(bubblewrap)
    yield Sandbox("namespaces", f"user namespaces of Linux {platform.release()}")
    yield _landlock_alone()


def _landlock_alone() -> Sandbox:
    version = _landlock_version()
    if not version:
        return Sandbox(UNCONFINED, "no Landlock in this kernel")
    lacks = [
        "sees the names of files and the command lines of processes outside",
        "can change the mode and times of files that you own",
        *(["can end your other programs"] if version < _WITH_SIGNALS else []),
    ]
    return Sandbox(
        LANDLOCK,
        f"Landlock {version} and seccomp only: no network, and nothing outside is read or written, "
        f"but a program {', '.join(lacks)}",
    )


def _bubblewrap_candidates(program: str) -> Iterator[Sandbox]:
    try:
        found = inspect_bubblewrap(program)
    except (OSError, subprocess.SubprocessError) as error:
        yield Sandbox(UNCONFINED, f"bubblewrap does not start: {error}")
        return
    yield Sandbox("bubblewrap", f"{program} {found.version}", found)


def probe(sandbox: Sandbox) -> str | None:
    """Run a trivial program in a sandbox; return why it failed, or None."""
    program = Execution(("/bin/sh", "-c", "exit 0"), cwd="/")
    try:
        report = run_confined(program, None, sandbox, _PROBE_TIMEOUT_S, Job())
    except BenchpinError as error:
        reason, _, _ = str(error.data.get("reason", error.message)).partition("\n")
        return f"{sandbox.name}: {textwrap.shorten(reason, _MAX_REASON_CHARS, placeholder=' …')}"
    return None if report.exit_code == 0 else f"{sandbox.name}: a test program failed"


# The command line of bubblewrap.


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """An installed bubblewrap and the options that it supports."""

    program: str
    version: str
    has_size: bool
    """`--size` (0.5)."""

    def command(self, arguments_fd: int, inner: Iterable[str]) -> tuple[str, ...]:
        """Return the command line that runs `inner` with the arguments read from a descriptor."""
        outer = ("/bin/sh", "-c", _RAISE_OOM_SCORE, self.program)
        return (*outer, "--args", str(arguments_fd), "--", *inner)

    def arguments(self, mounts: Iterable[Mount]) -> bytes:
        """Return the options, NUL-terminated as `--args` reads them."""
        flags = ["--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1"]
        flags += ["--cap-drop", "ALL", "--chdir", "/"]
        # For the launcher, which mounts over files of the workspace, then drops all of them. They
        # hold in the new namespaces only.
        for capability in ("CAP_SYS_ADMIN", "CAP_SYS_RESOURCE", "CAP_SETPCAP"):
            flags += ["--cap-add", capability]
        read_only: list[str] = ["/"]
        for mount in mounts:
            flags += self._mount(mount)
            if mount["kind"] in {"dev", "tmpfs"} and not mount["is_writable"]:
                read_only.append(mount["target"])
        # Last, because bubblewrap creates the targets of later mounts inside earlier ones.
        flags += [it for target in read_only for it in ("--remount-ro", target)]
        return b"".join(os.fsencode(flag) + b"\0" for flag in flags)

    def _mount(self, mount: Mount) -> Iterator[str]:
        match mount["kind"]:
            case "bind":
                yield from ("--bind" if mount["is_writable"] else "--ro-bind", mount["source"])
            case "symlink":
                yield from ("--symlink", mount["source"])
            case "tmpfs" if self.has_size:
                yield from ("--size", str(mount["size_bytes"]), "--tmpfs")
            case "dev":
                yield from self._devices(mount)
                return
            case kind:
                yield f"--{kind}"
        yield mount["target"]

    def _devices(self, mount: Mount) -> Iterator[str]:
        """Build /dev, but for its terminals, which the launcher mounts.

        For `--dev`, bubblewrap makes an ordinary user root of one namespace and starts the
        launcher in a second one, where it has no right to mount anything.
        """
        target = mount["target"]
        if self.has_size:
            yield from ("--size", str(mount["size_bytes"]))
        yield from ("--tmpfs", target)
        for name in DEVICES:
            yield from ("--dev-bind", f"/dev/{name}", f"{target}/{name}")
        for name, source in DEVICE_LINKS:
            yield from ("--symlink", source, f"{target}/{name}")
        yield from ("--dir", f"{target}/pts")


def inspect_bubblewrap(program: str) -> Bubblewrap:
    """Ask an installed bubblewrap for its version and options.

    Raises:
        OSError, SubprocessError: when it does not start.
    """
    shown = [
        subprocess.run(  # noqa: S603 - a fixed command, no input
            (program, option),
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=_BUBBLEWRAP_TIMEOUT_S,
        ).stdout
        for option in ("--version", "--help")
    ]
    return Bubblewrap(
        program=program,
        version=shown[0].strip().rpartition(" ")[2],
        has_size="--size " in shown[1],
    )
