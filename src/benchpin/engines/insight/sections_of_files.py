"""How files change, hang together and age, as sections of a report."""

from collections import Counter
from typing import Literal

from benchpin.core import Item, utf8
from benchpin.engines.metrics.debt_gradient import Severity
from benchpin.engines.metrics.graph import DagType, Graph, UnresolvedImport

from .defects import BANDS, Band
from .findings import Cycle, Findings


class ChangedFile(Item):
    """A file that changed in the period."""

    file: str
    commits: int
    authors: int
    additions: int | None
    deletions: int | None
    churn_score: float


class ChangedTogether(Item):
    """Two files that change together."""

    first: str
    second: str
    shared_commits: int
    degree: float


class ChurnSection(Item):
    """What changed in the period, code or not."""

    period_days: int
    commits: int
    authors: int
    additions: int
    deletions: int
    files: list[ChangedFile]
    total: int
    coupling: list[ChangedTogether]
    coupling_total: int


class NodeDegree(Item):
    """A node that much depends on."""

    name: str
    dependents: int
    depends_on: int


class ImportCycle(Item):
    """Files that import one another, and a shortest way around."""

    size: int
    path: list[str]


class DependencySection(Item):
    """The dependency graph."""

    dag_type: DagType
    nodes: int
    edges: int
    references: dict[str, dict[str, int]]
    """What became of imports, calls or bases, by kind."""
    most_depended_on: list[NodeDegree]
    cycles: list[ImportCycle]
    """Of files that import one another, whatever graph was asked for."""
    total_cycles: int
    unresolved_imports: list[UnresolvedImport]
    unresolved_total: int


class GradientFile(Item):
    """How fast a file gathers debt."""

    file: str
    score: float
    severity: Severity
    estimated_hours: float


class GradientSection(Item):
    """The files that gather debt, the fastest first."""

    by_severity: dict[str, int]
    files: list[GradientFile]
    total: int


class LikelyDefect(Item):
    """A file and how likely it is to need a bug fix within a year."""

    file: str
    probability: float
    band: Band
    confidence: float


class DefectSection(Item):
    """The files, the likeliest to need a bug fix first."""

    model: Literal["own", "shipped"]
    """Fitted on the bug fixes of this repository, or of public ones."""
    auc: float | None
    """How the model did in the last year, which it did not see; None where there was none."""
    brier: float | None
    bands: dict[Band, int]
    files: list[LikelyDefect]
    total: int


def churn_of(found: Findings) -> ChurnSection | None:
    """Return what changed, if that was measured."""
    churn = found.churn
    if churn is None:
        return None
    return ChurnSection(
        period_days=found.period_days,
        commits=churn.summary.total_commits,
        authors=churn.summary.unique_authors,
        additions=churn.summary.additions,
        deletions=churn.summary.deletions,
        files=[
            ChangedFile(
                file=utf8(it.path),
                commits=it.commit_count,
                authors=it.unique_authors,
                additions=it.additions,
                deletions=it.deletions,
                churn_score=round(it.churn_score, 4),
            )
            for it in churn.files
        ],
        total=len(churn.files),
        coupling=[
            ChangedTogether(
                first=utf8(it.first),
                second=utf8(it.second),
                shared_commits=it.shared_commits,
                degree=round(it.degree, 4),
            )
            for it in churn.coupling
        ],
        coupling_total=len(churn.coupling),
    )


def dependencies_of(
    chosen: Graph | None, found: Findings, dag_type: DagType
) -> DependencySection | None:
    """Return a graph, if it was built."""
    if chosen is None or found.cycles is None:
        return None
    pairs = chosen.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    ranked = sorted(users, key=lambda at: (-users[at], chosen.nodes[at].id))
    return DependencySection(
        dag_type=dag_type,
        nodes=len(chosen.nodes),
        edges=len(chosen.edges),
        references={kind: dict(counts) for kind, counts in chosen.outcomes.items()},
        most_depended_on=[
            NodeDegree(name=chosen.nodes[at].id, dependents=users[at], depends_on=used[at])
            for at in ranked
        ],
        cycles=[_cycle(it) for it in found.cycles],
        total_cycles=len(found.cycles),
        unresolved_imports=chosen.unresolved_imports,
        unresolved_total=len(chosen.unresolved_imports),
    )


def _cycle(it: Cycle) -> ImportCycle:
    return ImportCycle(size=len(it.files), path=list(it.way))


def gradients_of(found: Findings) -> GradientSection | None:
    """Return which files gather debt, if that was measured."""
    gradients = found.gradients
    if gradients is None:
        return None
    return GradientSection(
        by_severity=dict(sorted(Counter(it.severity for it in gradients).items())),
        files=[
            GradientFile(
                file=it.file,
                score=round(it.score, 4),
                severity=it.severity,
                estimated_hours=round(it.estimated_hours, 1),
            )
            for it in gradients
        ],
        total=len(gradients),
    )


def defects_of(found: Findings) -> DefectSection | None:
    """Return which files likely need a bug fix, if that was measured."""
    predicted = found.prediction
    if predicted is None:
        return None
    score = predicted.model.score
    bands = Counter(it.band for it in predicted.files)
    return DefectSection(
        model=predicted.model.source,
        auc=None if score is None or score.auc is None else round(score.auc, 3),
        brier=None if score is None else round(score.brier, 3),
        bands={band: bands[band] for band in BANDS},
        files=[
            LikelyDefect(
                file=it.file,
                probability=round(it.probability, 3),
                band=it.band,
                confidence=round(it.confidence, 3),
            )
            for it in predicted.files
        ],
        total=len(predicted.files),
    )
