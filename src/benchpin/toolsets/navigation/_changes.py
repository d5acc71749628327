"""What the tools about a change share: the selected change, and what it does."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from benchpin.code.changes import (
    UNCOMMITTED,
    ChangedFile,
    Deltas,
    SymbolChange,
    SymbolStatus,
    compare_symbols,
    find_deltas,
    last_commit,
    patch_deltas,
    read_changed,
)
from benchpin.comments import SUFFIX
from benchpin.comments.shown import CommentReader, OpenComments, shown
from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Item
from benchpin.core.text import PLAIN, TextStyle, by_reason, counted, plain
from benchpin.core.tools import FileText, Params, Rare
from benchpin.facts import FileSelection, SourceQuery, cut
from benchpin.facts.store import Section
from benchpin.present import Column, location
from benchpin.run.checkers import TYPE_CHECKERS
from benchpin.workspace.diffs import MAX_CHARS, count_lines

if TYPE_CHECKING:  # every measure is loaded with it, and most questions need none
    from benchpin.project.review import ReviewFinding, ReviewState

Diff = Annotated[str, Field(min_length=1, max_length=500)]
Patch = FileText[Annotated[str, Field(max_length=MAX_CHARS)] | None]
_HEAD = frozenset({"HEAD", "@"})
# Room for some fifty parameters: both signatures are shown so that the reader sees how they differ.
_MAX_SIGNATURE_CHARS = 2_000
# How findings of a review are shown.
REMARK_COLUMNS: tuple[Column["ReviewFinding"], ...] = (
    Column("level", is_severity=True),
    Column("certainty"),
    Column("rule"),
    location(),
    Column("message"),
    Column("fix", lambda it: "" if it.fix is None else it.fix.shown(), is_below=True),
)
# For the checkers of a project, on both states.
_CHECKERS_S = 120.0


class ChangeParams(Params):
    """Which change, and in which files."""

    diff: Diff = UNCOMMITTED
    """uncommitted, staged, a revision or A..B; a revision is compared with the files on disk.
    By default uncommitted work, or the last commit if there is none."""
    patch: Rare[Patch] = None
    """Or a unified diff that is not applied yet."""
    path: Rare[str] = "."
    """Only files in this folder."""

    def may_mean_last_commit(self) -> bool:
        """Whether who asks after a commit means that commit: `HEAD`, or no change at all."""
        return self.patch is None and (self.diff in _HEAD or "diff" not in self.model_fields_set)


class ChangedFileRow(Item):
    """A file that differs."""

    status: str
    file: str
    old_path: str | None
    """Its path before, if it was renamed."""
    added: int
    """Lines."""
    deleted: int


class ChangedSymbolRow(Item):
    """A function or type that differs."""

    status: SymbolStatus
    kind: str
    name: str
    file: str
    line: int
    end_line: int
    signature: str
    old_name: str | None
    """Its name before, if it was renamed."""
    old_path: str | None
    """Its file before, if it was moved."""
    old_signature: str | None
    """How it was called before, if that differs."""


@dataclass(frozen=True)
class ReadChange:
    """A change, with the facts of both sides."""

    deltas: Deltas
    files: Sequence[ChangedFile]
    symbols: Sequence[SymbolChange]

    def file_rows(self) -> list[ChangedFileRow]:
        return [
            ChangedFileRow(
                status=it.status,
                file=it.path,
                old_path=it.old_path or None,
                added=added,
                deleted=deleted,
            )
            for it in self.deltas.files
            for added, deleted in [count_lines(it.before or b"", it.after or b"")]
        ]

    def symbol_rows(self) -> list[ChangedSymbolRow]:
        return [symbol_row(it) for it in self.symbols]

    def comments(self, bench: Bench) -> OpenComments:
        """Return the open comments on what changed: its functions and types, or outside of any."""
        reader = CommentReader(bench)
        names = {(it.now.path, it.now.name) for it in self.symbols}
        return shown(
            it
            for delta in self.deltas.files
            for it in reader.comments_in(delta.path, delta.old_path)
            if not it.symbol or (delta.path, it.symbol) in names
        )


def read_change(
    params: ChangeParams,
    bench: Bench,
    sections: tuple[Section, ...] = ("outline",),
    *,
    or_last_commit: bool = True,
) -> ReadChange:
    """Return the change that a call is about.

    Where nothing is uncommitted, that is the last commit, unless uncommitted work is asked for.

    Raises:
        InvalidParams: when there is no such revision, or the patch does not fit.
        NotARepository: when the folder is not under version control.
        PathError: when the path does not exist or may not be read.
    """
    if params.patch is not None and params.diff != UNCOMMITTED:
        raise InvalidParams(
            "A patch is compared with the files as they are, not with a revision",
            suggestion="Give `patch` or `diff`, not both.",
        )
    start = str(bench.workspace.relative(bench.existing(params.path)))
    selection = FileSelection(bench.session, bench.permissions, bench.job, SourceQuery(start=start))
    deltas = (
        find_deltas(selection, params.diff)
        if params.patch is None
        else patch_deltas(selection, params.patch)
    )
    deltas = _without_comments(deltas)
    is_clean = not deltas.files and not deltas.unreadable
    if is_clean and params.patch is None and params.diff in {UNCOMMITTED, *_HEAD}:
        last = last_commit(selection)
        if last is None:
            deltas = replace(deltas, title=f"{deltas.title}, and no commit before HEAD")
        elif or_last_commit and params.may_mean_last_commit():
            last = _without_comments(last)
            deltas = last if last.files else deltas
    files = read_changed(bench.session, deltas.files, bench.job, sections)
    return ReadChange(deltas, files, compare_symbols(files))


def _without_comments(deltas: Deltas) -> Deltas:
    """Return a change without comments about code, which are no change of it."""
    return replace(deltas, files=tuple(it for it in deltas.files if not it.path.endswith(SUFFIX)))


def symbol_row(change: SymbolChange) -> ChangedSymbolRow:
    """Return what is shown of a change of a symbol."""
    now, before = change.now, change.before
    is_renamed = before is not None and before.name != now.name
    is_moved = before is not None and before.path != now.path
    return ChangedSymbolRow(
        status=change.status,
        kind=now.fact.kind,
        name=now.name,
        file=now.path,
        line=now.fact.line,
        end_line=now.fact.end_line,
        signature=cut(now.signature, _MAX_SIGNATURE_CHARS),
        old_name=before.name if before is not None and is_renamed else None,
        old_path=before.path if before is not None and is_moved else None,
        old_signature=(
            cut(before.signature, _MAX_SIGNATURE_CHARS)
            if before is not None and change.is_signature_changed
            else None
        ),
    )


_LAST_COMMIT = " For the last commit: diff=HEAD~1..HEAD"


def size_of_change(
    compared: str,
    files: Sequence[ChangedFileRow],
    symbols: Sequence[ChangedSymbolRow],
    style: TextStyle = PLAIN,
) -> str:
    """Return how much changed."""
    if not files:
        # HEAD is compared with the disk; who has just committed means the commit.
        is_of_head = compared in {"uncommitted changes", "changes since HEAD"}
        return f"No {compared}." + (style.hint(_LAST_COMMIT) if is_of_head else "")
    added, deleted = sum(it.added for it in files), sum(it.deleted for it in files)
    kinds = by_reason(dict(Counter(it.status for it in symbols)))
    size = f"{counted(len(files), 'file')}, +{added:,} -{deleted:,} lines"
    return f"{compared}: {size}" + (f"; symbols: {kinds}" if kinds else "")


def not_compared(not_read: Mapping[str, str]) -> list[str]:
    """Return which files could not be compared."""
    return [f"{plain(path)} ({why})" for path, why in sorted(not_read.items())]


def review_with(
    state: "ReviewState",
    read: ReadChange,
    asks_checkers: bool,  # noqa: FBT001 - an argument of the tool
    bench: Bench,
) -> "tuple[list[ReviewFinding], str]":
    """Return what a review finds, with what other checkers say, and how much was looked at."""
    from benchpin.project.proof import ask_checkers  # noqa: PLC0415 - as above
    from benchpin.project.review import NO_TYPES, in_order, review  # noqa: PLC0415 - as above

    findings = review(state) if read.files else []
    checked = state.what_was_checked()
    if asks_checkers and read.files:
        place = bench.cache_dir / "proofs"
        more, said = ask_checkers(state.selection, read.deltas, bench, place, _CHECKERS_S)
        known = {(it.file, it.line) for it in findings}
        findings = in_order([*findings, *(it for it in more if (it.file, it.line) not in known)])
        names, was_asked, _ = said.partition(" on both states")
        has_types = bool(was_asked) and any(it in names for it in TYPE_CHECKERS)
        checked = f"{checked.removesuffix(NO_TYPES) if has_types else checked}; {said}"
    return findings, checked
