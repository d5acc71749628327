"""Measure and query many repositories as one."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Fleet",
    description="Measure and query many repositories as one.",
    tools=("measure_fleet", "query_fleet", "find_across", "report_fleet"),
    command="fleet",
    commands=("measure", "query", "status", "find", "report"),
    settings="FleetSettings",
    example=Example("measure_fleet", {"repositories": ["."]}),
)
