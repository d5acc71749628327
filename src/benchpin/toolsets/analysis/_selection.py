"""How every analysis chooses its files and says which it could not measure."""

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Item, Operation, Params, plain
from benchpin.engines.source.index import Section, SourceQuery, Sources, index_of
from benchpin.engines.source.toolchains import languages_of
from benchpin.engines.source.walk import WalkOptions

CacheStrategy = Literal["normal", "force-refresh", "offline"]
MOST_UNMEASURED = 20


class SelectionParams(Params):
    """Which files to look at."""

    project_path: str = "."
    """File or folder to analyze, relative to the workspace."""
    include_patterns: tuple[str, ...] = ()
    """Only files that match one of these globs, such as src/**/*.py."""
    exclude_patterns: tuple[str, ...] = ()
    """No files that match one of these globs, such as **/migrations/**."""
    max_depth: Annotated[int, Field(ge=1)] | None = None
    """How many folders deep to go."""
    include_generated: bool = False
    """Also look at code that a program wrote, and at other people's code in vendor folders."""
    cache_strategy: CacheStrategy = "normal"
    """normal uses what was measured before, force-refresh measures anew, offline only looks up."""
    parallel: Annotated[int, Field(ge=1, le=64)] | None = None
    """How many worker processes to use; one a core by default."""


class Unmeasured(Item):
    """A file without numbers, and why."""

    file: str
    reason: str


class FilesSeen(Item):
    """Which files the numbers stand for."""

    measured: int
    skipped: dict[str, int]
    """Files and folders that were left out, by reason; a folder counts once."""
    unmeasured: list[Unmeasured]
    """The first of those that could not be measured."""
    unmeasured_total: int
    not_parsed: int
    """Files of which a part does not parse; what stands there is missing."""
    first_not_parsed: str | None
    """The first of them, with the line."""

    def to_lines(self) -> list[str]:
        """Say what the numbers do not stand for; nothing when that is nothing."""
        lines = []
        if self.skipped:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped.items())
            lines.append(f"left out: {reasons}")
        if self.unmeasured:
            first = self.unmeasured[0]
            place = f"{plain(first.file)}: {first.reason}"
            lines.append(f"not measured: {self.unmeasured_total:,}; {place}")
        if self.first_not_parsed is not None:
            place = plain(self.first_not_parsed)
            lines.append(f"not parsed in full: {self.not_parsed:,}; the first is {place}")
        return lines

    def below(self, shown: str, footer: str = "") -> str:
        """Return a text, and below it what was cut and what its numbers do not stand for."""
        return "\n".join([shown, *filter(None, [footer]), *self.to_lines()])


def read_sources(
    params: SelectionParams,
    bench: Bench,
    sections: tuple[Section, ...] = ("outline",),
    toolchain: str | None = None,
) -> Sources:
    """Return the facts of the files that a call means, the outline among them.

    What may not be read is left out, and so is what a program wrote, unless it is asked for.

    Raises:
        PathError: when the path is not there, or may not be read.
        InvalidParams: when there is no such toolchain.
    """
    place = bench.existing(params.project_path)
    query = SourceQuery(
        start=str(bench.workspace.relative(place)),
        options=WalkOptions(
            include_patterns=params.include_patterns,
            exclude_patterns=params.exclude_patterns,
            max_depth=params.max_depth,
            include_vendored=params.include_generated,
        ),
        sections=sections if "outline" in sections else ("outline", *sections),
        languages=languages_of(toolchain),
        strategy=params.cache_strategy,
        workers=params.parallel,
    )
    found = read_permitted(query, bench)
    files = [it for it in found.files if params.include_generated or not it.outline.is_generated]
    skipped = Counter(found.skipped)
    if len(files) < len(found.files):
        skipped["generated"] += len(found.files) - len(files)
    return Sources(files, found.unmeasured, dict(sorted(skipped.items())))


def read_permitted(query: SourceQuery, bench: Bench) -> Sources:
    """Return what a query means without the files that may not be read, which are only counted."""
    index = index_of(bench.workspace.root, bench.cache_dir)
    return index.read(query, bench.job, lambda path: bench.may(path, Operation.READ))


def files_seen(sources: Sources) -> FilesSeen:
    """Return which files the numbers stand for, and which not."""
    first = sorted(sources.unmeasured.items())[:MOST_UNMEASURED]
    broken = [file for file in sources.files if file.outline.error_line]
    return FilesSeen(
        measured=len(sources.files),
        skipped=sources.skipped,
        unmeasured=[Unmeasured(file=path, reason=reason) for path, reason in first],
        unmeasured_total=len(sources.unmeasured),
        not_parsed=len(broken),
        first_not_parsed=f"{broken[0].path}:{broken[0].outline.error_line}" if broken else None,
    )
