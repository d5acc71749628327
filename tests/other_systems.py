"""Run commands as if on another system: `python other_systems.py SYSTEM` reads them from stdin.

What the system lacks is hidden: modules cannot be imported, functions and constants are not there.
Only what Benchpin asks Python for can be hidden so; file systems and processes stay those of Linux.
"""

import asyncio
import concurrent.futures.process
import ctypes
import importlib.abc
import importlib.metadata
import io
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib.machinery import ModuleSpec

import click
import jinja2.sandbox
import mcp
import msgspec
import numpy as np
import pydantic.main
import uvicorn
import yaml

# The libraries find out their own system before it is changed: this is about Benchpin's own code.
LIBRARIES = (
    *(asyncio, concurrent.futures.process, ctypes, importlib.metadata, sqlite3, subprocess),
    *(tempfile, sysconfig.get_config_vars(), click, jinja2.sandbox, mcp, msgspec, np),
    *(pydantic.main, uvicorn, yaml),
)
_UNIX_MODULES = frozenset({"fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "syslog"})
_LINUX_NAMES = (
    *("O_PATH", "sched_getaffinity", "sched_setaffinity", "memfd_create", "pidfd_open"),
    *("setns", "unshare", "posix_fadvise", "getrandom"),
)
_UNIX_NAMES = (
    *("O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_SYNC"),
    *("getuid", "geteuid", "getgid", "getegid", "getgroups", "getpgid", "setsid", "fork", "killpg"),
    *("fchmod", "fchown", "chown", "lchown", "uname", "sysconf", "statvfs", "mkfifo", "wait4"),
    *("posix_spawn", "set_blocking", "getloadavg", "WNOHANG", "fchdir", "fdatasync"),
)
_SIGNALS = (
    *("SIGKILL", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGALRM", "alarm", "setitimer", "SIGUSR1"),
    *("pthread_sigmask", "SIGXCPU", "SIGWINCH"),
)


class _Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name in _UNIX_MODULES:
            raise ImportError(f"No module named {name!r}", name=name)
        return None


def become(system: str) -> None:
    """Hide what macOS or Windows lacks."""
    for name in _LINUX_NAMES:
        _hide(os, name)
    sys.platform = {"macos": "darwin", "windows": "win32"}[system]
    if system == "macos":
        real = os.uname()
        os.uname = lambda: os.uname_result(("Darwin", *tuple(real)[1:]))
        return
    for name in _UNIX_NAMES:
        _hide(os, name)
    for name in _SIGNALS:
        _hide(signal, name)
    _hide(select, "poll")
    subprocess.Popen.kill = lambda self: self.send_signal(9)  # type: ignore[method-assign]
    os.supports_dir_fd.clear()
    os.supports_fd.clear()
    for name in _UNIX_MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Hidden())
    opened = os.open

    def open_as_windows(path: object, flags: int, mode: int = 0o777, **given: object) -> int:
        if given.get("dir_fd") is not None:
            raise NotImplementedError("dir_fd unavailable on this platform")
        if os.path.isdir(path):  # type: ignore[arg-type]  # noqa: PTH112 - as os.open does
            raise PermissionError(13, "Permission denied", path)
        return opened(path, flags, mode)  # type: ignore[arg-type]

    os.open = open_as_windows


def _hide(module: object, name: str) -> None:
    with suppress(AttributeError):
        delattr(module, name)


def run(command: Sequence[str]) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, stdout and stderr."""
    from benchpin.cli.main import cli  # noqa: PLC0415 - after the system has changed

    out, err = io.StringIO(), io.StringIO()
    code = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            cli(list(command), prog_name="benchpin")
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else int(bool(error.code))
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    become(sys.argv[1])
    json.dump([run(it) for it in json.load(sys.stdin)], sys.stdout)
