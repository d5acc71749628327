"""Who the person at the command line is, as git knows them."""

import getpass
import os
import subprocess
from pathlib import Path

from benchpin.core.errors import DependencyMissing
from benchpin.core.text import utf8

from ._confinement import find_git

_TIME_LIMIT_S = 5
_MAX_CHARS = 200


def git_user(folder: Path) -> str:
    """Return the name that git would record for a commit in a folder, or else the login name.

    Unlike other calls of git, this one reads the user's own settings, where the name is.
    """
    name = os.environ.get("GIT_AUTHOR_NAME") or _configured(folder) or _login()
    return "".join(it for it in utf8(name) if it.isprintable()).strip()[:_MAX_CHARS] or "user"


def _configured(folder: Path) -> str:
    try:
        found = subprocess.run(  # noqa: S603 - git itself, which only prints a setting
            [find_git(folder), "-C", str(folder), "config", "--get", "user.name"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIME_LIMIT_S,
            check=False,
        )
    except (DependencyMissing, OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.decode("utf-8", "replace").strip()


def _login() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a user id without a name, as in many containers
        return ""
