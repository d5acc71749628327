"""Measure many repositories as one, and ask questions about all of them."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Fleet",
    description="Measure many repositories as one, and ask questions about all of them.",
    tools=("measure_fleet", "query_fleet", "find_across"),
    command="fleet",
    commands=("measure", "status", "query", "find"),
    settings="FleetSettings",
    example=Example("measure_fleet", {"repositories": ["."]}),
)
