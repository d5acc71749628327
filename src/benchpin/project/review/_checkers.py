"""Checkers: which a change silences, steps of CI that are gone, and what ruff says."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from benchpin.code.changes import ChangedFile
from benchpin.facts.code import navigation_of
from benchpin.present import Level
from benchpin.run.checkers import CHECKERS, CheckerMessage, new_messages
from benchpin.system.processes import search_path
from benchpin.workspace.diffs import changed_hunks

from ._state import ReviewFinding, ReviewState, finding_at

_MAX_FILES = 200
_TIMEOUT_S = 10
# Mistakes, whatever the project asks for: code that does not parse, names that are not defined.
_ALWAYS = ("--isolated", "--select", "E9,F")
_SETTINGS = ("ruff.toml", ".ruff.toml", "pyproject.toml")


def check_by_readers(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name what ruff says of the changed files that it did not say before."""
    ruff = next((it for it in CHECKERS if it.name == "ruff" and state.asks_checkers), None)
    changed = [
        (it.delta.path, it.delta.before, it.delta.after)
        for it in state.files
        if ruff is not None and it.delta.after is not None and it.delta.path.endswith(ruff.endings)
    ]
    program = _program() if changed else None
    if ruff is None or program is None:
        return
    sides = []
    for is_after in (False, True):
        texts = {path: new if is_after else old for path, old, new in changed[:_MAX_FILES]}
        found = _run(state, program, {path: text for path, text in texts.items() if text})
        if found is None:
            state.job.leave_out("what ruff says")
            return
        read = ruff.read(found, "")
        sides.append([CheckerMessage("ruff", *it) for it in read])
    state.checked["ruff"] += len(changed)
    for one in new_messages(*sides):
        text = f"ruff {one.code}: {one.message}"
        level: Level = "error" if one.is_error else "warning"
        yield finding_at("checker", one.file, one.line, text, level=level)


def _program() -> str | None:
    """Return ruff, if it is installed beside Benchpin."""
    place = Path(sys.executable).parent / "ruff"
    return str(place) if place.is_file() else None


def _run(state: ReviewState, program: str, texts: dict[str, bytes]) -> str | None:
    """Return what ruff prints about some files, in a folder of ours; None if it did not run."""
    if not texts:
        return "[]"
    with tempfile.TemporaryDirectory(prefix="benchpin-") as folder:
        root = Path(folder).resolve()
        for path, text in texts.items():
            place = root / PurePosixPath(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
        command = [program, "check", "--output-format", "json", "--no-cache", "--exit-zero"]
        try:
            done = subprocess.run(  # noqa: S603 - our own program, and paths that we made
                [*command, "--quiet", *_settings(state, root), "."],
                cwd=root,
                env={"PATH": search_path(root)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        said = done.stdout.decode(errors="replace")
        return said.replace(f"{root}/", "") if not done.returncode else None


def _settings(state: ReviewState, root: Path) -> Sequence[str]:
    """Return the options that give ruff the settings of the project, which are copied for it."""
    for name in _SETTINGS:
        content = state.selection.read_manifest(name) or b""
        is_own = name != "pyproject.toml" or b"[tool.ruff" in content
        # What is read from elsewhere may be outside of the workspace.
        if content and is_own and b"extend =" not in content:
            (root / name).write_bytes(content)
            return ()
    return _ALWAYS


_CI = re.compile(
    r"(^|/)(\.github/workflows/[^/]+|\.gitlab-ci|\.circleci/config|azure-pipelines|"
    r"bitbucket-pipelines|\.travis|appveyor)\.ya?ml$"
)


def check_silenced(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new comments and attributes that silence a checker, and steps of CI that are gone."""
    for file in state.files:
        if _CI.search(file.delta.path):
            yield from _lost_steps(file)
        silencers = () if file.after is None else navigation_of(file.after.language).silencers
        if not silencers or file.delta.after is None:
            continue
        lines = file.delta.after.decode(errors="replace").split("\n")
        before = (file.delta.before or b"").decode(errors="replace")
        new = state.new_lines(file)
        for silencer in silencers:
            # What a change only moves was there before.
            left = "\n".join(lines).count(silencer) - before.count(silencer)
            for line in sorted(new) if left > 0 else ():
                text = lines[line - 1] if line <= len(lines) else ""
                if left > 0 and silencer in text and not _is_quoted(text, silencer):
                    left -= 1
                    said = text[text.index(silencer) :].strip()
                    message = f"A checker is silenced here: {said[:80]}"
                    yield finding_at("silenced-check", file.delta.path, line, message, level="note")


# Commands that prepare a machine, and check nothing.
_PREPARING = frozenset(
    {
        *("sudo", "apt", "apt-get", "brew", "choco", "apk", "dnf", "yum", "echo", "export", "cd"),
        *("mkdir", "cp", "mv", "rm", "curl", "wget", "tar", "unzip"),
    }
)


def _is_quoted(line: str, text: str) -> bool:
    """Whether a text on a line is inside a literal, as in the tests of a checker."""
    head = line[: line.index(text)]
    return any(head.count(it) % 2 for it in '"`')


def _lost_steps(file: ChangedFile) -> Iterator[ReviewFinding]:
    """Name the commands of a workflow that nothing in it runs any more."""
    old = (file.delta.before or b"").decode(errors="replace").split("\n")
    text = (file.delta.after or b"").decode(errors="replace")
    kept = {_subject(it) for it in text.split("\n")}
    for hunk in changed_hunks(file.delta.before or b"", file.delta.after or b""):
        for line in old[hunk.old_start : hunk.old_end]:
            subject = _subject(line)
            if subject and subject not in kept and subject[0] not in _PREPARING:
                message = f"No step runs `{_command(line)}` any more"
                place = min(hunk.new_start + 1, text.count("\n") or 1)
                path = file.delta.path
                yield finding_at("silenced-check", path, place, message, level="warning")


def _command(line: str) -> str:
    """Return the command of a step; empty for another line."""
    # `- run: mypy src`, `run: make`, and the entries of a script: `- cargo test`. Not `- uses: x`.
    text = line.strip()
    entry = text.removeprefix("- ").lstrip()
    command = entry.removeprefix("run: ")
    is_step = command != entry or (entry != text and ":" not in entry.partition(" ")[0])
    return command.strip(" '\"|") if is_step else ""


def _subject(line: str) -> tuple[str, ...]:
    """Return the program of a step and its first argument that is no option."""
    words = [it for it in _command(line).split() if not it.startswith("-")]
    return tuple(words[:2]) if len(words) > 1 else ()
