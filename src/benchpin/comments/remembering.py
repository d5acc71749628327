"""Notes anchored to code, files, folders or the repository, and recalled by relevance."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchpin.code.changes import FileDelta
from benchpin.comments.anchoring import FOLDER, Scope
from benchpin.workspace.diffs import changed_hunks

from ._comment import PlacedComment, StoredComment
from ._new_comment import NewComment
from ._workspace_comments import WorkspaceComments

# How near a note is to what was asked for; words add at most as much as a note on the same line.
_SAME_LINES, _LINKED, _SAME_FILE, _FOLDER_AROUND, _REPOSITORY, _WORDS = 3.0, 1.8, 2.0, 1.5, 0.5, 3.0
_RESOLVED = -0.5
# A note this many lines from a change is about the same code.
_REACH = 3
# Notes that are placed to be ranked by line: the best by path and words.
_MAX_PLACED = 300
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}|\d{2,}")
_STOP_WORDS = frozenset(
    """
    about and are can does for from has have how into not should that the there this was what
    when where which who why with
    """.split()  # noqa: SIM905 - a list of words reads better so
)


@dataclass(frozen=True, slots=True)
class NotePlace:
    """Where a note belongs."""

    path: PurePosixPath
    line: int = 1
    scope: Scope = "line"
    last: int = 0
    """The last line of a symbol."""

    def __str__(self) -> str:
        """Return it as results have it."""
        return f"{self.path}:{self.line}" if self.scope in {"line", "symbol"} else str(self.path)


def add_note(
    comments: WorkspaceComments, places: Sequence[NotePlace], new: Callable[[Scope], NewComment]
) -> list[tuple[str, str]]:
    """Add a note to each of its places, and link them; returns files and ids.

    Every place is checked before the first is written.

    Raises:
        LineOutOfRange: when a file has no such line.
    """
    anchors = {}
    for place in places:
        if place.scope != "folder":
            text = comments.files.text(str(place.path))
            anchors[place] = text, comments.anchor(place.path, text, place.line)
    added: list[tuple[str, str]] = []
    for place in places:
        entry = new(place.scope)
        if place.scope == "folder":
            stored_for = place.path / FOLDER
            entries = comments.files.entries(str(place.path))
            with comments.editing(stored_for) as [editor]:
                comment_id = editor.add_to_folder(entry, entries, comments.now())
            added.append((str(stored_for), comment_id))
        else:
            text, anchor = anchors[place]
            with comments.editing(place.path, text=text) as [editor]:
                comment = editor.add(entry, text, anchor, comments.now())
                added.append((str(place.path), comment.id))
    if len(added) > 1:
        for path, comment_id in added:
            others = [it for it in added if it != (path, comment_id)]
            with comments.editing(PurePosixPath(path)) as [editor]:
                editor.link(comment_id, others)
    return added


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What notes are recalled for; without anything, all of them."""

    words: str = ""
    places: Sequence[NotePlace] = ()
    deltas: Sequence[FileDelta] = ()
    with_resolved: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """A note, and why it is recalled."""

    note: PlacedComment
    score: float
    why: str


def recall_notes(comments: WorkspaceComments, wanted: RecallQuery) -> list[Recalled]:
    """Return the notes that matter for what is wanted, best first; replies are left out."""
    stored = [
        it
        for it in comments.all.by_file
        if not it.reply_to and (wanted.with_resolved or it.status == "open")
    ]
    ranking = _Ranking(wanted, stored)
    likely = sorted(stored, key=lambda it: (-ranking.near(it), it.created, it.id))
    found: dict[str, Recalled] = {}
    for _, note in comments.placed(likely[:_MAX_PLACED]):
        score, why = ranking.score(note)
        if score <= 0 and ranking.is_asked:
            continue
        # A note with several places is recalled once, at the one that is nearest.
        key = min([note.id, *(other for _, other in note.linked)])
        if key not in found or found[key].score < score:
            found[key] = Recalled(note, score, why)
    newest = sorted(found.values(), key=lambda it: (it.note.created, it.note.id), reverse=True)
    return sorted(newest, key=lambda it: -it.score)


class _Ranking:
    """How relevant notes are."""

    def __init__(self, wanted: RecallQuery, stored: Sequence[StoredComment]) -> None:
        self._wanted = wanted
        self._words = words_of(wanted.words)
        self.is_asked = bool(self._words or wanted.places or wanted.deltas)
        texts = {it.id: words_of(f"{it.text} {it.path}") for it in stored}
        counts = Counter(word for words in texts.values() for word in words)
        # The weight of a word falls with the share of notes that have it (Robertson, 1976).
        self._weights = {it: math.log(1 + len(texts) / (1 + counts[it])) for it in self._words}
        self._changed = {it.path: it for it in wanted.deltas}
        self._changed |= {it.old_path: it for it in wanted.deltas if it.old_path}

    def near(self, stored: StoredComment) -> float:
        """Return a score by what is known without the present line."""
        paths = {stored.path, *(path for path, _ in stored.linked)}
        places = max((self._by_path(it)[0] for it in paths), default=0.0)
        return places + self._by_words(f"{stored.text} {stored.path}")

    def score(self, note: PlacedComment) -> tuple[float, str]:
        """Return the score of a note at its present place, and the reason."""
        by_place, why = self._by_place(note)
        by_words = self._by_words(f"{note.text} {note.file_path} {note.symbol}")
        if self._words and not by_words and by_place <= _REPOSITORY:
            return 0.0, ""
        reasons = [why] if why else []
        if by_words:
            said = words_of(f"{note.text} {note.file_path} {note.symbol}")
            reasons.append(f"says {', '.join(it for it in self._words if it in said)}")
        resolved = _RESOLVED if note.status != "open" else 0.0
        return by_place + by_words + (resolved if by_place + by_words else 0), "; ".join(reasons)

    def _by_words(self, text: str) -> float:
        total = sum(self._weights.values())
        said = words_of(text)
        shared = sum(it for word, it in self._weights.items() if word in said)
        return _WORDS * shared / total if total else 0.0

    def _by_place(self, note: PlacedComment) -> tuple[float, str]:
        best = self._by_path(note.file_path)
        for place in self._wanted.places:
            is_there = str(place.path) == note.file_path
            if is_there and place.scope in {"line", "symbol"} and note.scope in {"line", "symbol"}:
                inside = place.line - _REACH <= note.line <= max(place.line, place.last) + _REACH
                best = max(best, (_SAME_LINES, "on these lines")) if inside else best
        delta = self._changed.get(note.file_path)
        if delta is not None and note.scope in {"line", "symbol"}:
            hunks = changed_hunks(delta.before or b"", delta.after or b"")
            if any(it.new_start - _REACH < note.line <= it.new_end + _REACH for it in hunks):
                best = max(best, (_SAME_LINES, "its lines changed"))
        for path, _ in note.linked:
            score, _ = self._by_path(path)
            if score >= _SAME_FILE and best[0] < _LINKED:
                best = _LINKED, f"also about {path}"
        return best

    def _by_path(self, path: str) -> tuple[float, str]:
        own = PurePosixPath(path)
        is_folder = own.name == FOLDER
        own = own.parent if is_folder else own
        best = (0.0, "")
        asked = [*((it.path, it.scope) for it in self._wanted.places)]
        asked += [(PurePosixPath(it), "file") for it in self._changed]
        for place, scope in asked:
            if own == place:
                best = max(best, (_SAME_FILE, f"on this {'folder' if is_folder else 'file'}"))
            elif str(own) == ".":
                best = max(best, (_REPOSITORY, "on the repository"))
            elif place.is_relative_to(own):
                best = max(best, (_FOLDER_AROUND, "on a folder around it"))
            elif scope == "folder" and own.is_relative_to(place):
                best = max(best, (_SAME_FILE, "in this folder"))
        return best


def words_of(text: str) -> dict[str, None]:
    """Return the words of a text in lower case, in order; names are divided at capitals."""
    found = (it.lower() for it in _WORD.findall(text))
    return dict.fromkeys(it.removesuffix("s") for it in found if it not in _STOP_WORDS)
