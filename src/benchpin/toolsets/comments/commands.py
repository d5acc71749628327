"""Commands that differ from their tools."""

from benchpin.core.calls import Bench
from benchpin.core.text import plain
from benchpin.core.tools import Arguments, Command, CommandField
from benchpin.workspace.git import git_user

list_comments = Command(
    "search_comments",
    fields={"query": CommandField("QUERY", default=".*")},
    summary="List the comments, newest first; with a QUERY, those that contain it.",
)


def _signed(arguments: Arguments, bench: Bench) -> Arguments:
    """Name the person who types as the author."""
    return {**arguments, "author": arguments.get("author") or git_user(bench.workspace.root)}


_AUTHOR = {
    "author": CommandField("--author NAME", "", help="Author name; your git name by default.")
}
add_comment = Command(
    "add_comment",
    fields={**_AUTHOR, "tag": CommandField("TAG", default="NOTE")},
    complete=_signed,
    summary="Write a comment about a line; it follows the code.",
    say=lambda it: f"Added {it.comment_id} at {plain(it.file_path)}:{it.line}.",
)
get_file_comments = Command(
    "get_file_comments", summary="Show the comments about a file, at the lines where they are now."
)
edit_comment = Command(
    "edit_comment",
    summary="Change the text of a comment.",
    say=lambda it: f"Changed {it.comment_id} in {plain(it.file_path)}.",
)
delete_comment = Command(
    "delete_comment",
    summary="Delete a comment.",
    say=lambda it: f"Deleted {it.comment_id} from {plain(it.file_path)}.",
)
move_comment = Command(
    "move_comment",
    summary="Move a comment to another line or file.",
    say=lambda it: f"Moved {it.comment_id} to {plain(it.target_file)}:{it.target_line}.",
)
resolve_comment = Command(
    "resolve_comment",
    fields=_AUTHOR,
    complete=_signed,
    say=lambda it: f"{it.comment_id} in {plain(it.file_path)} is {plain(it.status)}.",
)
import_code_comments = Command(
    "import_code_comments",
    say=lambda it: it.to_text().removeprefix("✅ "),
)
