"""Years of public histories, gathered once and kept: what files were like, and what happened."""

import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.clones import find_duplicates
from benchpin.measures.graph import build_graph
from benchpin.measures.history import History, read_history
from benchpin.project import COPIES, coupling_of, duplicated_shares
from benchpin.project.defects import (
    LOOKBACK,
    PastTree,
    Surroundings,
    newest_moment,
    tree_at,
)
from benchpin.project.defects._features import (
    YEAR,
    FeatureRow,
    activity_before,
    fixed_files,
    has_prediction,
    rows_of,
)
from benchpin.workspace.git import Repository, find_repository

YEARS = 3
MIN_FIXED_FILES = 10


@dataclass(frozen=True, slots=True)
class Period:
    """A year."""

    since: datetime
    until: datetime
    rows: Sequence[FeatureRow]
    """The files as they were at the beginning."""
    outcomes: Sequence[bool]
    """Whether a bug fix touched each of them."""
    base: float
    """The log-odds of that in the half-year before."""

    @property
    def fixed(self) -> int:
        """How many files a bug fix touched."""
        return sum(self.outcomes)

    @property
    def is_enough(self) -> bool:
        """Whether it has enough of both kinds of files to compare."""
        return MIN_FIXED_FILES <= self.fixed <= len(self.rows) - MIN_FIXED_FILES


Histories = Mapping[str, Sequence[Period]]


def gather(repository: Path, kept: Path, cache: Path) -> list[Period]:
    """Return the last years of a history, the newest first."""
    place = kept / f"{repository.name}.json"
    if place.exists():
        return msgspec.json.decode(place.read_bytes(), type=list[Period])
    job, root = Job(), repository.resolve()
    found = find_repository(root, root)
    now = newest_moment(found, job)
    moments = [now - YEAR * back for back in range(1, YEARS + 1)]
    every = {it: tree_at(found, None, it, lambda _path: True, job) for it in moments}
    trees = {moment: tree for moment, tree in every.items() if tree is not None}
    since = now - YEAR * YEARS - LOOKBACK
    history = read_history(root, root, job, since=since, moments=list(trees))
    gathered = [_year(found, moment, tree, history, cache) for moment, tree in trees.items()]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(msgspec.json.encode(gathered))
    return gathered


def _year(
    repository: Repository, moment: datetime, tree: PastTree, history: History, cache: Path
) -> Period:
    job = Job()
    with TemporaryDirectory() as made:
        root = Path(made).resolve()
        _check_out(repository, tree.commit, root)

        def read(path: str) -> bytes | None:
            place = root / path
            return place.read_bytes() if place.is_file() else None

        with closing(SourceIndex(root, cache / "source")) as index:
            files = index.read(SourceQuery(sections=("outline", "links", "tokens")), job).files
        written = [file for file in files if not file.outline.is_generated]
        copies = find_duplicates(written, COPIES, job)
        imports = build_graph(written, read, "import-graph", job)
        around = Surroundings(duplicated_shares(copies, written), coupling_of(imports))
    moved = history.moved[moment]
    past = activity_before(history, moment, tree.blobs, moved)
    rows = rows_of(filter(has_prediction, files), around, past, moved)
    fixed = fixed_files(history.commits, moment, moment + YEAR)
    outcomes = [moved.get(row.path, row.path) in fixed for row in rows]
    return Period(moment, moment + YEAR, rows, outcomes, past.base_rate)


def _check_out(repository: Repository, commit: str, folder: Path) -> None:
    """Write the files of a commit into an empty folder."""
    command = ("git", "-C", str(repository.root), "archive", "--format=tar", commit)
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as archive,
        tarfile.open(fileobj=archive.stdout, mode="r|") as packed,
    ):
        packed.extractall(folder, filter="data")
    if archive.returncode:
        raise SystemExit(f"git archive {commit} failed")
