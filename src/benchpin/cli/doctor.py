"""`benchpin doctor`: check the machine and the configuration."""

import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import click

from benchpin._version import __version__
from benchpin.app import sources
from benchpin.core.errors import BenchpinError
from benchpin.facts import languages
from benchpin.facts.parsing import is_interpreted, load_grammar
from benchpin.run.sandbox import UNCONFINED, detect_sandbox
from benchpin.system.processes import find_program, folder_size
from benchpin.toolsets import added_toolsets, toolset_problems
from benchpin.workspace.files import require_openat

from .flags import FlaggedCommand, Flags
from .output import ERROR, print_json
from .stored_files import old_caches, stored_files

_PYTHON = (3, 11)
_PACKAGE = re.compile(r"[\w.-]++")
_FOR_DEVELOPERS = frozenset({"all", "bench", "dev", "dist", "docs", "fuzz"})


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
            click.echo(f"{shown} {finding.subject}: {finding.detail}", color=True)
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
        load_grammar(language)
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
    others = f"; {old} of other versions, {size:,} bytes, go by themselves" if old else ""
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
