"""What searching and rewriting by structure share: which files, and what was not looked at."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from benchpin.code.structure import MAX_CHARS, FileMatches, check_pattern, open_matcher
from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Coverage, Item, Result, not_read, not_selected
from benchpin.core.text import counted, plain
from benchpin.core.tools import Params, Rare
from benchpin.facts import FileSelection, SourceQuery
from benchpin.facts.languages import NAMES
from benchpin.workspace.walking import WalkOptions
from benchpin.workspace.writing import FileChange, apply_preview, digest_of


def write_previewed(changes: Sequence[FileChange], apply: str | None, bench: Bench) -> str:
    """Return the digest of changes; write them if `apply` is that digest.

    Raises:
        AccessDenied: when one of the files may not be written.
        FileChanged: when `apply` names other changes.
    """
    for change in changes:
        bench.path(change.path, Operation.WRITE)
    if apply is not None:
        apply_preview(bench.workspace.root, changes, apply, bench.job, bench.cache_dir)
    return digest_of(changes)


def last_line(result: Result, digest: str, done: str, *, is_written: bool) -> str:
    """Return what was done, or how to have it done."""
    if is_written:
        return f"[written: {done}]"
    how = result.text_style.hint(f"apply={digest}")
    return f"[preview of {done}; nothing was written; to write it: {how}]"


_MAX_REFUSED_FILES = 20


class PatternParams(Params):
    """A pattern of code, and which files to look at."""

    pattern: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
    """Code with metavariables: $X is one node, $$$ARGS any number."""
    path: str = "."
    """File or folder."""
    language: Rare[str | None] = None
    """Only files in this language, such as python; all by default."""
    include_patterns: Rare[tuple[str, ...]] = ()
    """Only files that match one of these globs, such as src/**/*.py."""
    exclude_patterns: Rare[tuple[str, ...]] = ()
    """No files that match one of these globs, such as **/migrations/**."""


class RefusedFile(Item):
    """A file that was not searched or not rewritten, and why."""

    file: str
    reason: str


class PatternScope(Coverage):
    """What was looked at."""

    files: int
    languages: list[str]
    skipped: dict[str, int]
    """Files and folders that were left out, by reason."""
    no_code_in: dict[str, str]
    """Languages in which the pattern means nothing, and why."""
    refused: list[RefusedFile]
    """The first files that were not searched or not rewritten."""
    refused_total: int

    def to_lines(self) -> list[str]:
        """Return what the rules of the selection, and the pattern itself, leave out."""
        lines = [f"not {language} code: {why}" for language, why in self.no_code_in.items()]
        return lines + not_selected(self.skipped)

    def lacks(self) -> list[str]:
        """Return which files were not searched or not rewritten."""
        lacking = not_read(self.skipped)
        if self.refused:
            first = self.refused[0]
            count = counted(self.refused_total, "file")
            lacking.append(f"{count} left alone ({plain(first.file)}: {first.reason})")
        return lacking

    def __str__(self) -> str:
        """Return how many files in which languages were looked at."""
        shown = f" ({', '.join(self.languages)})" if self.languages else ""
        return f"{counted(self.files, 'file')}{shown}"


class PatternSearch:
    """One run of a pattern over the files that a call is about."""

    def __init__(self, params: PatternParams, bench: Bench, rewrite: str | None = None) -> None:
        """Check the pattern and select the files.

        Raises:
            InvalidParams: when the pattern, the rewrite or the language cannot be used.
            PathError: when the path does not exist or may not be read.
            DependencyMissing: when ast-grep is not installed.
        """
        check_pattern(params.pattern, rewrite)
        self._params, self._bench, self._rewrite = params, bench, rewrite
        self._matcher = open_matcher(bench.session)
        self._sources = _selection(params, bench).read()
        self._languages = {it.path: it.language for it in self._sources.files}
        self._refused_files = dict(self._sources.unmeasured)
        self._no_code_in: dict[str, str] = {}

    def run(self) -> Iterator[FileMatches]:
        """Yield the files in which something was found.

        Raises:
            InvalidParams: when the pattern means nothing in any of the languages.
        """
        files = list(self._languages.items())
        params, bench = self._params, self._bench
        pattern, rewrite = params.pattern.strip(), self._rewrite
        for match in self._matcher.search(bench.workspace.root, files, pattern, bench.job, rewrite):
            if match.problem:
                self._refused_files[match.path] = match.problem
            if match.refused:
                self._no_code_in[self._languages[match.path]] = match.refused
            if match.count:
                yield match
        if self._no_code_in and self._no_code_in.keys() >= set(self._languages.values()):
            language, why = min(self._no_code_in.items())
            raise InvalidParams(
                f"The pattern is not {language} code that can be looked for: {why}",
                suggestion="Write one whole statement or expression, such as foo($$$ARGS).",
            )

    def scope(self) -> PatternScope:
        """Return what was looked at."""
        refused = sorted(self._refused_files.items())
        return PatternScope(
            files=len(self._languages),
            languages=[name for name, _ in Counter(self._languages.values()).most_common()],
            skipped=self._sources.skipped,
            no_code_in=dict(sorted(self._no_code_in.items())),
            refused=[RefusedFile(file=it, reason=why) for it, why in refused[:_MAX_REFUSED_FILES]],
            refused_total=len(refused),
        )


def _selection(params: PatternParams, bench: Bench) -> FileSelection:
    if params.language is not None and params.language not in NAMES:
        raise InvalidParams(
            f"There is no language {params.language!r}",
            suggestion=f"Use one of {', '.join(NAMES)}.",
        )
    query = SourceQuery(
        start=str(bench.workspace.relative(bench.existing(params.path))),
        options=WalkOptions(
            include_patterns=params.include_patterns, exclude_patterns=params.exclude_patterns
        ),
        languages=None if params.language is None else frozenset({params.language}),
    )
    return FileSelection(bench.session, bench.permissions, bench.job, query)
