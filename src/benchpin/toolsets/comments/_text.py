"""The texts of the protocol: lists of comments as a person or a model reads them."""

from collections import Counter
from collections.abc import Sequence

from benchpin.core import Page, plain

from ._model import TAGS, CommentItem

_MOST_SUGGESTIONS = 3


def found_text(page: Page[CommentItem], damaged: Sequence[str]) -> str:
    """Return what a search found."""
    noun = "comment" if page.total == 1 else "comments"
    head = f"Found {page.total:,} matching {noun}{':' if page.items else '.'}"
    blocks = [head, *(_found(at, it) for at, it in enumerate(page.items, start=1))]
    footer = page.footer()
    return "\n\n".join([*blocks, *([footer] if footer else []), *damage_notes(damaged)])


def file_text(path: str, items: Sequence[CommentItem], shown: Page[CommentItem]) -> str:
    """Return the comments of a file, and how many there are of what."""
    tags = Counter(it.tag or "Untagged" for it in items)
    order = [*TAGS, *sorted(set(tags) - set(TAGS))]
    lines = [f"- {plain(tag)}: {tags[tag]}" for tag in order if tags[tag]]
    resolved = sum(it.status != "open" for it in items)
    lines += [f"- Resolved: {resolved}"] if resolved else []
    summary = [
        "📊 Summary:",
        f"- Total comments: {len(items)}",
        *lines,
        f"- Orphaned: {sum(it.is_orphaned for it in items)}",
    ]
    blocks = [f"Comments for {plain(path)}", "\n".join(summary)]
    if shown.items:
        blocks.append("---")
    blocks += [_listed(at, it, path) for at, it in enumerate(shown.items, start=1)]
    footer = shown.footer()
    return "\n\n".join([*blocks, *([footer] if footer else [])])


def damage_notes(damaged: Sequence[str]) -> list[str]:
    """Name the files whose comments cannot all be read."""
    if not damaged:
        return []
    names = ", ".join(plain(it) for it in damaged[:5])
    more = f" and {len(damaged) - 5} more" if len(damaged) > 5 else ""  # noqa: PLR2004 - as above
    return [f"Damaged comment files, of which some may be missing: {names}{more}"]


def _found(at: int, it: CommentItem) -> str:
    lines = [
        f"{at}. 📝 {plain(it.file_path)}:{it.line} ({plain(it.tag or 'untagged')})",
        f'   "{_said(it)}"',
        f"   Author: {plain(it.author)} | Created: {plain(it.created)}",
    ]
    meta = it.ai_meta or {}
    if meta.get("model"):
        sure = meta.get("confidence")
        confidence = "" if sure is None else f" (confidence: {plain(str(sure))})"
        lines.append(f"   AI: {plain(str(meta['model']))}{confidence}")
    return "\n".join([*lines, *_state(it)])


def _listed(at: int, it: CommentItem, path: str) -> str:
    where = f"Line {it.line}" if it.file_path == path else f"{plain(it.file_path)}:{it.line}"
    return "\n".join(
        (
            f"{at}. {plain(it.tag or 'Untagged')} ({where}) - {plain(it.id)}",
            f'   "{_said(it)}"',
            f"   Author: {plain(it.author)} | Anchored to: {it.anchored_to}",
            *_state(it),
        )
    )


def _said(it: CommentItem) -> str:
    """Return a text; its lines are indented, so that none looks like another comment."""
    return "\n    ".join(map(plain, it.text.splitlines()))


def _state(it: CommentItem) -> list[str]:
    """Say what is not as it should be with a comment, or where it belongs."""
    lines = []
    if it.reply_to:
        lines.append(f"   Reply to: {plain(it.reply_to)}")
    if it.status != "open":
        lines.append(f"   Status: {plain(it.status)}")
    if it.is_orphaned:
        places = "; ".join(
            f"{plain(place.file_path)}:{place.line} ({place.score:.2f}, {place.reason})"
            for place in it.suggestions[:_MOST_SUGGESTIONS]
        )
        reason = it.reason or "its line is gone"
        lines.append(f"   Orphaned: {reason}{f'. Perhaps {places}' if places else ''}")
    return lines
