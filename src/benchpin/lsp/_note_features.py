"""Notes as editors show them: hints, lenses, diagnostics, hovers, and what can be done with one."""

from collections.abc import Callable, Iterator, Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchpin.comments import PlacedComment

from ._buffer_notes import BufferNote

SOURCE = "benchpin"
ADD, ANSWER, RESOLVE, MOVE = (
    "benchpin.addNote",
    "benchpin.answerNote",
    "benchpin.resolveNote",
    "benchpin.moveNote",
)
_MAX_CHARS = 120


def range_of(line: int, chars: int = 0) -> types.Range:
    """Return a range on one line, counted from 0."""
    return types.Range(types.Position(line, 0), types.Position(line, chars))


def inlay_hints(
    notes: Sequence[BufferNote], length: Callable[[int], int], wanted: types.Range
) -> list[types.InlayHint]:
    """Return a hint at the end of each line with a note; `length` is that of a line."""
    return [
        types.InlayHint(
            position=types.Position(it.line, length(it.line)),
            label=f"📝 {_cut(it.summary())}",
            padding_left=True,
            tooltip=types.MarkupContent(types.MarkupKind.Markdown, it.thread()),
        )
        for it in notes
        if wanted.start.line <= it.line <= wanted.end.line
    ]


def code_lenses(uri: str, notes: Sequence[BufferNote]) -> list[types.CodeLens]:
    """Return a lens above each line with a note, which answers it."""
    return [
        types.CodeLens(
            range=range_of(it.line),
            command=types.Command(f"📝 {_cut(it.summary())}", ANSWER, arguments=[uri, it.note.id]),
        )
        for it in notes
    ]


def diagnostics(
    notes: Sequence[BufferNote], length: Callable[[int], int]
) -> Iterator[types.Diagnostic]:
    """Yield a diagnostic of level hint for each note; a warning where it contradicts the code."""
    for shown in notes:
        level = types.DiagnosticSeverity
        yield types.Diagnostic(
            range=range_of(shown.line, length(shown.line)),
            message=shown.summary(),
            severity=level.Warning if shown.note.contradicts else level.Hint,
            source=SOURCE,
            code=shown.note.id,
        )


def hover(notes: Sequence[BufferNote], line: int) -> types.Hover | None:
    """Return the threads of a line."""
    here = [it.thread() for it in notes if it.line == line]
    if not here:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n***\n\n".join(here)))


def code_actions(
    uri: str, line: int, notes: Sequence[BufferNote], gone: Sequence[PlacedComment]
) -> list[types.Command]:
    """Return what can be done on a line: add a note, answer or resolve one, move one here."""
    actions = [("Add a note", ADD, [uri, line + 1])]
    for shown in notes:
        if shown.line == line:
            text = _cut(shown.note.text, 40)
            actions.append((f"Answer “{text}”", ANSWER, [uri, shown.note.id]))
            actions.append((f"Resolve “{text}”", RESOLVE, [uri, shown.note.id]))
    actions += [
        (f"Move “{_cut(lost.text, 40)}” here", MOVE, [uri, lost.id, line + 1]) for lost in gone
    ]
    return [types.Command(title, name, arguments=given) for title, name, given in actions]


def as_threads(notes: Sequence[BufferNote]) -> list[dict[str, object]]:
    """Return notes as the request `benchpin/notes` has them."""
    return [
        {
            "id": it.note.id,
            "line": it.line + 1,
            "state": it.note.state,
            "caveat": it.caveat,
            "status": it.note.status,
            "comments": [
                {"id": each.id, "author": each.author, "created": each.created, "text": each.text}
                for each in (it.note, *it.replies)
            ],
        }
        for it in notes
    ]


def _cut(text: str, most: int = _MAX_CHARS) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def text_in(given: Sequence[object], command: str) -> str:
    """Return the text of a note, which is the first of the arguments that an editor adds."""
    text = given[0] if given else None
    if not isinstance(text, str) or not text.strip():
        hint = "the editor has to ask for it, as docs/editors.md shows"
        raise JsonRpcException(f"{command} needs the text of the note: {hint}")
    return text
