"""Prompts for writing, explaining, exporting and fixing comments, each with the data it needs."""

import re
from collections import Counter
from collections.abc import Mapping

from benchpin.comments import PlacedSidecar, fenced
from benchpin.comments.anchoring import TrackedText
from benchpin.core.calls import Bench
from benchpin.core.content import PromptArgument, PromptMessage, RenderedPrompt, Text, prompt
from benchpin.core.errors import InvalidParams
from benchpin.core.text import counted, plain
from benchpin.facts.languages import detect_language

from ._tool_comments import ToolComments

_CATEGORY = "comments"
_MAX_CHARS = 200_000
_MAX_ORPHANS = 100
_FILE = PromptArgument("filePath", "File to review", required=True)
_SOURCE = "{{source}}"
_NUMBER = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")  # more digits are a typo

_FOCUS: Mapping[str, tuple[str, ...]] = {
    "security": (
        "Authentication vulnerabilities",
        "Input validation",
        "Cryptographic issues",
        "Rate limiting",
        "Session management",
    ),
    "performance": (
        "Work repeated in loops",
        "Queries and requests made one at a time",
        "Data copied or kept without need",
        "Blocking calls",
        "Missing caches and limits",
    ),
    "maintainability": (
        "Functions that do too much",
        "Duplicated logic",
        "Unclear names",
        "Missing error handling",
        "Missing tests",
    ),
    "all": ("Correctness", "Security", "Performance", "Error handling", "Maintainability"),
}


@prompt(
    title="Review code",
    category=_CATEGORY,
    arguments=(
        _FILE,
        PromptArgument("focus", "Review focus area", default="all", choices=tuple(_FOCUS)),
    ),
)
def review_code(values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
    """Review code and suggest TODO/FIXME comments for improvements."""
    focus = values["focus"]
    kind = "" if focus == "all" else f"{focus} "
    raw = (
        f"Review this code for {kind}issues and suggest TODO/FIXME comments:\n\n"
        f"{_SOURCE}\n\n"
        "For each issue found:\n"
        "1. Identify the specific line number\n"
        f"2. Explain the {kind}concern\n"
        "3. Suggest a TODO or FIXME comment\n"
        "4. Provide a brief fix recommendation\n\n"
        "Focus on:\n" + "\n".join(f"- {point}" for point in _FOCUS[focus])
    )
    return _rendered(raw, values["filePath"], bench)


@prompt(
    title="Explain complexity",
    category=_CATEGORY,
    arguments=(
        PromptArgument("filePath", "File to analyze", required=True),
        PromptArgument(
            "complexityThreshold", "Cyclomatic complexity threshold", default="10", type="number"
        ),
    ),
)
def explain_complexity(values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
    """Add NOTE comments explaining complex functions/algorithms."""
    threshold = _number(values["complexityThreshold"], "complexityThreshold")
    comments = ToolComments(bench)
    path, _ = comments.source(values["filePath"])
    outline = comments.files.outline(str(path))
    if outline is None:
        measured = "The complexity of this file cannot be measured: there is no grammar for it."
    else:
        over = [it for it in outline.functions if it.cyclomatic > threshold]
        over.sort(key=lambda it: (-it.cyclomatic, it.line))
        listed = "\n".join(
            f"- {it.name}, lines {it.line}-{it.end_line}: "
            f"cyclomatic {it.cyclomatic}, cognitive {it.cognitive}"
            for it in over
        )
        measured = (
            f"Functions over the threshold of {threshold:g}, most complex first:\n{listed}"
            if over
            else f"None of the {len(outline.functions)} functions is over the threshold of "
            f"{threshold:g}."
        )
    raw = (
        "Add NOTE comments that explain the complex functions of this code:\n\n"
        f"{_SOURCE}\n\n"
        f"{measured}\n\n"
        "For each function listed:\n"
        "1. Say in plain words what it does and why it branches as it does\n"
        "2. Name the cases that are easy to get wrong\n"
        "3. Call `add_comment` with its first line, the tag NOTE and that explanation\n"
        "Do not comment on functions that are not listed."
    )
    return _rendered(raw, values["filePath"], bench)


@prompt(
    title="Export training data",
    category=_CATEGORY,
    arguments=(
        PromptArgument(
            "includeContext",
            "Include code context around comments",
            default="true",
            choices=("true", "false"),
            type="boolean",
        ),
    ),
)
def training_export(values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
    """Export workspace comments as AI training data (JSONL format)."""
    stored = ToolComments(bench).all
    tags = Counter(it.tag or "untagged" for it in stored.by_file)
    counts = ", ".join(f"{count} {plain(tag)}" for tag, count in sorted(tags.items()))
    options = '{"includeSourceContext": true, "contextLines": 5}'
    arguments = '"format": "jsonl"' + (
        f', "options": {options}' if values["includeContext"] == "true" else ""
    )
    text = (
        "Export the comments of this workspace as AI training data.\n\n"
        f"The workspace has {counted(len(stored.by_file), 'comment')} in "
        f"{counted(len(stored.files), 'file')}"
        f"{f': {counts}' if counts else ''}.\n\n"
        f"1. Call `export_comments` with {{{arguments}}}\n"
        "2. Check that each line has a prompt, a completion and metadata\n"
        "3. Leave out completions that make no sense without their code, and say how many\n"
        "4. Report how many examples there are by tag and author"
    )
    return RenderedPrompt((PromptMessage(Text(text)),), text)


@prompt(
    title="Fix orphaned comments",
    category=_CATEGORY,
    arguments=(PromptArgument("filePath", "File with orphaned comments (omit for all files)"),),
)
def fix_orphans(values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
    """Analyze orphaned comments and suggest new anchor locations."""
    comments = ToolComments(bench)
    named = values["filePath"]
    paths = [str(comments.commented(named))] if named else comments.all.files
    orphans = [it for placed in comments.place_each(paths) for it in _orphans(placed)]
    scope = plain(named) or "this workspace"
    if not orphans:
        text = f"No comment in {scope} is orphaned: nothing to fix."
        return RenderedPrompt((PromptMessage(Text(text)),), text)
    shown = "\n\n".join(orphans[:_MAX_ORPHANS])
    left = len(orphans) - _MAX_ORPHANS
    more = f"\n\nAnd {left} more: use this prompt again when these are done." if left > 0 else ""
    text = (
        f"{counted(len(orphans), 'orphaned comment')} in {scope}: the line is gone, or cannot be "
        f"distinguished from similar lines.\n\n{shown}{more}\n\n"
        "For each of them:\n"
        "1. Read the suggested places, and search for the code that the comment was about\n"
        "2. If the code still exists, call `move_comment` with its file and line\n"
        "3. If the code is gone and the comment is obsolete, call `delete_comment` or "
        "`resolve_comment`\n"
        "4. If you are not sure, leave the comment and say why"
    )
    return RenderedPrompt((PromptMessage(Text(text)),), text)


def _orphans(placed: PlacedSidecar) -> list[str]:
    """Describe each orphan of a file: its text, its old code and the suggested places."""
    path, found = placed.sidecar.path, []
    for comment in placed.placed.values():
        if not comment.is_orphaned:
            continue
        marker = placed.sidecar.marker_of.get(comment.id)
        anchor = None if marker is None else marker.anchor
        was = "" if anchor is None else "\n".join((*anchor.before, anchor.text, *anchor.after))
        line = "" if anchor is None else plain(anchor.text.strip())
        places = "\n".join(
            f"  - {plain(it.file_path)}:{it.line} (score {it.score:.2f}: {it.reason})"
            for it in comment.suggestions
        )
        head = f"{comment.id} ({comment.tag or 'untagged'}), {plain(path)}, was at line "
        lines = [
            f"{head}{comment.line}: {comment.reason}",
            fenced(comment.text),
            f"It was about `{line}` in:\n{fenced(was, detect_language(path, bytes) or '')}"
            if was
            else "",
            f"Suggested places:\n{places}" if places else "No place to suggest.",
        ]
        found.append("\n".join(line for line in lines if line))
    return found


def _rendered(raw: str, file_path: str, bench: Bench) -> RenderedPrompt:
    """Put the source of a file into a prompt."""
    path, source = ToolComments(bench).source(file_path)
    language = detect_language(str(path), lambda: source.text) or ""
    text = raw.replace(_SOURCE, _quoted(source, language), 1)
    return RenderedPrompt((PromptMessage(Text(text)),), raw)


def _quoted(source: TrackedText, language: str) -> str:
    code = "\n".join(source.lines)
    if len(code) <= _MAX_CHARS:
        return fenced(code, language)
    cut = code[:_MAX_CHARS].rpartition("\n")[0]
    shown = cut.count("\n") + 1
    note = f"(lines 1 to {shown} of {len(source.lines)}; read the others with `read_file`)"
    return f"{fenced(cut, language)}\n{note}"


def _number(text: str, name: str) -> float:
    if _NUMBER.fullmatch(text) is None:
        raise InvalidParams(
            f"{name} is {text[:50]!r}, not a number", suggestion="Give a number, such as 10."
        )
    return float(text)
