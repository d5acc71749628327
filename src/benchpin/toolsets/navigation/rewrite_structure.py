"""Rewrite code by its structure."""

from typing import Annotated

from pydantic import Field

from benchpin.code.structure import MAX_CHARS
from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.workspace.writing import FileChange, diff_of

from ._patterns import PatternParams, PatternScope, PatternSearch, last_line, write_previewed


class StructureRewriteParams(PatternParams):
    """What to replace with what, and where."""

    rewrite: Annotated[str, Field(max_length=MAX_CHARS)]
    """The new code, with the pattern's metavariables."""
    apply: str | None = None
    """The digest of a preview, to write exactly that; without it nothing is written."""


class StructureRewrite(Result):
    """What changes, and whether it was written."""

    digest: str
    """Names this very change; give it as apply."""
    is_written: bool
    matches: int
    """Places that were rewritten."""
    files: list[str]
    inside_others: int
    """Matches inside another match, which another call would rewrite."""
    diff: str
    """Unified diff of all files."""
    looked_at: PatternScope

    def to_text(self) -> str:
        """Return the diff, and what to do next."""
        notes = self.looked_at.to_lines()
        if not self.files:
            why = "Nothing was rewritten" if self.looked_at.refused else "No match"
            return "\n".join((f"{why} in {self.looked_at}.", *notes))
        if self.inside_others:
            notes.append(f"inside another match: {self.inside_others:,}; call again for those")
        done = f"{counted(self.matches, 'place')} in {counted(len(self.files), 'file')}"
        end = last_line(self, self.digest, done, is_written=self.is_written)
        return "\n".join((self.diff, *notes, end))


@tool(
    title="Rewrite code by structure",
    effect=Effect.WRITE,
    is_heavy=True,
    also=(
        "codemod, replace everywhere, refactor calls, migrate an API, swap arguments, search "
        "and replace code, ast-grep, replace a call in the whole code base, change all uses"
    ),
)
def rewrite_structure(params: StructureRewriteParams, bench: Bench) -> StructureRewrite:
    """Replace code by its shape in many files: first a preview, then all or nothing.

    Example: pattern "print($$$A)", rewrite "log.info($$$A)"; then again with `apply`.
    """
    search = PatternSearch(params, bench, params.rewrite)
    found = sorted(search.run(), key=lambda it: it.path)
    rewritten = [it for it in found if it.after is not None and it.after != it.before]
    changes = [FileChange(it.path, it.before, it.after or b"") for it in rewritten]
    digest = write_previewed(changes, params.apply, bench)
    return StructureRewrite(
        digest=digest,
        is_written=params.apply is not None and bool(changes),
        matches=sum(it.count - it.inside_others for it in rewritten),
        files=[it.path for it in changes],
        inside_others=sum(it.inside_others for it in rewritten),
        diff=diff_of(changes),
        looked_at=search.scope(),
    )
