"""Commands that differ from their tools."""

from benchpin.core.tools import Command, CommandField

quality_gate = Command(
    "quality_gate",
    # A gate in a script must stop it; over MCP, an agent reads the verdict.
    fields={
        "fail_on_violation": CommandField("--fail-on-violation", default=True),
        "update_baseline": CommandField(
            "--update-baseline", help="Write the current violations to the baseline."
        ),
    },
)
