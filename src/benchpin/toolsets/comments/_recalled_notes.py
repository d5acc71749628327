"""A note as `recall` returns it."""

from collections.abc import Iterator

from benchpin.comments import PlacedComment
from benchpin.comments.remembering import Recalled
from benchpin.core.results import Item
from benchpin.core.text import plain, sendable


class RecalledNote(Item):
    """A note, and what became of its code."""

    place: str
    symbol: str
    state: str
    """fresh, moved, changed, gone or unverified."""
    caveat: str
    """What the state means for the note; empty if the code is the same."""
    text: str
    tag: str | None
    author: str
    created: str
    commit: str | None
    """The commit that was checked out when it was written."""
    id: str
    also_at: list[str]
    """Its other places: they must change together."""
    why: str
    """Why it is recalled."""


def note_of(found: Recalled) -> RecalledNote:
    """Return a note with the words for its state."""
    note = found.note
    return RecalledNote(
        place=note.place,
        symbol=note.symbol,
        state=note.state,
        caveat="" if note.state == "moved" else note.caveat(),
        text=_with_other_texts(note),
        tag=note.tag,
        author=note.author,
        created=note.created[:10],
        commit=note.commit[:10] if note.commit else None,
        id=note.id,
        also_at=sorted({sendable(path.removesuffix("/.folder")) for path, _ in note.linked}),
        why=found.why,
    )


def _with_other_texts(note: PlacedComment) -> str:
    return "\n".join([note.text, *(f"(also: {it})" for it in note.also_says)])


def note_lines(number: int, note: RecalledNote) -> Iterator[str]:
    """Yield a note as text."""
    symbol = f" {plain(note.symbol)}" if note.symbol else ""
    caveat = f": {plain(note.caveat)}" if note.caveat else ""
    yield f"{number}. {plain(note.place)}{symbol} [{note.state}{caveat}]"
    yield from (f"   {plain(it)}" for it in note.text.splitlines())
    commit = f" at {note.commit}" if note.commit else ""
    also = f"; also at {', '.join(map(plain, note.also_at))}" if note.also_at else ""
    why = f"; {plain(note.why)}" if note.why else ""
    yield f"   {plain(note.author)}, {plain(note.created)}{commit}; {plain(note.id)}{also}{why}"
