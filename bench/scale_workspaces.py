"""Workspaces of any number of files, made of public repositories side by side, with a history."""

import os
import random
import re
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import BinaryIO, cast

ENDINGS = frozenset((".py", ".js", ".ts", ".go", ".java", ".rb", ".php", ".rs", ".c", ".kt"))
MAX_BYTES = 100_000
FILES_A_COMMIT = 100
_GROWS = 5
"""Of so many files, one is first committed without its second half."""
_LATER = 3
"""After so many commits the second half follows."""
_AUTHORS = 20
_START_S = int(time.time()) - 10 * 86_400
"""Ten days ago: all commits are of the periods that measures look at."""
_WORD = re.compile(rb"\b[A-Za-z][A-Za-z0-9_]{5,}\b")
_KEPT = frozenset(
    b"return import export function continue default private public static package interface "
    b"extends implements require include namespace finally struct switch typeof instanceof await "
    b"delete module global nonlocal lambda assert raise except elsif unless foreach protected "
    b"abstract boolean double string throws synchronized companion override object readonly "
    b"declare unsafe extern typedef sizeof unsigned signed volatile register".split()
)
_AUTHOR = ("-c", "user.name=scale", "-c", "user.email=scale@example.org")

File = tuple[str, bytes]


def source_files(trees: Sequence[Path]) -> list[tuple[str, Path]]:
    """Return the source files of trees, with the paths that they get."""
    return [
        (f"{tree.name}/{path.relative_to(tree)}", path)
        for tree in trees
        for path in sorted(_walk(tree))
        if not path.is_symlink() and path.is_file() and path.stat().st_size <= MAX_BYTES
    ]


def _walk(tree: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [it for it in folders if it != ".git"]
        yield from (Path(folder, it) for it in names if Path(it).suffix in ENDINGS)


def renamed(text: bytes, number: int, kept: frozenset[bytes]) -> bytes:
    """Return code with other identifiers, the same for the same name and number."""
    suffix = b"_%d" % number

    def rename(match: re.Match[bytes]) -> bytes:
        word = match[0]
        return word if word in kept else word + suffix

    return _WORD.sub(rename, text)


def build(folder: Path, files: Sequence[tuple[str, Path]], size: int) -> None:
    """Make a workspace of so many files, with a commit for each hundred of them."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    process = subprocess.Popen(
        ("git", "fast-import", "--quiet"),  # noqa: S607
        cwd=folder,
        stdin=subprocess.PIPE,
    )
    stream = cast("BinaryIO", process.stdin)
    for text in _commits(islice(_wanted(files), size)):
        stream.write(text)
    stream.close()
    if process.wait():
        message = f"git fast-import failed with {process.returncode}"
        raise RuntimeError(message)
    git(folder, "reset", "-q", "--hard")


def _wanted(files: Sequence[tuple[str, Path]]) -> Iterator[File]:
    """Yield the files of the trees, then copies of them with other identifiers."""
    # What files and folders are called stays, so that imports lead to them in copies too.
    parts = {part for path, _ in files for part in re.split(r"[/.]", path)}
    kept = _KEPT | {it.encode() for it in parts}
    yield from ((path, place.read_bytes()) for path, place in files)
    for number in count(1):
        for path, place in files:
            yield f"copy{number}/{path}", renamed(place.read_bytes(), number, kept)


def _commits(files: Iterable[File]) -> Iterator[bytes]:
    """Yield the stream for `git fast-import`."""
    whole = iter(files)
    grown: deque[list[File]] = deque()
    """What was committed by half."""
    for number in count():
        batch = list(islice(whole, FILES_A_COMMIT))
        late = grown.popleft() if grown and (not batch or len(grown) == _LATER) else []
        if not batch and not late:
            return
        grown.append(batch[::_GROWS])
        author = b"Author %d <author%d@example.org>" % (number % _AUTHORS, number % _AUTHORS)
        message = b"Add files, part %d" % number
        yield b"commit refs/heads/main\ncommitter %s %d +0000\n" % (author, _START_S + number)
        yield b"data %d\n%s\n" % (len(message), message)
        for at, file in enumerate(batch):
            yield _change(file, is_half=at % _GROWS == 0)
        for file in late:
            yield _change(file, is_half=False)


def _change(file: File, *, is_half: bool) -> bytes:
    path, text = file
    if is_half:
        lines = text.splitlines(keepends=True)
        text = b"".join(lines[: len(lines) // 2])
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(text), text)


def git(folder: Path, *arguments: str) -> None:
    """Run git, with an author of its own."""
    subprocess.run(
        ("git", *_AUTHOR, *arguments),  # noqa: S607
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )


class Edits:
    """Edits of single files, each of another one; `name` decides which."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = re.sub(r"\W", "_", name)
        self._paths = sorted(folder.rglob("*.py"))
        random.Random(name).shuffle(self._paths)  # noqa: S311 - not for secrets

    def edit(self) -> Path:
        """Add a function to a file, and return its path."""
        path = self._paths.pop()
        added = f"\n\ndef {self._name}_{len(self._paths)}(value):\n    return value + 1\n"
        path.write_bytes(path.read_bytes() + added.encode())
        return path

    def commit(self, count: int) -> None:
        """Commit so many edits, each by itself."""
        for number in range(count):
            git(self._folder, "add", str(self.edit()))
            git(self._folder, "commit", "-q", "-m", f"Edit {number} for {self._name}")
