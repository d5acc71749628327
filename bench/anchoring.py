"""Follow lines through real history, beside what others do: `anchoring.py DATA NAME=GITDIR…`.

Each row of the data is a line in commit `a` and where it is in commit `b`, as two trackers agree.
A placement is right when it names that line; an orphan, when the line is gone.
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path

from anchoring_rivals import RIVALS, Rival
from benchpin.comments.anchoring import Anchor, Placement, TrackedText, make_anchor, sketch_of
from benchpin.comments.anchoring._anchor import Outcome, SketchedText
from benchpin.comments.anchoring._commit_range import CommitRange
from benchpin.comments.anchoring._git_history import read_commits
from benchpin.comments.anchoring._moves import MoveTarget
from benchpin.comments.anchoring._reanchor import reanchor
from benchpin.comments.anchoring._tracked_text import open_text
from benchpin.core.calls import Job
from benchpin.workspace.git import Repository
from benchpin.workspace.git_objects import ObjectReader, open_objects
from results import machine, write_section

Place = tuple[str, int] | None
_AIMS = "| **aim** | ≥ 99.3 | ≥ 97 | ≥ 85 | ≥ 95 | ≤ 0.3 | ≤ 5 |"


@dataclass(frozen=True)
class Row:
    """One line, then and now."""

    repo: str
    a: str
    b: str
    path: str
    qpath: str | None
    line: int
    kind: str
    tpath: str | None
    tline: int | None
    moves: int

    @property
    def truth(self) -> Place:
        """Where the line is; None when it is gone."""
        return None if self.tpath is None or self.tline is None else (self.tpath, self.tline)


@dataclass
class Period:
    """Two commits of a repository; texts are read once, by whoever asks first."""

    repository: Repository
    objects: ObjectReader
    a: str
    b: str
    _now: dict[str, TrackedText | None] = field(default_factory=dict)

    def then(self, path: str) -> TrackedText:
        """Return the text of a file in the first commit."""
        return open_text(path, self.objects.read(f"{self.a}:{path}") or b"")

    def now(self, path: str) -> TrackedText | None:
        """Return the text of a file in the last commit."""
        if path not in self._now:
            text = self.objects.read(f"{self.b}:{path}")
            self._now[path] = None if text is None else open_text(path, text)
        return self._now[path]

    @cached_property
    def commits(self) -> CommitRange:
        """Return the commits between."""
        found = read_commits(self.repository, self.a, self.b, self.objects.read, Job())
        assert found is not None, f"{self.a} is not in {self.repository.git_dir}"
        return found

    @cached_property
    def written_files(self) -> list[MoveTarget]:
        """Return the files that were written since, as one sees them who knows no old texts."""
        return [
            MoveTarget(it.path, partial(self.now, it.path), None)
            for it in self.commits.changed_files
        ]


Method = Callable[[Period, str, Sequence[Row], Sequence[Anchor]], Sequence[Outcome]]


def by_history(
    period: Period, path: str, _rows: Sequence[Row], anchors: Sequence[Anchor]
) -> Sequence[Outcome]:
    """Place anchors with everything that git has."""
    return reanchor(path, anchors, period.then(path), period.now, commits=period.commits)


def by_two_texts(
    period: Period, path: str, _rows: Sequence[Row], anchors: Sequence[Anchor]
) -> Sequence[Outcome]:
    """Place anchors as if the commits between were lost."""
    new_path = path if period.now(path) else period.commits.current_path(path)
    changed = period.commits.changed_files
    return reanchor(new_path, anchors, period.then(path), period.now, elsewhere=changed)


def by_sketch(
    period: Period, path: str, _rows: Sequence[Row], anchors: Sequence[Anchor]
) -> Sequence[Outcome]:
    """Place anchors as where there is no git: by the numbers of the lines, and by written files."""
    then = period.then(path)
    base = SketchedText(then.blob_id, sketch_of(then), anchors)
    return reanchor(path, anchors, base, period.now, elsewhere=period.written_files)


def by_anchor(
    period: Period, path: str, _rows: Sequence[Row], anchors: Sequence[Anchor]
) -> Sequence[Outcome]:
    """Place anchors by nothing but themselves."""
    return reanchor(path, anchors, None, period.now)


def of_rival(rival: Rival) -> Method:
    """Let a rival place lines in the file that git says the old one became."""

    def place(
        period: Period, path: str, rows: Sequence[Row], anchors: Sequence[Anchor]
    ) -> Sequence[Outcome]:
        new_path = rows[0].qpath
        new = None if new_path is None else period.now(new_path)
        lines = [anchor.line for anchor in anchors]
        return rival(new_path or path, period.then(path), new, lines)

    return place


OURS: dict[str, Method] = {
    "benchpin": by_history,
    "benchpin, commits between lost": by_two_texts,
    "benchpin, no git, sketch": by_sketch,
    "benchpin, anchor alone": by_anchor,
}
METHODS = {name: of_rival(rival) for name, rival in RIVALS.items()} | OURS


@dataclass
class Score:
    """What a method said, row by row, and how long it took."""

    answers: list[tuple[Row, Place]] = field(default_factory=list)
    seconds: float = 0.0

    def cells(self, project: str | None) -> str:
        """Return the figures as cells of a table."""
        rows = [it for it in self.answers if project in {None, it[0].repo}]
        returned = [it for it in rows if it[1] is not None]
        false = sum(row.truth != place for row, place in returned)
        return " | ".join(
            [
                _percent(rows),
                _percent(it for it in rows if it[0].kind == "edited"),
                _percent(it for it in rows if it[0].kind != "gone" and it[0].moves),
                _percent(it for it in rows if it[0].kind == "gone"),
                f"{100 * false / max(len(returned), 1):.2f}",
            ]
        )


def _percent(rows: Iterable[tuple[Row, Place]]) -> str:
    right = [row.truth == place for row, place in rows]
    return f"{100 * sum(right) / max(len(right), 1):.1f}"


def read_rows(path: Path) -> list[Row]:
    """Read a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [Row(**{name: row[name] for name in Row.__dataclass_fields__}) for row in found]


def by_file(rows: Iterable[Row]) -> Iterator[tuple[tuple[str, str, str], list[list[Row]]]]:
    """Give the rows of each pair of commits, file by file."""

    def commits(row: Row) -> tuple[str, str, str]:
        return row.repo, row.a, row.b

    def where(row: Row) -> str:
        return row.path

    for key, some in groupby(sorted(rows, key=commits), commits):
        files = groupby(sorted(some, key=where), where)
        yield key, [list(file) for _, file in files]


def measure(rows: Sequence[Row], folders: dict[str, Path]) -> dict[str, Score]:
    """Let every method place every line; each reads what it needs itself."""
    scores = {name: Score() for name in METHODS}
    with ExitStack() as stack:
        repositories = {name: Repository(it, it, it, it) for name, it in folders.items()}
        objects = {
            name: stack.enter_context(open_objects(it, Job())) for name, it in repositories.items()
        }
        for (repo, a, b), files in by_file(rows):
            anchors = [
                [make_anchor(base, row.line) for row in file]
                for file in files
                for base in [Period(repositories[repo], objects[repo], a, b).then(file[0].path)]
            ]
            for name, method in METHODS.items():
                period = Period(repositories[repo], objects[repo], a, b)
                started = time.perf_counter()
                said = [
                    method(period, file[0].path, file, some)
                    for file, some in zip(files, anchors, strict=True)
                ]
                scores[name].seconds += time.perf_counter() - started
                scores[name].answers += [
                    (row, (it.path, it.line) if isinstance(it, Placement) else None)
                    for file, outcomes in zip(files, said, strict=True)
                    for row, it in zip(file, outcomes, strict=True)
                ]
    return scores


def report(rows: Sequence[Row], scores: dict[str, Score]) -> str:
    """Return the tables."""
    head = "all | edited | moved | gone → orphan | false of those returned |"
    counts = {kind: sum(row.kind == kind for row in rows) for kind in ("kept", "edited", "gone")}
    moved = sum(row.kind != "gone" and row.moves > 0 for row in rows)
    lines = [
        (
            f"{len(rows):,} lines ({counts['kept']:,} kept, {counts['edited']:,} edited, "
            f"{counts['gone']:,} gone; {moved:,} moved); {machine()}. Percent; time includes git."
        ),
        "",
        f"| method | {head} ms a comment |",
        "| --- |" + " --- |" * 6,
        *(
            f"| {name} | {it.cells(None)} | {1000 * it.seconds / len(rows):.2f} |"
            for name, it in scores.items()
        ),
        _AIMS,
        "",
        f"| benchpin, by project | {head}",
        "| --- |" + " --- |" * 5,
        *(
            f"| {project} | {scores['benchpin'].cells(project)} |"
            for project in sorted({row.repo for row in rows})
        ),
    ]
    return "\n".join(lines)


def main() -> None:
    """Read the data and the histories, and write what is seen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="JSON lines, gzipped")
    parser.add_argument("histories", nargs="+", metavar="NAME=GITDIR")
    parser.add_argument("--errors", action="store_true", help="print every row that is wrong")
    given = parser.parse_args()
    folders = {
        name: Path(folder).resolve()
        for name, _, folder in (it.partition("=") for it in given.histories)
    }
    rows = [row for row in read_rows(given.data) if row.repo in folders]
    scores = measure(rows, folders)
    if given.errors:
        for row, place in scores["benchpin"].answers:
            if place != row.truth:
                print(row, "but", place)
    write_section("Anchoring", report(rows, scores))


if __name__ == "__main__":
    main()
