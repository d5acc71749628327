"""Bring comments to where their code is now."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from pydantic import Field

from benchpin.core import Bench, Effect, sendable, tool
from benchpin.engines.anchors.draft import Draft
from benchpin.engines.anchors.following import Standing, State

from ._desk import Desk, Followed
from ._model import CamelItem, CamelParams, CamelResult, Place, place

_MOST_LISTED = 200


class ReanchorParams(CamelParams):
    """Which comments."""

    file_path: str | None = None
    """Only the comments of this file; those of all files by default."""
    dry_run: bool = False
    """Say what would be done, and write nothing."""


class Reanchored(CamelItem):
    """A comment that does not stand where it stood."""

    comment_id: str
    state: State
    from_path: str
    from_line: int
    to_path: str | None
    """None when it is orphaned."""
    to_line: int | None
    layer: str
    """By what it was found: diff, twin, edited, moved, context."""
    confidence: float | None
    reason: str
    suggestions: list[Place]


class ReanchorReport(CamelResult):
    """What became of the comments."""

    moved: int
    kept: int
    orphaned: int
    unverified: int
    """Comments of which only a line number is known."""
    changes: list[Reanchored]
    """The first of those that moved or are orphaned."""
    total_changes: int
    dry_run: bool
    damaged: list[str] = Field(default_factory=list)

    def to_text(self) -> str:
        """Say how many went where, and name them."""
        verb = "Would re-anchor" if self.dry_run else "Re-anchored"
        head = f"{verb}: {self.moved} moved, {self.kept} kept, {self.orphaned} orphaned"
        lines = [head + (f", {self.unverified} unverified" if self.unverified else "")]
        for it in self.changes:
            target = "orphaned" if it.to_path is None else f"→ {it.to_path}:{it.to_line}"
            lines.append(f"{it.comment_id} {it.from_path}:{it.from_line} {target} ({it.reason})")
            lines += [
                f"  perhaps {near.file_path}:{near.line} ({near.score:.2f}, {near.reason})"
                for near in it.suggestions
            ]
        if self.total_changes > len(self.changes):
            lines.append(f"{len(self.changes)} of {self.total_changes} changes")
        lines += [f"Damaged, left as it is: {it}" for it in self.damaged]
        return "\n".join(lines)


@tool(title="Re-anchor comments", effect=Effect.RECORD)
def reanchor_comments(params: ReanchorParams, bench: Bench) -> ReanchorReport:
    """Write down where comments stand after code changed, and report what moved, kept, orphaned.

    What a comment was first anchored to is kept. A comment whose code went to another file goes
    with it.
    """
    desk = Desk(bench)
    contents = desk.contents
    paths = (
        list(contents.files)
        if params.file_path is None
        else [str(desk.commented(params.file_path))]
    )
    counts = dict.fromkeys(("moved", "kept", "orphaned", "unverified"), 0)
    changes: list[Reanchored] = []
    damaged = [path for path in paths if path in contents.damaged]
    whole = [it for it in paths if it not in damaged]
    for found in desk.follow_all(bench.job.each(whole, "files")):
        for standing in found.standings.values():
            counts[standing.state] += 1
        changes += _changes(found)
        if not params.dry_run and not found.is_cut_short:
            _write_down(desk, found)
    return ReanchorReport(
        **counts,
        changes=changes[:_MOST_LISTED],
        total_changes=len(changes),
        dry_run=params.dry_run,
        damaged=damaged,
    )


def _changes(found: Followed) -> Sequence[Reanchored]:
    return [
        _change(found.path, comment.id, comment.line, found.standings[comment.id])
        for comment in found.sidecar.comments
        if found.standings[comment.id].state in {"moved", "orphaned"}
    ]


def _change(path: str, comment_id: str, line: int, standing: Standing) -> Reanchored:
    is_lost = standing.is_orphaned
    return Reanchored(
        comment_id=comment_id,
        state=standing.state,
        from_path=sendable(path),
        from_line=line,
        to_path=None if is_lost else sendable(standing.path),
        to_line=None if is_lost else standing.line,
        layer=standing.layer,
        confidence=standing.confidence,
        reason=standing.reason or standing.layer,
        suggestions=[place(it) for it in standing.suggestions],
    )


def _write_down(desk: Desk, found: Followed) -> None:
    """Note where markers stand; comments whose code is in another file go there."""
    path = PurePosixPath(found.path)
    moved = {it: at for it, at in found.standings.items() if at.state == "moved"}
    here = {it: at for it, at in moved.items() if at.path == found.path}
    if here:
        with desk.editing(path, desk.read_now(found.path)) as draft:
            _note(draft, here)
    for comment_id, standing in moved.items():
        if comment_id not in here:
            _send(desk, path, comment_id, standing)


def _note(draft: Draft, standings: dict[str, Standing]) -> None:
    sidecar = draft.sidecar
    for comment_id, standing in standings.items():
        marker = sidecar.marker_of.get(comment_id)
        if marker is not None:  # it was there a moment ago
            draft.note_place(marker.id, standing.line, _placement(standing))


def _send(desk: Desk, path: PurePosixPath, comment_id: str, standing: Standing) -> None:
    target = PurePosixPath(standing.path)
    with desk.editing_both(path, target) as (old, new):
        if comment_id in old.sidecar.marker_of:
            new.take_over(old.hand_over(comment_id), standing.line, _placement(standing))


def _placement(standing: Standing) -> dict[str, object]:
    return {
        "line": standing.line,
        "layer": standing.layer,
        "confidence": standing.confidence,
    }
