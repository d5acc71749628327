"""The commands of `benchpin fleet`."""

from benchpin.core.tools import Command, CommandField

measure = Command(
    "measure_fleet",
    "Without REPOSITORY, every repository directly below the workspace.",
    {"repositories": CommandField("REPOSITORY", default=["*"])},
)
status = Command(
    "query_fleet",
    fields={
        "question": CommandField("", default="repositories"),
        "sql": CommandField(""),
    },
    summary="List the repositories that were measured.",
)
query = Command(
    "query_fleet",
    "QUESTION is repositories, hotspots, risk, failing, clones, licences, owners, dependencies "
    "or trend.",
    fields={"question": CommandField("QUESTION", default="repositories")},
)
find = Command(
    "find_across",
    fields={"kind": CommandField("KIND"), "name": CommandField("NAME")},
)
report = Command(
    "report_fleet",
    "--output fleet.html writes one page with pictures, which needs no other file and no network.",
    {"format": CommandField("--format", default="html")},
)
