"""Checkers that a change tells to say less, and steps of CI that are gone."""

import re
from collections.abc import Iterator

from benchpin.code.changes import ChangedFile
from benchpin.facts.code import navigation_of
from benchpin.workspace.diffs import changed_hunks

from ._state import Remark, ReviewState, remark_at

_CI = re.compile(
    r"(^|/)(\.github/workflows/[^/]+|\.gitlab-ci|\.circleci/config|azure-pipelines|"
    r"bitbucket-pipelines|\.travis|appveyor)\.ya?ml$"
)


def check_silenced(state: ReviewState) -> Iterator[Remark]:
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
                    yield remark_at("silenced-check", file.delta.path, line, message, level="note")


def _is_quoted(line: str, text: str) -> bool:
    """Whether a text on a line is inside a literal, as in the tests of a checker."""
    head = line[: line.index(text)]
    return any(head.count(it) % 2 for it in '"`')


def _lost_steps(file: ChangedFile) -> Iterator[Remark]:
    """Name the commands of a workflow that nothing in it runs any more."""
    old = (file.delta.before or b"").decode(errors="replace").split("\n")
    text = (file.delta.after or b"").decode(errors="replace")
    kept = {_subject(it) for it in text.split("\n")}
    for hunk in changed_hunks(file.delta.before or b"", file.delta.after or b""):
        for line in old[hunk.old_start : hunk.old_end]:
            subject = _subject(line)
            if subject and subject not in kept:
                message = f"No step runs `{_command(line)}` any more"
                place = min(hunk.new_start + 1, text.count("\n") or 1)
                path = file.delta.path
                yield remark_at("silenced-check", path, place, message, level="warning")


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
