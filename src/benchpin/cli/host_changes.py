"""What `benchpin install` and `benchpin uninstall` share: changes of files that hosts read."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import click

from benchpin.core import InvalidParams, Job
from benchpin.core.control_characters import visible
from benchpin.engines.files.writing import NO_FILE, sha256_of, write_atomically

from .hosts import HOSTS

_BACKUP = ".before-benchpin"
NAMES = [host.name for host in HOSTS]


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

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = (
            (it or b"").decode(errors="replace").splitlines(keepends=True)
            for it in (self.before, self.after)
        )
        return "".join(difflib.unified_diff(old, new, str(self.file), str(self.file)))

    @property
    def backup(self) -> Path:
        """Where the old content is kept."""
        return self.file.with_name(self.file.name + _BACKUP)

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
            self.file.unlink()
            if self.has_own_folder and not any(self.file.parent.iterdir()):
                self.file.parent.rmdir()
            return
        expected = NO_FILE if self.before is None else sha256_of(self.before)
        if self.before is not None and self.makes_backup:
            _write(self.backup, self.before, None)
        _write(self.file, self.after, expected)
        if self.is_restored:
            self.backup.unlink(missing_ok=True)


def _verb(change: Change) -> str:
    return "Remove" if change.after is None else "Write"


def _write(place: Path, content: bytes, expected_sha256: str | None) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    name = PurePosixPath(place.name)
    write_atomically(place.parent, name, content, Job(), expected_sha256=expected_sha256)


HOSTS_ARGUMENT = click.argument(
    "hosts", nargs=-1, type=click.Choice(NAMES), help="Hosts; all that are found by default."
)
SCOPE_OPTION = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    help="This project's file or yours. [default: project, where the host has one]",
)
YES_OPTION = click.option("--yes", "-y", is_flag=True, help="Write without asking.")


def suffix_of(file: Path) -> str:
    """Return the format of a file, by its name."""
    return file.suffix if file.suffix in {".toml", ".yaml"} else ".json"


def read(file: Path) -> bytes | None:
    """Return the content of a file; None if there is none.

    Raises:
        InvalidParams: when it cannot be read.
    """
    try:
        if not file.is_file() and file.exists():
            raise InvalidParams(f"{file} is not a file", suggestion="Remove it first.")
        return file.read_bytes() if file.exists() else None
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


def apply(changes: Sequence[Change], *, yes: bool) -> None:
    """Show each change, ask unless `yes`, and write it."""
    pending = [change for change in changes if change.after != change.before]
    for change in changes:
        if change not in pending:
            click.echo(f"{change.title}: {change.file} is as it should be.")
    for change in pending:
        click.echo(f"{change.title}:")
        click.echo(visible(change.diff()))
        if change.makes_backup:
            click.echo(f"The file is there already; its content is kept in {change.backup}.")
        if yes or click.confirm(f"{_verb(change)} {change.file}?", default=True):
            change.write()
            click.echo("Removed it." if change.after is None else f"Wrote {change.file}.")
    if not changes:
        click.echo("No configuration of a host names Benchpin.")
