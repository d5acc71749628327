"""Notes from GitHub and git for the tool that imports comments."""

import os
from typing import Literal

from benchpin.comments import exchange
from benchpin.comments.batches import Imported
from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.workspace.files import Unreadable, read_regular

from ._tool_comments import ToolComments

Source = Literal["code", "github", "git-notes"]
_MAX_BYTES = 32 << 20


def import_notes(
    source: Source, place: str | None, comments: ToolComments, bench: Bench, *, dry_run: bool
) -> tuple[list[Imported], int, list[str]]:
    """Return what is new, how many notes were imported before, and which cannot be, and why.

    Raises:
        InvalidParams: when there is nothing to import from.
    """
    if source == "git-notes":
        notes, unreadable = exchange.from_git_notes(comments, place)
    else:
        notes, unreadable = exchange.from_github(_read(place, bench))
    given = bench.job.each(notes, "notes")
    new, known, problems = exchange.import_foreign(
        comments, given, comments.resolve, "NOTE", dry_run=dry_run
    )
    return new, known, [*unreadable, *problems]


def _read(path: str | None, bench: Bench) -> bytes:
    if path is None:
        raise InvalidParams(
            "There is no file to import from",
            suggestion="Give `input`, a file written with "
            "`gh api repos/OWNER/NAME/pulls/N/comments --paginate`.",
        )
    place = bench.workspace.relative(bench.existing(path))
    try:
        content, _ = read_regular(os.fsencode(bench.workspace.root), str(place), _MAX_BYTES + 1)
    except Unreadable as error:
        raise InvalidParams(
            f"{path!r} cannot be read: {error}", suggestion="Give a file with JSON."
        ) from error
    if len(content) > _MAX_BYTES:
        raise InvalidParams(
            f"{path!r} is larger than {_MAX_BYTES >> 20} MiB",
            suggestion="Import the comments of fewer pull requests at once.",
        )
    return content
