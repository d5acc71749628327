"""Read every line of every exact clone again, with the lexers of Pygments."""

from contextlib import closing
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pygments.lexers import get_lexer_for_filename  # type: ignore[import-untyped] # no stubs
from pygments.token import Comment  # type: ignore[import-untyped] # no stubs

from agreement.table import Row, checkout
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.clones import DuplicateOptions, find_duplicates

PROJECTS = (
    "Textualize/rich",
    "fastify/fastify",
    "trpc/trpc",
    "caddyserver/caddy",
    "mockito/mockito",
    "sharkdp/bat",
)


def rows(projects: Path) -> list[Row]:
    """Return for each project how many copies are the same on every reported line."""
    return [_row(name, checkout(projects, name)) for name in PROJECTS]


def _row(name: str, project: Path) -> Row:
    with TemporaryDirectory() as cache, closing(SourceIndex(project, Path(cache))) as index:
        files = index.read(SourceQuery(sections=("outline", "tokens")), Job()).files
    groups = find_duplicates(files, DuplicateOptions(types=("exact",)), Job()).groups
    copies = same = 0
    for group in groups:
        first, *others = (_code(project / it.file, it.line, it.end_line) for it in group.fragments)
        copies += len(others)
        same += sum(it == first for it in others)
    sample = f"{name}: {len(groups)} groups"
    result = f"{same} of {copies} copies have the same code on every line"
    return Row("exact clones", "Pygments, comments left out", sample, result)


def _code(place: Path, line: int, end_line: int) -> str:
    """Return the code of lines without comments and blanks."""
    return "".join(_lines(place)[line - 1 : end_line])


@lru_cache(maxsize=256)
def _lines(place: Path) -> list[str]:
    """Return the lines of a file without comments and blanks."""
    text = place.read_text(encoding="utf-8", errors="replace")
    lexer = get_lexer_for_filename(place.name, stripnl=False, ensurenl=False)
    code = "".join(
        "\n" * value.count("\n") if kind in Comment and kind not in Comment.Preproc else value
        for kind, value in lexer.get_tokens(text)
    )
    return ["".join(line.split()) for line in code.split("\n")]
