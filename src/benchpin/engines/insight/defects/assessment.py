"""The defects of a project, from the measures that all analyses share."""

from benchpin.engines.insight.coverage import CoverageReport, find_reports, read_reports
from benchpin.engines.insight.project import Measured, Project, duplicated_shares

from .features import Surroundings
from .knowledge import know
from .prediction import Defects, predict


def coverage_of(project: Project) -> CoverageReport | None:
    """Return what the reports in the workspace say of a project; None without any.

    Raises:
        Cancelled: when the job was cancelled.
    """
    site = project.site
    reports = find_reports(site.root, project.files, site.may, site.job)
    if not reports:
        return None
    return project.measure(
        "coverage", lambda: read_reports(site.root, project.files, reports, site.job), reports
    ).required()


def defects_of(project: Project) -> Measured[Defects]:
    """Return how likely the files of a project are to need a bug fix.

    Raises:
        Cancelled: when the job was cancelled.
    """
    site, files = project.site, project.files
    cloned = project.duplicates().value
    around = Surroundings(
        duplication=None if cloned is None else duplicated_shares(cloned, files),
        coupling=project.coupling().value,
    )
    coverage = coverage_of(project)
    known = know(site.folder, site.root, site.cache_dir, site.may, site.job, is_fresh=site.is_fresh)
    made_of = (
        known.key,
        around.duplication is None,
        around.coupling is None,
        None if coverage is None else (coverage.reports, coverage.problems),
    )
    return project.measure("defects", lambda: predict(files, around, known, coverage), *made_of)
