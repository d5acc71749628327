"""Small git repositories, made by git itself, with people and dates that never change."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When the first commit is made; each one after it a day later."""
GIT = shutil.which("git") or "git"
ADA = ("Ada", "ada@example.org")
BOB = ("Bob", "bob@example.org")

Content = bytes | None


class Tree:
    """A work tree under version control."""

    def __init__(self, root: Path, *, is_new: bool = True) -> None:
        self.root = root
        self.commits = 0
        if is_new:
            root.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=main")

    def git(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run git as a person without settings would."""
        return self._run(arguments, stdin, environment or {}).strip()

    def names(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> frozenset[str]:
        """Return the paths that git names when it is asked with `-z`."""
        listed = self._run((*arguments, "-z"), b"", environment or {})
        return frozenset(os.fsdecode(name) for name in listed.split(b"\0") if name)

    def unignored(self, environment: Mapping[str, str] | None = None) -> frozenset[str]:
        """Return the files that git would add."""
        options = ("--others", "--cached", "--exclude-standard")
        return self.names("ls-files", *options, environment=environment)

    def _run(self, arguments: Iterable[str], stdin: bytes, environment: Mapping[str, str]) -> bytes:
        made = subprocess.run(
            [GIT, "-c", "protocol.file.allow=always", *arguments],
            cwd=self.root,
            env=_environment(ADA, self.now) | dict(environment),
            input=stdin,
            stdout=subprocess.PIPE,
            check=True,
        )
        return made.stdout

    @property
    def now(self) -> datetime:
        """When the next commit is made."""
        return START + timedelta(days=self.commits)

    def write(self, files: Mapping[str, Content]) -> None:
        """Write or, for None, remove files."""
        for name, content in files.items():
            place = self.root / name
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    def commit(
        self,
        files: Mapping[str, Content] | None = None,
        subject: str = "Change",
        author: tuple[str, str] = ADA,
        *options: str,
    ) -> str:
        """Change files, commit everything and return the id."""
        self.write(files or {})
        self.git("add", "--all")
        message = ("--message", subject, "--quiet", "--allow-empty", "--allow-empty-message")
        person = _person("AUTHOR", author, self.now)
        self.git("commit", *message, *options, environment=person)
        self.commits += 1
        return self.head()

    def head(self) -> str:
        """Return the id of the commit that is checked out."""
        return self.git("rev-parse", "HEAD").decode()


@dataclass(frozen=True)
class Step:
    """One commit for `import_steps`; parents are numbers of earlier steps."""

    changes: Mapping[bytes, Content]
    parents: tuple[int, ...] = ()
    author: tuple[str, str] = ADA
    subject: bytes = b"Change"


def import_steps(root: Path, steps: Iterable[Step]) -> Tree:
    """Make many commits at once, with any name that git allows; nothing is checked out."""
    tree = Tree(root)
    lines: list[bytes] = []
    for number, step in enumerate(steps, start=1):
        lines += _import_lines(number, step, START + timedelta(days=number - 1))
    tree.git("fast-import", "--quiet", "--done", stdin=b"\n".join([*lines, b"done", b""]))
    return tree


def _import_lines(number: int, step: Step, when: datetime) -> list[bytes]:
    seconds = int(when.timestamp())
    name, email = step.author
    lines = [
        b"commit refs/heads/main",
        b"mark :%d" % number,
        f"author {name} <{email}> {seconds} +0000".encode(),
        f"committer {name} <{email}> {seconds} +0000".encode(),
        b"data %d" % len(step.subject),
        step.subject,
    ]
    for at, parent in enumerate(step.parents):
        lines.append(b"%s :%d" % (b"merge" if at else b"from", parent + 1))
    for path, content in step.changes.items():
        if content is None:
            lines.append(b"D " + _quoted(path))
        else:
            lines += [b"M 100644 inline " + _quoted(path), b"data %d" % len(content), content]
    return lines


def _quoted(path: bytes) -> bytes:
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _person(role: str, person: tuple[str, str], when: datetime) -> dict[str, str]:
    name, email = person
    return {
        f"GIT_{role}_NAME": name,
        f"GIT_{role}_EMAIL": email,
        f"GIT_{role}_DATE": when.isoformat(),
    }


def _environment(person: tuple[str, str], when: datetime) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **_person("AUTHOR", person, when),
        **_person("COMMITTER", person, when),
    }
