"""What workflows, container files and Compose files run and use: scripts, actions, images.

They are read line by line, without a parser of YAML: only some keys matter, what they have is on
their line or indented below it, and a file with an error still says what its other lines run.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal

from benchpin.core.results import Item
from benchpin.facts.imports import ReadFile, folder_of, join, within

AutomationKind = Literal["runs", "builds", "copies", "action", "image"]

_WORKFLOWS = ".github/workflows"
_YAML = re.compile(r".*\.ya?ml")
_OTHERS = re.compile(r"(?:\.gitlab-ci|action|(?:docker-)?compose(?:\.[\w-]{1,40})?)\.ya?ml")
_CONTAINER = re.compile(r"(?:Dockerfile|Containerfile)(?:\.[\w-]++)?|[\w-]++\.(?i:dockerfile)")
# `key: value`, in a list or not.
_KEY = re.compile(r"(?P<indent>[ ]*+(?:-[ ]++)?)(?P<key>[\w-]++)[ ]*+:(?:[ ]++(?P<value>.*+))?$")
_SCRIPTS = frozenset({"run", "script", "before_script", "after_script", "command", "entrypoint"})
_INSTRUCTION = re.compile(r"[ \t]*+(?P<word>[A-Za-z]++)[ \t]++(?P<rest>.*+)$")
_RUNS = frozenset({"RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"})
_COPIES = frozenset({"COPY", "ADD"})
# What the keys of these files say of their values.
_KINDS: dict[str, AutomationKind] = {
    "run": "runs",
    "copy": "copies",
    "uses": "action",
    "image": "image",
    "container": "image",
    "build": "builds",
    "context": "builds",
    "dockerfile": "builds",
}
# Files that a folder stands for.
_INSIDE = {
    "uses": ("action.yml", "action.yaml"),
    "build": ("Dockerfile",),
    "context": ("Dockerfile",),
}
_PYTHON = (".py", "/__main__.py")
_WORD = re.compile(r"[^\s\"'`\[\](){},;|&<>=]++")
_MODULE = re.compile(r"-m[ ]++([A-Za-z_][\w.]*+)")
_EXPRESSION = re.compile(r"\$\{\{[^{}]*+\}\}/?")
_MAX_FILES = 200
_MAX_CHARS = 200_000


class AutomationStep(Item):
    """A line of a workflow, container file or Compose file, and what it runs or uses."""

    file: str
    line: int
    kind: AutomationKind
    target: str
    """A path of the workspace, an image, or an action."""


def find_automation(read: ReadFile, folders: frozenset[str]) -> list[AutomationStep]:
    """Return what the automation of a workspace runs and uses.

    Workflows are in their folder; container and Compose files are looked for in `folders`, and
    actions where workflows use them. `read` returns files, and for a path with a slash at the end
    the names of the files in that folder.
    """
    read = cache(read)  # many words are looked for in few folders
    steps: dict[AutomationStep, None] = {}
    pending = list(_files(read, folders))
    seen = set(pending)
    while pending and len(seen) < _MAX_FILES:
        path = pending.pop(0)
        for step in _steps(path, read):
            steps[step] = None
            if step.kind == "action" and step.target.startswith(".") and step.target not in seen:
                seen.add(step.target)
                pending.append(step.target)
    return list(steps)


def _files(read: ReadFile, folders: frozenset[str]) -> Iterator[str]:
    yield from (within(_WORKFLOWS, it) for it in _names(read, _WORKFLOWS) if _YAML.fullmatch(it))
    for folder in sorted(folders | {""}):
        for name in _names(read, folder):
            if _CONTAINER.fullmatch(name) or _OTHERS.fullmatch(name):
                yield within(folder, name)


def _steps(path: str, read: ReadFile) -> Iterator[AutomationStep]:
    content = read(path)
    if content is None or len(content) > _MAX_CHARS:
        return
    lines = content.decode(errors="replace").split("\n")
    is_container = _CONTAINER.fullmatch(path.rpartition("/")[2]) is not None
    found = list(_instructions(lines) if is_container else _keys(lines))
    # A script is named from the root, from beside the file, or from where a step says.
    places = [text for _, kind, text in found if kind == "folder"]
    bases = tuple(dict.fromkeys(("", folder_of(path), *places)))
    for line, kind, text in found:
        for target in _targets(kind, text, bases, read):
            yield AutomationStep(file=path, line=line, kind=_KINDS[kind], target=target)


def _names(read: ReadFile, folder: str) -> list[str]:
    return (read(f"{folder}/") or b"").decode(errors="replace").split("\n")


# A line, what it says, and the text of that: (3, "run", "python scripts/check.py").
_Line = tuple[int, str, str]


def _keys(lines: list[str]) -> Iterator[_Line]:
    """Yield what the keys of a workflow or Compose file say, with lines from 1."""
    depth = -1
    """How far the key of a script is indented; -1 outside of one."""
    for number, line in enumerate(lines, start=1):
        text = line.partition(" #")[0].rstrip()
        content = text.lstrip()
        indent = len(text) - len(content)
        if (
            depth >= 0
            and content
            and (indent > depth or (content.startswith("- ") and indent == depth))
        ):
            yield number, "run", content
            continue
        found = _KEY.match(text)
        if content:
            depth = -1
        if found is None:
            continue
        key, value = found["key"], (found["value"] or "").strip().strip("\"'")
        if key == "working-directory":
            yield number, "folder", value.removeprefix("./")
        elif key in _SCRIPTS:
            depth = len(found["indent"])
            yield number, "run", value
        elif key in _KINDS and value:
            yield number, key, value


def _instructions(lines: list[str]) -> Iterator[_Line]:
    """Yield what the instructions of a container file say, with lines from 1."""
    stages = {"scratch"}
    word = ""
    for number, line in enumerate(lines, start=1):
        found = None if word else _INSTRUCTION.match(line)
        rest = line if found is None else found["rest"]
        word = word if found is None else found["word"].upper()
        words = [it for it in rest.rstrip("\\ ").split() if not it.startswith("--")]
        if word == "FROM" and words:
            if words[0] not in stages:
                yield number, "image", words[0]
            stages.update(words[2:3])
        elif word in _COPIES and "--from=" not in rest:
            yield number, "copy", " ".join(words[:-1])
        elif word in _RUNS:
            yield number, "run", rest
        if not rest.rstrip().endswith("\\"):
            word = ""


def _targets(kind: str, text: str, bases: Sequence[str], read: ReadFile) -> Iterator[str]:
    """Yield what a line runs, builds or uses."""
    if kind == "folder":
        return
    if _KINDS[kind] in {"action", "image"} and not text.startswith("."):
        yield text
        return
    words = _WORD.findall(_EXPRESSION.sub("", text))
    modules = [it.replace(".", "/") for it in _MODULE.findall(text)]
    words += [f"{root}{it}{end}" for it in modules for root in ("", "src/") for end in _PYTHON]
    if kind in _INSIDE:
        words = [f"{it.rstrip('/')}/{name}" for it in words for name in _INSIDE[kind]]
    for word in dict.fromkeys(words):
        places = (join(base, word) for base in bases)
        near = (it for it in places if it and _exists(it, read, is_folder_fine=kind == "copy"))
        found = next(near, None)
        if found is not None:
            yield found


def _exists(path: str, read: ReadFile, *, is_folder_fine: bool) -> bool:
    """Whether there is a file, or a folder with files; a program may be called as a folder is."""
    folder, _, name = path.rpartition("/")
    is_file = bool(name) and name in _names(read, folder)
    return is_file or (is_folder_fine and any(_names(read, path)))
