"""How many of the claims that code is unused are wrong, on projects drawn at random.

Every claim at a confidence of 0.9 and more, and a random sample of those at 0.8, was judged by
reading the code. `WRONG` names what was found to be in use or part of a public interface and is
still claimed; what is new since then is not judged.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from agreement.table import Row, checkout
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.unused import DeadItem, reader_of
from benchpin.measures.unused._outside_code import find_names_outside_code
from benchpin.measures.unused._report import names_in
from benchpin.measures.unused._search import find_dead_code
from benchpin.workspace.walking import WalkOptions

PROJECTS = {
    "Python": (
        "celery/celery",
        "mkdocs/mkdocs",
        "python-poetry/poetry",
        "Textualize/rich",
        "encode/starlette",
        "locustio/locust",
        "pypa/pipenv",
        "ansible/ansible-lint",
        "dask/distributed",
        "python-telegram-bot/python-telegram-bot",
        "tornadoweb/tornado",
        "jupyter/nbconvert",
        "paramiko/paramiko",
        "buildbot/buildbot",
        "mitmproxy/mitmproxy",
        "streamlink/streamlink",
        "beetbox/beets",
        "getpelican/pelican",
        "encode/uvicorn",
    ),
    "TypeScript": (
        "trpc/trpc",
        "pmndrs/jotai",
        "typeorm/typeorm",
        "excalidraw/excalidraw",
        "nestjs/nest",
        "vuejs/pinia",
        "kysely-org/kysely",
        "umami-software/umami",
    ),
    "Go": (
        "caddyserver/caddy",
        "charmbracelet/bubbletea",
        "jesseduffield/lazygit",
        "minio/mc",
        "restic/restic",
        "cli/cli",
        "gogs/gogs",
        "dgraph-io/badger",
    ),
    "Rust": (
        "sharkdp/bat",
        "clap-rs/clap",
        "helix-editor/helix",
        "diesel-rs/diesel",
        "sharkdp/fd",
        "alacritty/alacritty",
        "starship/starship",
        "casey/just",
    ),
}
WRONG = frozenset(
    {
        # dask, another project, imports them
        "check_dtype_support",
        "merge_transfer",
        "merge_unpack",
        "DataFrameShuffleSpec",
        # a public class that users read dumps with
        "DumpArtefact.missing_workers",
        # Twisted calls them on what takes the place of its own objects
        "NonThreadPool.callInThreadWithCallback",
        "FakeRequest.processingFailed",
        # themes call them in templates
        "Page.next_page_number",
        "Page.previous_page_number",
        "Page.start_index",
        "Page.end_index",
    }
)


def claims(root: Path) -> list[DeadItem]:
    """Return what is reported for a project by default."""
    with tempfile.TemporaryDirectory() as cache:
        index = SourceIndex(root, Path(cache))
        query = SourceQuery(sections=("outline", "links", "tokens"))
        sources = index.read(query, Job())
        others = [file.path for file in index.others(WalkOptions(), Job())]
        index.close()
    words = find_names_outside_code(
        [*others, *sources.unmeasured],
        names_in(sources.files),
        reader_of(root),
        sources.unmeasured,
    )
    return find_dead_code(sources.files, words, min_confidence=0.8).items


def rows(projects: Path) -> list[Row]:
    """Return how many claims there are at each confidence, and how many are wrong."""
    return [row for language in PROJECTS for row in _rows_of(language, projects)]


def _rows_of(language: str, projects: Path) -> Iterator[Row]:
    names = PROJECTS[language]
    found = [it for name in names for it in claims(checkout(projects, name))]
    for level in sorted({it.confidence for it in found}, reverse=True):
        said = [it for it in found if it.confidence == level]
        wrong = sum(it.name in WRONG for it in said)
        sample = f"{len(names)} projects in {language}"
        result = f"{len(said)} claims, {wrong} known to be wrong"
        yield Row(f"unused code at {level:g}", "reading the code", sample, result)
