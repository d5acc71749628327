"""Which of the symbols that a project's own documents mention are in the map of its repository.

The map of aider (`pip install aider-chat`, 0.86) stands beside ours: its Python is named by
`AIDER_PYTHON`. Both see the same files and have the same number of tokens, counted the same way.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from agreement.table import Row, checkout
from benchpin.core.calls import Job, WorkspaceSession
from benchpin.facts import FileFacts
from benchpin.repository import RepositoryTree, draw, find_focus, rank_symbols
from benchpin.repository._outline import last_name
from benchpin.workspace.walking import WalkOptions, is_product_path, walk

PROJECTS = (
    "encode/starlette",
    "spf13/cobra",
    "honojs/hono",
    "tokio-rs/axum",
    "celery/celery",
    "pmndrs/jotai",
)
BUDGETS = (1_000, 4_000)
_DOCUMENT = re.compile(r"\.(?:md|mdx|rst|adoc)$", re.IGNORECASE)
_CHANGES = re.compile(r"change|history|news|release|migrat|upgrad|whatsnew", re.IGNORECASE)
_SPAN = re.compile(r"`+([^`\n]{2,80})`+")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_CALLED = re.compile(r"([A-Za-z_]\w{2,})\s*[(:<{]|[.:]([A-Za-z_]\w{2,})")
_BLOCK = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)|^(?: {4}|\t).+$", re.MULTILINE | re.DOTALL)


def documented(root: Path, files: list[FileFacts]) -> Counter[str]:
    """Return how many documents mention each public function and type of the product as code."""
    product = [file.outline for file in files if is_product_path(file.path)]
    known = {last_name(it.name) for own in product for it in own.functions if it.is_public}
    known |= {last_name(it.name) for own in product for it in own.types if it.is_public}
    found: Counter[str] = Counter()
    for path in sorted(root.rglob("*")):
        local = path.relative_to(root).as_posix()
        is_document = _DOCUMENT.search(local) and not _CHANGES.search(local)
        if not is_document or local.startswith(".") or "/." in local or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        words = {word for span in _SPAN.findall(text) for word in _WORD.findall(span)}
        for block in _BLOCK.findall(text):
            words |= {first or second for first, second in _CALLED.findall(block)}
        found.update(words & known)
    return found


def recall(text: str, wanted: Counter[str]) -> tuple[float, float]:
    """Return the share of the names that a map contains, plain and weighted by documents."""
    shown = set(_WORD.findall(text))
    hit = [name for name in wanted if name in shown]
    return len(hit) / len(wanted), sum(wanted[it] for it in hit) / wanted.total()


def our_maps(root: Path) -> tuple[list[FileFacts], dict[int, str]]:
    """Return the files of a repository and our maps, by the number of tokens."""
    with tempfile.TemporaryDirectory() as cache:
        session = WorkspaceSession(root, Path(cache))
        walked = walk(root, "", WalkOptions(), Job())
        tree = RepositoryTree(session, "", walked.files, walked.skipped)
        files = [
            it for it in tree.read_sources(Job(), "links").files if not it.outline.is_generated
        ]
        symbols = rank_symbols(files, tree, find_focus(files, ()), Job())
        session.close()
    return files, {budget: draw(symbols, budget).text for budget in BUDGETS}


def aider_maps(root: Path, files: list[FileFacts]) -> dict[int, str]:
    """Return the maps of aider; empty when it is not here."""
    python = os.environ.get("AIDER_PYTHON")
    if not python:
        return {}
    program = Path(__file__).with_name("aider_map.py")
    asked = {"root": str(root), "files": [it.path for it in files], "budgets": BUDGETS}
    done = subprocess.run(
        [python, str(program), *sys.path],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    return {int(budget): text for budget, text in json.loads(done.stdout).items()}


def rows(projects: Path) -> list[Row]:
    """Return the recall of both maps on each project."""
    return [row for name in PROJECTS for row in _rows_of(name, checkout(projects, name))]


def _rows_of(name: str, root: Path) -> list[Row]:
    files, ours = our_maps(root)
    theirs = aider_maps(root, files)
    wanted = documented(root, files)
    found: list[Row] = []
    for budget in BUDGETS:
        shares = [f"{share:.1%}" for share in recall(ours[budget], wanted)]
        rival = [f"{share:.1%}" for share in recall(theirs.get(budget, ""), wanted)]
        beside = f"aider {rival[0]}, {rival[1]}" if theirs else "aider is not here"
        result = f"{shares[0]} of names, {shares[1]} of mentions; {beside}"
        sample = f"{name}, {len(wanted)} names, {budget:,} tokens"
        found.append(Row("map: recall of documented symbols", "README and docs", sample, result))
    return found
