"""The measures that analyses of a whole project share; apart, because it imports every measure."""

from benchpin.core.calls import Bench
from benchpin.project import Project

from ._selection import SelectionParams, select


def project_of(params: SelectionParams, bench: Bench, *, skip_when_late: bool = False) -> Project:
    """Return the measures of the files that a call is about; raises what `select` raises."""
    return Project(select(params, bench), bench.now(), skip_when_late=skip_when_late)
