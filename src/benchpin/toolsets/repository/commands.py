"""Commands that differ from their tools."""

from benchpin.core.tools import Command, CommandField

analyze_repository = Command(
    "analyze_repository", fields={"path": CommandField("PATH", default=".")}
)
