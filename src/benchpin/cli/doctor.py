"""`benchpin doctor`: check the machine, the configuration and the files that Benchpin wrote."""

import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path, PurePosixPath

import click

from benchpin._version import __version__
from benchpin.app import Workbench, sources
from benchpin.comments import MAX_BYTES, NEWER, SUFFIX, parse
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts import languages
from benchpin.facts.parsing import extract, is_interpreted
from benchpin.facts.store import engine_version
from benchpin.performance.snapshots import SnapshotStore
from benchpin.run.sandbox import UNCONFINED, detect_sandbox
from benchpin.system.processes import find_program, folder_size
from benchpin.templates.projects import FORMATS, MAX_RECORD_BYTES, PROVENANCE_PATH, read_record
from benchpin.toolsets import added_toolsets, toolset_problems
from benchpin.workspace.files import opened, require_openat
from benchpin.workspace.git import ATTRIBUTES
from benchpin.workspace.walking import WalkOptions, walk

from .flags import FlaggedCommand, Flags
from .output import ERROR, echo_folded, print_json

# The search for files of comments ends after this time, also in the middle of a large workspace.
_TIME_S = 2.0
_MAX_NAMED = 3
_UPDATE = "update Benchpin: pip install -U benchpin"
_PYTHON = (3, 11)
_MERGE = f"*{SUFFIX} merge=union"
_PATTERNS = frozenset({b"*", f"*{SUFFIX}".encode(), f"**/*{SUFFIX}".encode()})
_PACKAGE = re.compile(r"[\w.-]++")
_FOR_DEVELOPERS = frozenset({"all", "bench", "dev", "dist", "docs", "fuzz"})


def stored_files(workbench: Workbench) -> Iterator[tuple[str, str]]:
    """Yield a subject and what is wrong with it, each with the command that corrects it."""
    root = workbench.bench.workspace.root
    yield from _scaffold(root)
    yield from _comments(root)
    yield from _snapshots(workbench)


def old_caches(folder: Path) -> tuple[int, int]:
    """Return how many databases of facts are of other versions, and their bytes."""
    present = f"-{engine_version()}.sqlite"
    found = (folder / "source").glob("facts-*.sqlite")
    sizes = [it.stat().st_size for it in found if not it.name.endswith(present)]
    return len(sizes), sum(sizes)


def _scaffold(root: Path) -> Iterator[tuple[str, str]]:
    content = _content(root, PROVENANCE_PATH, MAX_RECORD_BYTES)
    if content is None:
        return
    record = read_record(content)
    if isinstance(record, str):
        yield "templates", f"{PROVENANCE_PATH} cannot be used: {record}"
    elif record.format < FORMATS[-1]:
        age = f"is of an older Benchpin (format {record.format})"
        yield "templates", f"{PROVENANCE_PATH} {age}; benchpin template update rewrites it"


def _comments(root: Path) -> Iterator[tuple[str, str]]:
    job = Job(time_limit_s=_TIME_S)
    options = WalkOptions(include_patterns=(f"*{SUFFIX}",), include_ignored=True)
    try:
        files = walk(root, ".", options, job).files
    except BenchpinError:
        return
    newer: list[str] = []
    broken: list[str] = []
    for file in job.each(files, "files of comments"):
        problem = parse(_content(root, file.path, MAX_BYTES) or b"{}").problem
        if problem:
            (newer if problem.startswith(NEWER) else broken).append(file.path)
    if files and _merges_with_conflicts(root):
        yield "comments", f".gitattributes lacks a line, so git reports conflicts; add {_MERGE!r}"
    if newer:
        yield "comments", f"{_named(newer)} written by a newer Benchpin; {_UPDATE}"
    if broken:
        yield "comments", f"{_named(broken)} damaged; restore from git"


def _merges_with_conflicts(root: Path) -> bool:
    """Whether git would not keep the comments of both sides when it merges."""
    home = next((it for it in (root, *root.parents) if os.path.lexists(it / ".git")), None)
    if home is None:
        return False
    folders = [home, *(it for it in root.parents if it.is_relative_to(home)), root]
    contents = [_content(it, ATTRIBUTES.decode(), MAX_BYTES) or b"" for it in set(folders)]
    contents.append(_content(home, ".git/info/attributes", MAX_BYTES) or b"")
    lines = (line.split() for content in contents for line in content.splitlines())
    return not any(it and it[0] in _PATTERNS and b"merge=union" in it[1:] for it in lines)


def _snapshots(workbench: Workbench) -> Iterator[tuple[str, str]]:
    try:
        damaged = SnapshotStore(workbench.bench.data_folder).runs().damaged
    except BenchpinError as error:
        yield "snapshots", f"{error.message}. {error.suggestion}"
        return
    if damaged:
        yield "snapshots", f"{_named(damaged)} cannot be read; ingest the artefacts again"


def _content(root: Path, path: str, most_bytes: int) -> bytes | None:
    """Return the content of a file; None if there is none that can be read."""
    try:
        with opened(root, PurePosixPath(path), most_bytes) as file:
            return file.read(most_bytes)
    except BenchpinError:
        return None


def _named(names: "list[str] | tuple[str, ...]") -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more + (" is" if len(names) == 1 else " are")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The outcome of one check."""

    subject: str
    is_well: bool
    detail: str
    is_fatal: bool = False


@click.command(cls=FlaggedCommand)
@click.pass_obj
def doctor(flags: Flags, /) -> None:
    """Check this machine, the configuration, and the files that Benchpin has written.

    Example: benchpin doctor --root ~/code/project
    """
    root = _root(flags)
    findings = [
        _python(),
        *_system(),
        Diagnosis("benchpin", True, f"{__version__} with mcp {version('mcp')}"),
        _git(root),
        _sandbox(root),
        _grammars(),
        _parsing(),
        _extras(),
        *_toolsets(),
        *_configuration(flags),
    ]
    if flags.is_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            mark = "ok  " if finding.is_well else "note"
            color = "green" if finding.is_well else "red" if finding.is_fatal else "yellow"
            shown = click.style(mark, fg=color) if flags.has_color(sys.stdout) else mark
            echo_folded(f"{shown} {finding.subject}: {finding.detail}")
    if any(finding.is_fatal for finding in findings):
        sys.exit(ERROR)


def _root(flags: Flags) -> Path:
    """Return the workspace; if that cannot be found, the configuration is reported as wrong."""
    try:
        return Path(str(flags.given.get("root") or ".")).expanduser().resolve()
    except OSError:  # the current folder was removed
        return Path("/")


def _configuration(flags: Flags) -> list[Diagnosis]:
    try:
        workbench = flags.workbench()
    except BenchpinError as error:
        detail = f"{error.message}. {error.suggestion}"
        return [Diagnosis("configuration", False, detail, is_fatal=True)]
    configuration = workbench.configuration
    root = configuration.settings.root.resolve()
    return [
        *(Diagnosis(subject, False, detail) for subject, detail in stored_files(workbench)),
        _cache(configuration.settings.cache_dir),
        Diagnosis("workspace", True, str(root)),
        *(Diagnosis("configuration", True, f"read {place}") for place in sources(root)),
        *(Diagnosis("configuration", False, note) for note in configuration.notes),
        *(_unconfined() if configuration.settings.unconfined else ()),
    ]


def _python() -> Diagnosis:
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Diagnosis("python", sys.version_info >= _PYTHON, detail)


def _system() -> list[Diagnosis]:
    """Name what does not work on this operating system; nothing on Linux."""
    try:
        require_openat()
    except BenchpinError as error:
        return [Diagnosis("system", False, f"{error.message}. {error.suggestion}")]
    if sys.platform != "linux":
        detail = "programs run without a sandbox, and only with --unconfined; see docs/platforms.md"
        return [Diagnosis("system", False, detail)]
    return []


def _git(root: Path) -> Diagnosis:
    git = find_program("git", root)
    if git is None:
        detail = "not installed; analyses of history are not available until you install it"
        return Diagnosis("git", False, detail)
    shown = subprocess.run(  # noqa: S603 - a fixed command, no input
        (git, "--version"), capture_output=True, text=True, check=False, timeout=10
    )
    return Diagnosis("git", shown.returncode == 0, shown.stdout.strip() or shown.stderr.strip())


def _sandbox(root: Path) -> Diagnosis:
    sandbox = detect_sandbox(root)
    detail = f"{sandbox.name}: {sandbox.detail}"
    if sandbox.name == UNCONFINED:
        disabled = "tools that run programs are disabled unless you start with --unconfined"
        detail += f"; {disabled}. {sandbox.remedy}."
    return Diagnosis("sandbox", sandbox.name != UNCONFINED, detail)


def _unconfined() -> list[Diagnosis]:
    detail = "unconfined is set: programs run without a sandbox"
    return [Diagnosis("configuration", False, detail)]


def _grammars() -> Diagnosis:
    broken = [name for name in languages.NAMES if not _loads(name)]
    if broken:
        names = ", ".join(broken)
        detail = f"{names} cannot be loaded; install the grammars again: pip install -U benchpin"
        return Diagnosis("grammars", False, detail)
    return Diagnosis(
        "grammars", True, f"{', '.join(languages.NAMES)}; tree-sitter {version('tree-sitter')}"
    )


def _parsing() -> Diagnosis:
    detail = "compiled"
    if is_interpreted():
        detail = (
            "interpreted, which is slower; wheels for one version of Python are compiled, "
            "and in a checkout `make setup` compiles it"
        )
    return Diagnosis("parsing", True, detail)


def _loads(language: str) -> bool:
    try:
        extract(b"", language)
    except (ImportError, OSError, ValueError):
        return False
    return True


def _cache(folder: Path) -> Diagnosis:
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        return Diagnosis("cache", False, f"{folder} cannot be written: {error.strerror}")
    old, size = old_caches(folder)
    others = f"; {old} from other versions, {size:,} bytes, removed automatically" if old else ""
    return Diagnosis("cache", True, f"{folder}, {folder_size(folder):,} bytes{others}")


def _extras() -> Diagnosis:
    """Name the optional parts that are not installed, and how to install them."""
    try:
        wanted = [it.partition("extra ==") for it in requires("benchpin") or ()]
    except PackageNotFoundError:
        return Diagnosis("extras", True, "not known: Benchpin runs from a folder")
    missing = {extra.strip(" '\"") for package, _, extra in wanted if extra and _lacks(package)}
    missing -= _FOR_DEVELOPERS
    if not missing:
        return Diagnosis("extras", True, "all installed")
    names = ",".join(sorted(missing))
    detail = f"{names} not installed; if you need them: pip install 'benchpin[{names}]'"
    return Diagnosis("extras", True, detail)


def _toolsets() -> list[Diagnosis]:
    """Name the toolsets of other distributions, and those that cannot be loaded."""
    added = (f"{it.name} of {it.distribution}" for it in added_toolsets())
    return [
        *(Diagnosis("toolset", True, it) for it in added),
        *(
            Diagnosis("toolset", False, f"{it.message}. {it.suggestion}")
            for it in toolset_problems()
        ),
    ]


def _lacks(requirement: str) -> bool:
    name = _PACKAGE.match(requirement)
    try:
        version(name[0] if name else requirement)
    except PackageNotFoundError:
        return True
    return False
