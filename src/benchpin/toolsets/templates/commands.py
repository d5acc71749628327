"""The commands of `benchpin template`."""

from benchpin.core.tools import Command, CommandField

update = Command(
    "update_project",
    fields={"path": CommandField("PATH", default=".")},
    confirm="apply",
    help="Exit code 1 if there are conflicts, or marks of earlier ones.",
)
