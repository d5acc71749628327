"""Settings and environment under which git executes nothing that a repository configures.

A repository configures programs: hooks, a file system monitor, filters, converters, external diffs,
a pager, a signature checker, a remote to fetch missing objects from. Therefore the environment is
built from nothing, settings that name a program or another file are overridden, only read-only
commands are allowed, and the repository is named explicitly: git does not search for one, so it
never finds a bare repository inside a folder.
"""

import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchpin.core.errors import DependencyMissing
from benchpin.system.processes import find_program, search_path

_NO_FILE = os.devnull

_SETTINGS = (
    f"core.attributesFile={_NO_FILE}",
    f"core.excludesFile={_NO_FILE}",
    f"core.hooksPath={_NO_FILE}",
    "core.alternateRefsCommand=false",
    "core.askPass=",
    "core.bigFileThreshold=512m",
    "core.fsmonitor=false",
    "core.gitProxy=",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.external=",
    "diff.renameLimit=1000",
    "diff.submodule=short",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.follow=false",
    "log.showRoot=true",
    "log.showSignature=false",
    "mailmap.blob=",
    "mailmap.file=",
    "protocol.allow=never",
    "safe.directory=*",
    "submodule.recurse=false",
)

_COMMANDS: Mapping[str, tuple[str, ...]] = {
    # Always of a revision, since of the work tree git would run filters, and always `unconfigured`,
    # since it opens the blame.ignoreRevsFile of a repository whatever is set here.
    "blame": ("--no-textconv", "--incremental", "--encoding=UTF-8"),
    "cat-file": ("--batch",),
    # Always of a commit and never of the work tree, and words are passed with -e by the caller.
    "grep": (
        "--no-textconv",
        "--no-color",
        "--no-column",
        "--no-line-number",
        "--no-recurse-submodules",
        "--no-heading",
        "--no-break",
        "--full-name",
        "--fixed-strings",
        "-I",
        "-z",
    ),
    "log": (
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--no-color",
        "--no-decorate",
        "--no-notes",
        "--no-relative",
        "--diff-merges=off",
        "--ignore-submodules=all",
        "--diff-algorithm=default",
        "--encoding=UTF-8",
        "-O/dev/null",  # git-diff(1): how to cancel diff.orderFile, on every system
    ),
    "ls-files": ("--stage", "--debug", "-z"),
    "ls-tree": ("--full-tree", "-r", "-z"),
    "merge-base": (),
    "rev-parse": ("--verify", "--quiet"),
}


def command_line(
    program: str,
    command: str,
    options: Sequence[str],
    revisions: Sequence[str],
    paths: Sequence[str] | None,
) -> tuple[str, ...]:
    """Return a read-only command; nothing after `--end-of-options` can be an option."""
    settings = (part for setting in _SETTINGS for part in ("-c", setting))
    tail = () if paths is None else ("--", *paths)
    # These do not know --end-of-options; their revision is the id of a commit.
    end = () if command in {"blame", "grep"} else ("--end-of-options",)
    safe = (*_COMMANDS[command], *options, *end, *revisions, *tail)
    return (program, "--no-pager", *settings, command, *safe)


def environment(root: Path, git_dir: Path, untrusted: Path) -> dict[str, str]:
    """Return the complete environment of git."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "PATH": search_path(untrusted),
        "LC_ALL": "C",
        "GIT_DIR": str(git_dir),
        "GIT_WORK_TREE": str(root),
        # Allow one protocol with a random name, which means none. A name that can be guessed would
        # run `git remote-<name>`, for which a repository can define an alias. No setting overrides
        # this variable.
        "GIT_ALLOW_PROTOCOL": secrets.token_hex(),
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": _NO_FILE,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def find_git(root: Path) -> str:
    """Return the path of git, which is never a program of the workspace.

    Raises:
        DependencyMissing: when it is not installed.
    """
    found = find_program("git", root)
    if found is None:
        raise DependencyMissing(
            "git is not installed, or not on PATH",
            suggestion="Install git 2.32 or newer.",
            data={"program": "git"},
        )
    return found
