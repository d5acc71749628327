"""Pack the files of a repository into one text."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.content import Content, ResourceLink
from benchpin.core.results import Item, Result, not_read, not_selected
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect, Params, Rare, tool
from benchpin.repository.packing import (
    FileWithSecret,
    PackedFile,
    encoding,
    pack,
    packing_options,
    preload,
)

from ._repository_tools import open_tree

_MIME_TYPES = {"markdown": "text/markdown", "xml": "application/xml"}
_SHOWN = 10
_MAX_REFUSED_FILES = 50


class PackParams(Params):
    """Which files, in which format, and how much of them."""

    path: str = "."
    """Folder of the repository; relative to the workspace."""
    include_patterns: tuple[str, ...] = ()
    """Only files that match one of these globs, such as src/**/*.py."""
    exclude_patterns: Rare[tuple[str, ...]] = ()
    """No files that match one of these globs; lock files and build output are always left out."""
    format: Rare[Literal["markdown", "xml"]] = "markdown"
    """Markdown with fences, or XML with CDATA."""
    token_budget: Annotated[int, Field(ge=100)] | None = None
    """Maximum number of tokens; README, manifests and code are packed before tests and data."""


class Storage(Item):
    """Where the pack can be read."""

    uri: str
    """Read it in pages, or search it, with read_result."""
    mime_type: str
    size_bytes: int


class PackReport(Result):
    """What was packed and what was left out."""

    stored: Storage
    files: int
    tokens: int
    encoding: str
    """The encoding that was counted or estimated; other models count differently."""
    largest: list[PackedFile]
    """The files with the most tokens."""
    over_budget: int
    """The number of files that did not fit the budget."""
    first_over_budget: list[PackedFile]
    refused: list[FileWithSecret]
    """The first files that contain a secret, and its kind; none of them is in the pack."""
    refused_total: int
    skipped: dict[str, int]
    """Skipped files and folders by reason; a folder counts once."""
    text: str = Field(default="", exclude=True)

    def document(self) -> str:
        """Return the pack itself."""
        return self.text

    def to_text(self) -> str:
        """Return what was packed, in a few lines."""
        size = f"{self.tokens:,} tokens ({self.encoding}), {self.stored.size_bytes:,} bytes"
        lines = [
            f"{counted(self.files, 'file')}, {size}: {self.stored.uri}",
            self.text_style.hint("Use read_result to read it in pages or to search it."),
            *(f"  {it.tokens:>8,}  {plain(it.path)}" for it in self.largest[:_SHOWN]),
        ]
        lines += [
            f"refused: {plain(it.path)}:{it.line} contains a secret: {it.secret}"
            for it in self.refused[:_SHOWN]
        ]
        if self.refused_total > _SHOWN:
            lines.append(f"refused: and {self.refused_total - _SHOWN:,} more")
        if self.over_budget:
            first = ", ".join(plain(it.path) for it in self.first_over_budget[:3])
            lines.append(f"over the budget: {counted(self.over_budget, 'file')}: {first} …")
        return "\n".join([*lines, *not_selected(self.skipped)])

    def lacks(self) -> list[str]:
        """Return which files are not in the pack, though they were selected."""
        lacking = not_read(self.skipped)
        if self.refused_total:
            lacking.append(f"{counted(self.refused_total, 'file')} with a secret")
        if self.over_budget:
            lacking.append(f"{counted(self.over_budget, 'file')} over the budget")
        return lacking

    def to_content(self) -> Sequence[Content]:
        """Return the few lines, and a link to the pack."""
        kept = self.stored
        name = kept.uri.removeprefix("result://")
        link = ResourceLink(kept.uri, name, kept.mime_type, "The pack", kept.size_bytes)
        return (*super().to_content(), link)


@tool(
    title="Pack a repository",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "one file for another model, paste into a chat, bundle the whole code, concatenate, "
        "export the source, context for an LLM, repomix, whole codebase as one text, prompt for "
        "ChatGPT or Claude"
    ),
)
def pack_repository(params: PackParams, bench: Bench) -> PackReport:
    """Pack the text files of a repository into one document, stored to be paged or searched.

    Honours .gitignore; leaves out binary files, lock files, build output, and files with keys or
    passwords, whose names it reports.
    """
    options = packing_options(params.include_patterns, params.exclude_patterns)
    preload()
    tree = open_tree(params.path, bench, options)
    packed = pack(tree, params.format, params.token_budget, bench.job)
    bench.job.report(0, None, "storing")
    stored = bench.results.store(packed.text, _MIME_TYPES[params.format])
    ranked = sorted(packed.files, key=lambda it: (-it.tokens, it.path))
    return PackReport(
        stored=Storage(uri=stored.uri, mime_type=stored.mime_type, size_bytes=stored.size_bytes),
        files=len(packed.files),
        tokens=packed.tokens,
        encoding=encoding(),
        largest=ranked[:_SHOWN],
        over_budget=len(packed.over_budget),
        first_over_budget=packed.over_budget[:_SHOWN],
        refused=packed.refused[:_MAX_REFUSED_FILES],
        refused_total=len(packed.refused),
        skipped=dict(sorted(packed.skipped.items())),
        text=packed.text,
    )
