"""The trees that the oracle asks about: a part of this repository, and pinned public packages.

Each is a git repository with fixed people and dates, so that its commits have the same ids
everywhere. The packages are downloaded when they are first needed, and nothing of them is kept in
this repository.
"""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

PINNED = "83395db094b0c6b94acbd15123700e2173174b7e"
PARTS = (
    *("src/benchpin/core", "src/benchpin/engines/metrics", "src/benchpin/toolsets/analysis"),
    *("tests/engines/metrics", "docs", "README.md", "CHANGELOG.md", "pyproject.toml", "Makefile"),
)
START_S = 1_780_000_000  # May 2026: within the two years before the day that servers believe in
DAY_S = 86_400
PEOPLE = ("ada", "bob", "cyd")
CODE = (".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".kt", ".c", ".h", ".swift")


@dataclass(frozen=True)
class Subjects:
    """What calls that need a name ask for."""

    file: str
    symbols: tuple[str, ...]
    search: str
    pattern: str


@dataclass(frozen=True)
class PinnedTree:
    """A tree, where it is from, and what to ask about it."""

    name: str
    origin: str
    package: str
    version: str
    subjects: Subjects
    left_out: tuple[str, ...] = field(default=())

    def prepare(self, cache: Path) -> Path:
        """Return the tree as a repository in a folder that is kept; make it if it is not there."""
        place = cache / f"{self.name}-{self.version[:12]}"
        if not place.is_dir():
            cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache) as folder:
                root = _FETCHERS[self.origin](self, Path(folder))
                for name in self.left_out:
                    shutil.rmtree(root / name)
                if self.origin != "self":
                    _give_history(root)
                _settle(root)
                root.replace(place)
        return place


def _run(command: tuple[str, ...], folder: Path, **variables: str) -> bytes:
    made = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, check=True
    )
    return made.stdout


def _git(root: Path, *arguments: str, day: int = 0) -> bytes:
    who, when = PEOPLE[day % len(PEOPLE)], f"{START_S + day * DAY_S} +0000"
    given = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        given[f"GIT_{role}_NAME"], given[f"GIT_{role}_EMAIL"] = who, f"{who}@example.org"
        given[f"GIT_{role}_DATE"] = when
    return _run(("git", *arguments), root, **given)


def _unpacked(folder: Path) -> Path:
    """Unpack the only archive of a folder, and return the only folder in it."""
    (archive,) = (it for it in folder.iterdir() if it.name.endswith((".tar.gz", ".tgz")))
    inside = folder / "unpacked"
    with tarfile.open(archive) as packed:
        packed.extractall(inside, filter="data")
    (root,) = inside.iterdir()
    return root


def _from_pypi(tree: PinnedTree, folder: Path) -> Path:
    what = f"{tree.package}=={tree.version}"
    _run(("pip", "download", "-q", "--no-deps", "--no-binary", tree.package, what), folder)
    return _unpacked(folder)


def _from_npm(tree: PinnedTree, folder: Path) -> Path:
    _run(("npm", "pack", "--silent", f"{tree.package}@{tree.version}"), folder)
    return _unpacked(folder)


def _from_go(tree: PinnedTree, folder: Path) -> Path:
    modules = folder / "modules"
    what = f"{tree.package}@v{tree.version}"
    told = _run(
        ("go", "mod", "download", "-modcacherw", "-json", what), folder, GOPATH=str(modules)
    )
    return Path(json.loads(told)["Dir"])


def _from_here(tree: PinnedTree, folder: Path) -> Path:
    """Take the pinned commit with the history of some folders; all of it would take too long."""
    here, root = Path(__file__).parent.parent, folder / "part"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    exported = folder / "exported"
    # Twice: fast-export drops the first one, and takes folders that are gone by now for commits.
    divided = ("--", "--")
    told = _run(("git", "fast-export", "--reencode=yes", tree.version, *divided, *PARTS), here)
    # The stream names the commit by its id, which is no name that a branch can have.
    exported.write_bytes(
        told.replace(b"commit " + tree.version.encode(), b"commit refs/heads/main")
    )
    with exported.open("rb") as stream:
        subprocess.run(
            ("git", "fast-import", "--quiet"),  # noqa: S607 - git is on the path
            cwd=root,
            stdin=stream,
            check=True,
        )
    _git(root, "reset", "-q", "--hard")
    return root


_FETCHERS: dict[str, Callable[[PinnedTree, Path], Path]] = {
    "pypi": _from_pypi,
    "npm": _from_npm,
    "go": _from_go,
    "self": _from_here,
}


def _files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and ".git" not in path.relative_to(root).parts:
            yield path


def _give_history(root: Path) -> None:
    """Commit the tree in three steps: without some files, with shorter ones, whole."""
    whole = {path: path.read_bytes() for path in _files(root)}
    for path in whole:
        path.chmod(0o644)
    _git(root, "init", "-q", "-b", "main")
    code = [path for path in whole if path.suffix in CODE]
    for at, path in enumerate(code):
        lines = whole[path].splitlines(keepends=True)
        if at % 7 == 1:
            path.unlink()
        elif at % 3 == 0:
            path.write_bytes(b"".join(lines[: len(lines) * 2 // 3]))
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "-m", "Begin", day=0)
    for at, path in enumerate(code):
        lines = whole[path].splitlines(keepends=True)
        path.write_bytes(whole[path] if at % 2 else b"".join(lines[: len(lines) * 5 // 6]))
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "-m", "Add what was missing\n\nFixes a crash.", day=40)
    for path in code:
        path.write_bytes(whole[path])
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "-m", "Fix the rest", day=160)


def _settle(root: Path) -> None:
    """Give every file and folder the same time, which listings show."""
    for path in root.rglob("*"):
        if ".git" not in path.relative_to(root).parts:
            os.utime(path, (START_S, START_S), follow_symlinks=False)


def export_fixtures(cache: Path) -> Path:
    """Return the artefacts of the performance tools as they are in the pinned commit."""
    place = cache / f"performance-{PINNED[:12]}"
    if not place.is_dir():
        here, what = Path(__file__).parent.parent, "tests/fixtures/performance"
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            packed = Path(folder) / "packed.tar.gz"
            _run(("git", "archive", "-o", str(packed), f"{PINNED}:{what}"), here)
            with tarfile.open(packed) as archive:
                archive.extractall(Path(folder) / "made", filter="data")
            _settle(Path(folder) / "made")
            (Path(folder) / "made").replace(place)
    return place


def leave_uncommitted(root: Path, subjects: Subjects) -> None:
    """Change the work tree in the way of work in progress: copy, cut, stage and add."""
    first = root / subjects.file
    lines = first.read_bytes().splitlines(keepends=True)
    copied = first.with_name(f"copied_{first.name}")
    copied.write_bytes(b"".join(lines))
    third = len(lines) // 3
    first.write_bytes(b"".join((*lines[:third], *lines[third + 4 :], *lines[third : third + 40])))
    others = [it for it in _files(root) if it.suffix in CODE and it not in {first, copied}]
    staged = others[len(others) // 2]
    staged.write_bytes(staged.read_bytes() * 2)
    _git(root, "add", str(staged))
    others[-1].unlink()
    _settle(root)


TREES: tuple[PinnedTree, ...] = (
    PinnedTree(
        "benchpin",
        "self",
        "benchpin",
        PINNED,
        Subjects(
            "src/benchpin/engines/metrics/complexity.py",
            (
                "Report",
                "src/benchpin/core/report.py::Report",
                "src/benchpin/engines/metrics/churn.py:60",
            ),
            r"def \w*clone",
            "raise $ERROR($$$ARGS)",
        ),
    ),
    PinnedTree(
        "flask",
        "pypi",
        "flask",
        "3.0.3",
        Subjects(
            "src/flask/app.py",
            ("url_for", "src/flask/helpers.py::url_for", "src/flask/helpers.py:50"),
            r"TODO|FIXME|deprecat",
            "if $X is None: $$$BODY",
        ),
    ),
    PinnedTree(
        "express",
        "npm",
        "express",
        "4.19.2",
        Subjects(
            "lib/router/index.js",
            ("createApplication", "handle", "lib/response.js:120"),
            r"deprecate\(",
            "if ($X) return $Y",
        ),
    ),
    PinnedTree(
        "rpds",
        "pypi",
        "rpds-py",
        "0.18.0",
        Subjects(
            "src/lib.rs",
            ("insert", "src/lib.rs::HashTrieMapPy", "src/lib.rs:200"),
            r"fn \w+",
            "$X.clone()",
        ),
    ),
    PinnedTree(
        "cobra",
        "go",
        "github.com/spf13/cobra",
        "1.8.0",
        Subjects(
            "command.go",
            ("Command.Execute", "command.go::Command.AddCommand", "args.go:30"),
            r"func \w+",
            "if err != nil { $$$BODY }",
        ),
    ),
    PinnedTree(
        "async-storage",
        "npm",
        "@react-native-async-storage/async-storage",
        "1.23.1",
        Subjects(
            "src/AsyncStorage.native.ts",
            ("multiGet", "AsyncStorageModule", "src/AsyncStorage.ts::multiGet"),
            r"getItem",
            "$A.$B($$$C)",
        ),
        left_out=("lib",),
    ),
)
