"""The one way to ask git about a repository that may be hostile.

A repository configures programs that git runs: hooks, a file system monitor, filters, converters,
external diffs, a pager, a signature checker, a remote to fetch missing objects from. None of them
may run. So the environment is made from nothing, settings that name a program are overruled, only
commands that read are let through, and the repository is named outright, so that git looks for
none by itself and a bare one inside a folder is never met.
"""

import os
import re
import secrets
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchpin.core import (
    BenchpinError,
    DependencyMissing,
    InvalidParams,
    Job,
    PathOutsideWorkspace,
    TimeLimitExceeded,
)

_CHUNK_BYTES = 1 << 17
_MAX_COMPLAINT_BYTES = 4096
_MAX_COMPLAINT_CHARS = 300
_MAX_POINTER_BYTES = 1 << 13
_MAX_SHALLOW_BYTES = 1 << 24
_MAX_REVISION_CHARS = 256
_NOTHING = os.devnull

# What git-check-ref-format(1) forbids in a name, and the operators that search, reach into a tree
# or span a range: `:`, `@{`, `^{` and `..`.
_NO_REVISION = re.compile(r"^-|[\x00-\x20\x7f:?*\[\\]|\.\.|@\{|\^\{")

_SETTINGS = (
    f"core.attributesFile={_NOTHING}",
    f"core.excludesFile={_NOTHING}",
    f"core.hooksPath={_NOTHING}",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "diff.external=",
    "diff.submodule=short",
    "diff.renameLimit=1000",
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
    "log": (
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--no-color",
        "--no-decorate",
        "--no-notes",
        "--no-relative",
        "--ignore-submodules=all",
        "--diff-algorithm=default",
        "--encoding=UTF-8",
        "-O/dev/null",  # git-diff(1): how to cancel diff.orderFile, on every system
    ),
    "rev-parse": ("--verify", "--quiet"),
}


class NotARepository(BenchpinError):
    """No git repository contains the folder."""

    kind = "not_a_repository"


class GitFailed(BenchpinError):
    """Git ended with an error of its own."""

    kind = "git_failed"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as seen from one folder of its work tree; all paths are real ones."""

    root: Path
    git_dir: Path
    common_dir: Path
    """Where refs and objects are; differs from `git_dir` in a linked work tree."""
    folder: Path
    is_inside_workspace: bool
    """False when the root lies above the workspace: then only `folder` may be spoken of."""

    @property
    def prefix(self) -> str:
        """Return what the folder's paths begin with in git's eyes; empty at the root."""
        inside = self.folder.relative_to(self.root).as_posix()
        return "" if inside == "." else f"{inside}/"


def find_repository(folder: Path, workspace_root: Path) -> Repository:
    """Return the repository that contains a folder of the workspace.

    Raises:
        PathOutsideWorkspace: when the folder, or what git would read for it, is elsewhere.
        NotARepository: when there is none.
    """
    folder, workspace_root = folder.resolve(), workspace_root.resolve()
    if not folder.is_relative_to(workspace_root):
        raise PathOutsideWorkspace(
            f"{folder.name!r} is outside the workspace",
            suggestion="Give a path inside it, or start Benchpin with another --root.",
        )
    for root in (folder, *folder.parents):
        git_dir = _git_dir(root / ".git")
        if git_dir is None:
            continue
        common_dir = _common_dir(git_dir)
        _check_home(root, git_dir, common_dir, workspace_root)
        is_inside = root.is_relative_to(workspace_root)
        return Repository(root, git_dir, common_dir, folder, is_inside)
    raise NotARepository(
        f"No git repository contains {folder.name or 'this folder'!r}",
        suggestion="Name a folder under version control, or run `git init` and commit.",
    )


def check_revision(revision: str) -> str:
    """Return a revision that cannot be taken for an option, a range, a search or a path.

    Raises:
        InvalidParams: when it could.
    """
    if not revision or len(revision) > _MAX_REVISION_CHARS or _NO_REVISION.search(revision):
        raise InvalidParams(
            f"{revision[:_MAX_REVISION_CHARS]!r} does not name a commit",
            suggestion="Give a branch, a tag or a commit id, such as main, v1.2 or HEAD~3.",
        )
    return revision


def find_commit(repository: Repository, revision: str, job: Job) -> str | None:
    """Return the id of a commit; None when HEAD has no commit yet.

    Raises:
        InvalidParams: when no commit has that name.
    """
    wanted = check_revision(revision)
    try:
        answer = b"".join(stream(repository, "rev-parse", (), (f"{wanted}^{{commit}}",), None, job))
    except GitFailed as error:
        if error.data["exit_code"] != 1:  # 128 is a repository that git cannot read
            raise
        if wanted == "HEAD":
            return None
        raise InvalidParams(
            f"The repository has no commit {wanted!r}",
            suggestion="Give a branch, a tag or a commit id that exists; HEAD always does.",
        ) from error
    return answer.decode().strip()


def shallow_edges(repository: Repository) -> frozenset[str]:
    """Return the commits whose parents a shallow clone left out."""
    listed = _read_start(repository.common_dir / "shallow", _MAX_SHALLOW_BYTES)
    return frozenset((listed or b"").decode("ascii", "replace").split())


def stream(
    repository: Repository,
    command: str,
    options: Sequence[str],
    revisions: Sequence[str],
    paths: Sequence[str] | None,
    job: Job,
) -> Iterator[bytes]:
    """Run a reading command and give its output in pieces; the child never outlives the iterator.

    `options` are ours, never a caller's. `paths` are literal, from the root; None leaves out `--`.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git fails, once its output was given.
        TimeLimitExceeded: when the job's time is up.
    """
    tail = () if paths is None else ("--", *paths)
    options = (*_COMMANDS[command], *options, "--end-of-options", *revisions, *tail)
    with _child(repository, (command, *options)) as (child, complaint), job.stopping(child.kill):
        if child.stdout is None:
            return
        with _deadline(child, job):
            while piece := child.stdout.read1(_CHUNK_BYTES):
                _check(job)
                yield piece
            code = child.wait()
    _check(job)
    if code:
        raise _failure(code, complaint.text())


def _check(job: Job) -> None:
    job.check()
    if job.is_expired:
        raise TimeLimitExceeded(
            "Git did not come to an end in time",
            suggestion="Ask for a shorter period or a smaller folder.",
        )


def _failure(code: int, complaint: str) -> GitFailed:
    return GitFailed(
        f"git failed: {complaint or f'exit code {code}'}",
        suggestion="Run `git fsck`; in a partial clone fetch what is missing: git fetch --refetch.",
        data={"exit_code": code},
    )


class _Complaint:
    """Reads what a child writes to stderr to its end, and keeps the beginning."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        self._pipe = child.stderr
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while self._pipe is not None and (piece := self._pipe.read1(_CHUNK_BYTES)):
            self._kept += piece[: _MAX_COMPLAINT_BYTES - len(self._kept)]

    def wait(self) -> None:
        """Wait for the end of the pipe, which comes with that of the child."""
        self._thread.join()

    def text(self) -> str:
        """Return one line without control characters."""
        line = " ".join(self._kept.decode(errors="replace").split())
        return "".join(it if it.isprintable() else "?" for it in line)[:_MAX_COMPLAINT_CHARS]


@contextmanager
def _child(
    repository: Repository, arguments: Sequence[str]
) -> Iterator["tuple[subprocess.Popen[bytes], _Complaint]"]:
    search_path = _search_path(repository.root)
    settings = (part for setting in _SETTINGS for part in ("-c", setting))
    with subprocess.Popen(  # noqa: S603 - no shell, a fixed program, options before --end-of-options
        (_executable(search_path), "--no-pager", *settings, *arguments),
        cwd=repository.root,
        env=_environment(repository, search_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # a Ctrl-C reaches us, and we end the child
    ) as child:
        complaint = _Complaint(child)
        try:
            yield child, complaint
        finally:
            child.kill()
            child.wait()
            complaint.wait()


@contextmanager
def _deadline(child: "subprocess.Popen[bytes]", job: Job) -> Iterator[None]:
    """Kill a child when the time is up, even if it says nothing."""
    left = job.time_left_s()
    if left is None:
        yield
        return
    timer = threading.Timer(min(left, threading.TIMEOUT_MAX), child.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _environment(repository: Repository, search_path: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "PATH": search_path,
        "LC_ALL": "C",
        "GIT_DIR": str(repository.git_dir),
        "GIT_WORK_TREE": str(repository.root),
        # A protocol that nobody can guess, since whatever stands here may run `git remote-<it>`,
        # which a repository may define as an alias. Settings cannot overrule the variable.
        "GIT_ALLOW_PROTOCOL": secrets.token_hex(),
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": _NOTHING,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _search_path(root: Path) -> str:
    """Return PATH without relative folders, those of the repository itself last."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    places = [folder for folder in folders if Path(folder).is_absolute()]
    return os.pathsep.join(sorted(places, key=lambda it: Path(it).resolve().is_relative_to(root)))


def _executable(search_path: str) -> str:
    found = shutil.which("git", path=search_path)
    if found is None:
        raise DependencyMissing(
            "git is not installed, or not on PATH",
            suggestion="Install git 2.32 or newer.",
            data={"program": "git"},
        )
    return found


def _read_start(place: Path, size: int) -> bytes | None:
    try:
        with place.open("rb") as file:
            return file.read(size)
    except OSError:
        return None


def _git_dir(marker: Path) -> Path | None:
    """Return where a `.git` leads: a folder, or a file that names one."""
    place = marker.resolve()
    if place.is_file():
        pointer = _read_start(place, _MAX_POINTER_BYTES) or b""
        keyword, _, target = pointer.partition(b":")
        place = (place.parent / os.fsdecode(target.strip())).resolve()
        if keyword != b"gitdir" or not (place / "HEAD").exists():
            raise NotARepository(
                f"{marker.parent.name!r} has a .git that leads to no repository",
                suggestion="Run `git submodule update --init` or `git worktree repair`.",
            )
    is_repository = os.path.lexists(place / "HEAD") and (_common_dir(place) / "objects").is_dir()
    return place if is_repository else None


def _common_dir(git_dir: Path) -> Path:
    pointer = _read_start(git_dir / "commondir", _MAX_POINTER_BYTES)
    return git_dir if pointer is None else (git_dir / os.fsdecode(pointer.strip())).resolve()


def _check_home(root: Path, git_dir: Path, common_dir: Path, workspace_root: Path) -> None:
    """Refuse a `.git` that passes off a repository elsewhere as the history of this folder."""
    homes = (workspace_root, root, git_dir, common_dir)
    is_linked = git_dir.parent == common_dir / "worktrees" and _points_back(git_dir, root / ".git")
    is_home = all(
        place.is_relative_to(workspace_root) or place.is_relative_to(root)
        for place in (git_dir, common_dir)
    )
    is_known = is_home or is_linked or (git_dir == common_dir and _is_submodule(root, git_dir))
    if not is_known or any(
        not place.resolve().is_relative_to(home)
        for place, home in _links(git_dir, common_dir, homes)
    ):
        raise PathOutsideWorkspace(
            f"The repository of {root.name!r} is kept outside the workspace",
            suggestion="Start Benchpin with a --root that contains its git folder too.",
        )
