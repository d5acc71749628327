"""The folders and files of a landscape as a bounded tree: the rows of the treemap.

Folders are opened from the largest on until there are enough cells; one that stays closed is one
cell for all of its files. Folders with a single folder inside are joined: `src/main/java`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from benchpin.core.text import counted, utf8
from benchpin.facts import FileFacts
from benchpin.measures.churn import FileChurn
from benchpin.measures.complexity import simplicity, total_cognitive
from benchpin.present.pictures import PictureRow
from benchpin.project import Project
from benchpin.project.defects import DefectPrediction, defects_of

# How far back changes, owners and ages are read.
PERIOD_DAYS = 365


@dataclass(frozen=True, slots=True)
class FileState:
    """One file; None for what was not measured."""

    file: str
    lines: int
    """Of code."""
    functions: int
    complexity: int
    """Cognitive, of all functions."""
    health: float | None
    """How easy its functions are to follow, from 0 to 100; None without functions."""
    commits: int | None
    """In the period."""
    owner: str | None
    """Who made the most commits in the period; None if nobody did."""
    age_days: int | None
    """Since the last change; None if that was before the period."""
    defects: float | None
    """How likely a bug fix touches it within a year."""
    reason: str
    """What makes that likely."""
    coverage: float | None
    """The share that tests run, from 0 to 1."""

    def to_row(self) -> PictureRow:
        """Return it as pictures have it; what is unknown is left out."""
        found: dict[str, str | int | float | None] = {
            "file": self.file,
            "lines": self.lines,
            "functions": self.functions,
            "complexity": self.complexity,
            "health": self.health,
            "commits": self.commits,
            "owner": self.owner,
            "age": self.age_days,
            "defects": self.defects,
            "coverage": self.coverage,
        }
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Landscape:
    """All files, and what could not be measured."""

    files: Sequence[FileState]
    has_history: bool
    has_coverage: bool


def survey(project: Project) -> Landscape:
    """Return what is known about every file that has code.

    Raises:
        Cancelled: when the job was cancelled.
    """
    churn = project.churn(PERIOD_DAYS).value
    changed = None if churn is None else {it.path: it for it in churn.files}
    defects = defects_of(project).value
    likely = {} if defects is None else {it.file: it for it in defects.files}
    covered = project.coverage()
    shares = {} if covered is None else {path: it.share for path, it in covered.by_file.items()}
    return Landscape(
        [
            _state(file, changed, likely, shares.get(file.path))
            for file in project.files
            if file.outline.code_lines
        ],
        has_history=changed is not None,
        has_coverage=covered is not None,
    )


def _state(
    file: FileFacts,
    changed: Mapping[str, FileChurn] | None,
    likely: Mapping[str, DefectPrediction],
    coverage: float | None,
) -> FileState:
    outline, health = file.outline, simplicity([file.outline.functions])
    change = None if changed is None else changed.get(file.path)
    prediction = likely.get(file.path)
    return FileState(
        file=file.path,
        lines=outline.code_lines,
        functions=len(outline.functions),
        complexity=total_cognitive(outline),
        health=None if health is None else round(health),
        commits=None if changed is None else 0 if change is None else change.commit_count,
        owner=None if change is None or not change.authors else utf8(change.authors[0].name),
        age_days=None if change is None else change.days_since_change,
        defects=None if prediction is None else prediction.probability,
        reason="" if prediction is None else prediction.reason,
        coverage=coverage,
    )


# More are too small to see, and make a page slow.
MAX_CELLS = 1_500
ROOT = "."
# No folder takes more than this part of the cells.
_SHARERS = 4
# A folder of which fewer would be shown stays one cell.
_MIN_OPENED_CELLS = 3
# The minimum of all lines: a smaller folder stays one cell, because it has no room for names.
_MIN_SHARE = 0.02


@dataclass(slots=True)
class Folder:
    """A folder with what is inside it."""

    path: str
    name: str
    folders: "dict[str, Folder]" = field(default_factory=dict)
    files: list[FileState] = field(default_factory=list)
    lines: int = 0

    def every_file(self) -> Iterator[FileState]:
        yield from self.files
        for folder in self.folders.values():
            yield from folder.every_file()


def tree_of(files: Sequence[FileState]) -> Folder:
    root = Folder(ROOT, ROOT)
    for file in files:
        folder = root
        folder.lines += file.lines
        path = ""
        for name in file.file.split("/")[:-1]:
            path = f"{path}/{name}" if path else name
            folder = folder.folders.setdefault(name, Folder(path, name))
            folder.lines += file.lines
        folder.files.append(file)
    return root


def tree_rows(files: Sequence[FileState], most: int = MAX_CELLS) -> list[PictureRow]:
    """Return a row for each folder that is opened and for each cell, parents first."""
    if not files:
        return []
    root = _joined(tree_of(files))
    root.name = "all" if root.path == ROOT else root.path
    rows: list[PictureRow] = []
    waiting: list[tuple[int, str, str | None, Folder]] = [(-root.lines, root.path, None, root)]
    cells = 1
    while waiting:
        _, path, parent, folder = heappop(waiting)
        room = min(most // _SHARERS, most - cells)
        is_small = folder.lines < _MIN_SHARE * root.lines or room < _MIN_OPENED_CELLS
        children = _largest(folder, room)
        if parent is not None and is_small:
            rows.append(_merged([*folder.every_file()], path, parent, f"{folder.name}/"))
            continue
        cells += len(children)
        row: PictureRow = {"id": path, "parent": parent, "name": folder.name, "is_open": True}
        rows.append({**row, "total": folder.lines})
        for child in children:
            if isinstance(child, Folder):
                heappush(waiting, (-child.lines, child.path, path, child))
            else:
                rows.append(_cell(child, path))
        if rest := _rest(folder, children):
            rows.append(_merged(rest, f"{path}/…", path, f"{len(rest):,} smaller"))
    return rows


def _largest(folder: Folder, most: int) -> list[Folder | FileState]:
    """Return the folders and files inside a folder that have the most lines."""
    inside: list[Folder | FileState] = [*map(_joined, folder.folders.values()), *folder.files]
    return sorted(inside, key=lambda it: (-it.lines, _path(it)))[:most]


def _path(entry: Folder | FileState) -> str:
    return entry.path if isinstance(entry, Folder) else entry.file


def _rest(folder: Folder, children: Sequence[Folder | FileState]) -> list[FileState]:
    """Return the files of a folder that none of its children has."""
    if len(children) == len(folder.folders) + len(folder.files):
        return []
    shown = {
        file.file
        for it in children
        for file in (it.every_file() if isinstance(it, Folder) else (it,))
    }
    return [it for it in folder.every_file() if it.file not in shown]


def _joined(folder: Folder) -> Folder:
    """Return a folder, joined with the only folder inside it."""
    while len(folder.folders) == 1 and not folder.files:
        [inner] = folder.folders.values()
        name = inner.name if folder.name == ROOT else f"{folder.name}/{inner.name}"
        folder = Folder(inner.path, name, inner.folders, inner.files, inner.lines)
    return folder


def _cell(file: FileState, parent: str) -> PictureRow:
    known = {name: value for name, value in file.to_row().items() if name != "file"}
    return {**known, "id": file.file, "parent": parent, "name": file.file.rpartition("/")[2]}


def _merged(files: Sequence[FileState], path: str, parent: str, name: str) -> PictureRow:
    return {**summed(files), "id": path, "parent": parent, "name": name, "files": len(files)}


def summed(files: Sequence[FileState]) -> Mapping[str, str | int | float]:
    """Return the files of a closed folder as one: totals, and means weighted by lines."""
    lines = sum(it.lines for it in files)
    found: dict[str, str | int | float] = {"lines": lines}
    found["complexity"] = sum(it.complexity for it in files)
    healthy = [(it.health, it.lines) for it in files if it.health is not None]
    if healthy:
        found["health"] = round(_mean(healthy))
    commits = [it.commits for it in files if it.commits is not None]
    if commits:
        found["commits"] = max(commits)
    ages = [it.age_days for it in files if it.age_days is not None]
    if ages:
        found["age"] = min(ages)
    risks = [it.defects for it in files if it.defects is not None]
    if risks:
        found["defects"] = max(risks)
    covered = [(it.coverage, it.lines) for it in files if it.coverage is not None]
    if covered:
        found["coverage"] = round(_mean(covered), 4)
    owners = Counter(it.owner for it in files if it.owner)
    if owners:
        found["owner"] = min(owners, key=lambda it: (-owners[it], it))
    return found


def _mean(weighted: Sequence[tuple[float, int]]) -> float:
    return sum(value * lines for value, lines in weighted) / sum(lines for _, lines in weighted)


def describe_folders(rows: Sequence[PictureRow]) -> str:
    """Say how many files and lines there are, and how many cells represent several."""
    cells = [it for it in rows if not it.get("is_open")]
    merged = [it for it in cells if "files" in it]
    files = len(cells) - len(merged) + sum(int(str(it["files"])) for it in merged)
    lines = sum(int(str(it["lines"])) for it in cells)
    rest = f"; {counted(len(merged), 'folder')} shown as one cell" if merged else ""
    return f"{counted(files, 'file')} with {counted(lines, 'line')} of code{rest}"
