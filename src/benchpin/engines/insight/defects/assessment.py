"""The defects of a project, from the measures that all analyses share."""

from benchpin.engines.insight.coverage import CoverageReport, find_reports, read_reports
from benchpin.engines.insight.project import Measured, Project

from .features import Surroundings
from .knowledge import know
from .prediction import Defects, predict


def coverage_of(project: Project) -> CoverageReport | None:
    """Return what the reports in the workspace say of a project; None without any.

    Raises:
        Cancelled: when the job was cancelled.
    """
    selection = project.selection
    root, job = selection.root, project.job
    reports = find_reports(root, project.files, selection.may_read, job)
    if not reports:
        return None
    return project.measure(
        "coverage", lambda: read_reports(root, project.files, reports, job), reports
    ).required()


def defects_of(project: Project) -> Measured[Defects]:
    """Return how likely the files of a project are to need a bug fix.

    Raises:
        Cancelled: when the job was cancelled.
    """
    files = project.files
    around = Surroundings(project.duplication().value, project.coupling().value)
    coverage = coverage_of(project)
    known = know(project.selection)
    made_of = (
        known.key,
        tuple((around.duplication or {}).get(file.path) for file in files),
        tuple((around.coupling or {}).get(file.path) for file in files),
        None if coverage is None else (coverage.reports, coverage.problems),
    )
    return project.measure("defects", lambda: predict(files, around, known, coverage), *made_of)
