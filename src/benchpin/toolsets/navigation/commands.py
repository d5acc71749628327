"""Commands that differ from their tools."""

from benchpin.core.tools import Command, CommandField

review = Command(
    "review_change",
    fields={
        # A review in a script must stop it; over MCP, an agent reads the findings.
        "fail_on_error": CommandField("--fail-on-error", default=True),
    },
)

# The command has a name of its own because it is typed often.
prove = Command("prove_change")

rename_symbol = Command("rename_symbol", confirm="apply")
rewrite_structure = Command("rewrite_structure", confirm="apply")
