"""What `install` and `uninstall` share: changes of files that hosts read, skills among them."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import click

from benchpin.cli.config_text import ConfigNotEdited
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.text import visible
from benchpin.system.processes import gc_off
from benchpin.toolsets.server.skills import SKILL_FILE, Skill, read_skills
from benchpin.workspace.diffs import unified_diff
from benchpin.workspace.files import path_errors
from benchpin.workspace.writing import NO_FILE, remove_file, sha256_of, write_atomically

from .hosts import HOSTS, Host, Places, Scope
from .output import ERROR

ScopedHost = tuple[Host, Scope]
_BACKUP = ".before-benchpin"
# The limit of a configuration file; those of hosts that also keep their history there reach
# megabytes.
_MAX_BYTES = 8 << 20
NAMES = [host.name for host in HOSTS]
HOSTS_ARGUMENT = click.argument(
    "hosts",
    nargs=-1,
    type=click.Choice(NAMES),
    metavar="[HOST]...",
    help=f"{', '.join(NAMES)}; all that are found by default.",
)
SCOPE_OPTION = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    help="This project's file or yours. [default: project, where the host has one]",
)
YES_OPTION = click.option("--yes", "-y", is_flag=True, help="Write without asking.")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written into one file."""

    title: str
    """The hosts that read the file."""
    file: Path
    before: bytes | None
    """None if there is no file yet."""
    after: bytes | None
    """None if the file is to be removed."""
    is_restored: bool = False
    """Whether the old content comes back, and the copy of it is not needed any more."""
    is_update: bool = False
    """Whether Benchpin is in the file already: an older copy of the content is the one to keep."""
    has_own_folder: bool = False
    """Whether the folder was made for this file, and goes with it."""
    backup_suffix: str = _BACKUP

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = (
            None if it is None else it.decode(errors="replace") for it in (self.before, self.after)
        )
        return unified_diff(old, new, str(self.file).lstrip("/"))

    @property
    def backup(self) -> Path:
        """Where the old content is kept."""
        return self.file.with_name(self.file.name + self.backup_suffix)

    @property
    def makes_backup(self) -> bool:
        """Whether there is old content that would be lost."""
        is_needed = self.before is not None and self.after is not None and not self.is_restored
        return is_needed and not (self.is_update and self.backup.exists())

    def write(self) -> None:
        """Write the file; its old content is kept beside it.

        Raises:
            BenchpinError: when it cannot be written, or has changed since it was read.
        """
        if self.after is None:
            self._remove()
            return
        expected = NO_FILE if self.before is None else sha256_of(self.before)
        makes_backup = self.makes_backup
        older = read(self.backup) if makes_backup else None
        if self.before is not None and makes_backup:
            _write(self.backup, self.before, None, owned_like=self.file)
        try:
            _write(self.file, self.after, expected)
        except BenchpinError:
            if makes_backup:
                self._take_back(older)
            raise
        if self.is_restored:
            self.backup.unlink(missing_ok=True)

    def undo(self, older: bytes | None) -> None:
        """Take the change back, if it was written; `older` was the copy beside the file before.

        Raises:
            BenchpinError: when it cannot be taken back.
        """
        if self.after is None or self.after == self.before or read(self.file) != self.after:
            return
        if self.before is None:
            name = PurePosixPath(self.file.name)
            remove_file(self.file.parent, name, Job(), expected_sha256=sha256_of(self.after))
        else:
            _write(self.file, self.before, sha256_of(self.after))
            self._take_back(older)

    def _remove(self) -> None:
        folder, name = self.file.parent, PurePosixPath(self.file.name)
        remove_file(folder, name, Job(), expected_sha256=sha256_of(self.before or b""))
        if self.is_restored:
            self.backup.unlink(missing_ok=True)
        if self.has_own_folder and not any(folder.iterdir()):
            folder.rmdir()

    def _take_back(self, older: bytes | None) -> None:
        """Have the copy as it was before a change that was refused."""
        if older is None:
            self.backup.unlink(missing_ok=True)
        else:
            _write(self.backup, older, None)


def _write(
    place: Path, content: bytes, expected_sha256: str | None, owned_like: Path | None = None
) -> None:
    name = PurePosixPath(place.name)
    with path_errors(name):
        place.parent.mkdir(parents=True, exist_ok=True)
        model = None if owned_like is None else owned_like.stat()
    write_atomically(
        place.parent, name, content, Job(), expected_sha256=expected_sha256, owned_like=model
    )


def place_of(host: Host, scope: Scope, root: Path, places: Places) -> Path | None:
    """Return the file that is written for a host; None if it has none of this scope.

    A link in the user's own folders, as managers of dotfiles make them, stays one: its target is
    written. A project does not choose where to write.

    Raises:
        InvalidParams: when links form a loop, or lead out of a project.
    """
    file = host.file(scope, root, places)
    if file is None:
        return None
    return target_of(file, root if scope == "project" else None)


def target_of(file: Path, root: Path | None) -> Path:
    """Return the file that a path leads to.

    Raises:
        InvalidParams: when links form a loop, or lead out of the project if there is one.
    """
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidParams(
            f"{file} cannot be followed: {error}", suggestion="Remove the link."
        ) from error
    if root is not None and not target.is_relative_to(root):
        raise InvalidParams(
            f"{file} leads to {target}, and a project may not choose where Benchpin writes",
            suggestion="Remove the link, or use --scope user.",
        )
    return target


def suffix_of(host: Host, places: Places) -> str:
    """Return the format of a host's files, by its own name for them: a link may lead to any."""
    suffix = host.user_file(places).suffix
    return suffix if suffix in {".toml", ".yaml"} else ".json"


def read(file: Path) -> bytes | None:
    """Return the content of a file; None if there is none.

    Raises:
        InvalidParams: when it cannot be read.
    """
    try:
        if not file.is_file() and file.exists():
            raise InvalidParams(f"{file} is not a file", suggestion="Remove it first.")
        if not file.exists():
            return None
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidParams(
                f"{file} has more than {_MAX_BYTES:,} bytes", suggestion="Is it the right file?"
            )
        return file.read_bytes()
    except OSError as error:
        raise InvalidParams(
            f"{file} cannot be read: {error.strerror}", suggestion="Check its permissions."
        ) from error


def decoded(file: Path, content: bytes) -> str:
    """Return the content of a file as text.

    Raises:
        InvalidParams: when it is not UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidParams(
            f"{file} is not UTF-8: byte {error.start}", suggestion="Save it as UTF-8 first."
        ) from error


@dataclass(frozen=True, slots=True)
class HostPlan:
    """The changes of several hosts, and why some of them cannot be changed."""

    changes: list[Change]
    refusals: list[str] = field(default_factory=list)
    """Those that only show when a change is written are added to it."""


def planned(hosts: Sequence[Host], changes_of: Callable[[Host], Sequence[Change]]) -> HostPlan:
    """Return the changes of each host; one that cannot be changed does not keep others back."""
    plan = HostPlan([])
    for host in hosts:
        try:
            # gc off: a file of 6 MB has a million values, and the collector took 60 % of the time.
            with gc_off():
                plan.changes.extend(changes_of(host))
        except BenchpinError as error:
            plan.refusals.append(f"{host.title}: {error.message}. {error.suggestion}")
    return plan


@contextmanager
def named(file: Path) -> Iterator[None]:
    """Name the file in an error about its content."""
    try:
        yield
    except ConfigNotEdited as error:
        raise ConfigNotEdited(f"{file}: {error.message}", suggestion=error.suggestion) from error


def apply(plans: Iterable[HostPlan], *, yes: bool) -> None:
    """Show each change, ask unless `yes`, and write it; fail at the end if one was not possible.

    A plan is made when those before it are applied: they may write the same files.
    """
    refusals: list[str] = []
    has_changes = False
    for plan in plans:
        for change in plan.changes:
            try:
                _apply_one(change, yes=yes)
            except BenchpinError as error:
                said = f"{change.title}: {change.file}: {error.message}. {error.suggestion}"
                plan.refusals.append(said)
        refusals += plan.refusals
        has_changes = has_changes or bool(plan.changes)
    for refusal in refusals:
        click.echo(visible(refusal), err=True)
    if refusals:
        sys.exit(ERROR)
    if not has_changes:
        click.echo("No configuration of a host names Benchpin.")


def _apply_one(change: Change, *, yes: bool) -> None:
    if change.after == change.before:
        click.echo(visible(f"{change.title}: {change.file} is up to date."))
        return
    click.echo(f"{change.title}:")
    click.echo(visible(change.diff()))
    if change.makes_backup:
        click.echo(visible(f"The file is there already; its content is kept in {change.backup}."))
    verb = "Remove" if change.after is None else "Write"
    if yes or click.confirm(visible(f"{verb} {change.file}?"), default=True):
        change.write()
        click.echo("Removed it." if change.after is None else visible(f"Wrote {change.file}."))


# Benchpin's skills in the folders from which hosts read them. Several hosts read the same folder,
# so a file is written once for all of them.


def installed_skills(hosts: Sequence[ScopedHost], root: Path, places: Places) -> list[Change]:
    """Return what to write; hosts without a folder of skills are named."""
    for host, _ in hosts:
        if host.skills_folder is None:
            click.echo(f"{host.title} has no known folder for skills; it can get them over MCP.")
    return [
        Change(title, file, read(file), skill.content, has_own_folder=True)
        for title, file, skill in _files(hosts, root, places)
    ]


def removed_skills(hosts: Sequence[ScopedHost], root: Path, places: Places) -> list[Change]:
    """Return what to remove; a file that is not as it was written stays, and is named."""
    changes = []
    for title, file, skill in _files(hosts, root, places):
        before = read(file)
        if before == skill.content:
            changes.append(Change(title, file, before, None, has_own_folder=True))
        elif before is not None:
            click.echo(f"{file} stays: it was not written by this version of Benchpin.")
    return changes


def _files(
    hosts: Sequence[ScopedHost], root: Path, places: Places
) -> Iterator[tuple[str, Path, Skill]]:
    readers: dict[Path, list[str]] = {}
    for host, scope in hosts:
        folder = host.skills(scope, root, places)
        if folder is not None:
            for skill in read_skills():
                target_of(folder / skill.name / SKILL_FILE, root if scope == "project" else None)
            readers.setdefault(folder.resolve(), []).append(host.title)
    for folder, titles in readers.items():
        for skill in read_skills():
            # A link, as managers of dotfiles make them, stays one: its target is written.
            file = (folder / skill.name / SKILL_FILE).resolve()
            yield ", ".join(titles), file, skill
