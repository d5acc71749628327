"""Commands that differ from their tools."""

from benchpin.core.calls import Bench
from benchpin.core.tools import Arguments, Command, CommandField
from benchpin.workspace.git import git_user

list_comments = Command(
    "search_comments",
    "Without a QUERY, lists every comment.",
    {"query": CommandField("QUERY", default=".*")},
)


def _signed(arguments: Arguments, bench: Bench) -> Arguments:
    """Name the person who types as the author."""
    return {**arguments, "author": arguments.get("author") or git_user(bench.workspace.root)}


_AUTHOR = {
    "author": CommandField("--author NAME", "", help="Author name; your git name by default.")
}
add_comment = Command("add_comment", fields=_AUTHOR, complete=_signed)
resolve_comment = Command("resolve_comment", fields=_AUTHOR, complete=_signed)
