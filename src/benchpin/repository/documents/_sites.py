"""Documents for a site generator, which resolves links in its own way.

A generator is recognised by its configuration, or by marks in documents: front matter that places a
page on a site, links such as `[[Page]]`. Links that only the generator can resolve are not checked.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from benchpin.repository import RepositoryTree

from ._markdown import Document

# How pages are found: by the path of the file, by what the page says, or unknown.
SiteKind = Literal["files", "permalinks", "unknown"]

_CONFIGS: dict[SiteKind, re.Pattern[str]] = {
    "files": re.compile(
        r"(?:^|/)(?:mkdocs\.ya?ml|book\.toml|\.vitepress/config(?:\.\w+|/.+)|\.vuepress/config\.\w+"
        r"|conf\.py|_quarto\.yml|docfx\.json|_sidebar\.md)$"
    ),
    "permalinks": re.compile(
        r"(?:^|/)(?:docusaurus\.config\.\w+|_config\.ya?ml|antora\.yml|hugo\.\w+|writerside\.cfg"
        r"|gatsby-config\.\w+|astro\.config\.\w+|\.?eleventy(?:\.config)?\.\w+|nuxt\.config\.\w+)$"
    ),
}
_DOCS_DIR = re.compile(rb"^docs_dir:\s*[\"']?([^\"'\s#]+)", re.MULTILINE)
_MIN_MARKED_FILES = 3
# A folder with this many marked documents belongs to a site generator as a whole.
_MIN_SHARE = 0.3


class Sites:
    """Which documents are for a generator."""

    def __init__(self, tree: RepositoryTree, documents: Mapping[str, Document]) -> None:
        """Look for configurations, and for marks in documents (by path)."""
        self._configured = dict(_configured(tree))
        self._documents = documents
        self._marked = _marked_folders(documents)

    def kind_of(self, path: str) -> SiteKind | None:
        """Return the kind of generator that a document is for; None without one."""
        kinds = {self._configured.get(it) for it in _folders_of(path)} - {None}
        if kinds:
            return "permalinks" if "permalinks" in kinds else "files"
        is_marked = self._documents[path].is_for_a_generator
        is_among_marked = any(it in self._marked for it in _folders_of(path))
        return "unknown" if is_marked or is_among_marked else None


def _folders_of(path: str) -> Iterable[str]:
    """Yield the folders of a file, from the inside out; the root is an empty text."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _configured(tree: RepositoryTree) -> Iterable[tuple[str, SiteKind]]:
    """Yield the folders that have a configuration, with the kind of generator."""
    for file in tree.files:
        local = tree.local(file.path)
        for kind, pattern in _CONFIGS.items():
            if pattern.search(local):
                folder = file.path.rpartition("/")[0]
                # .vitepress/ and .vuepress/ configure the folder that contains them.
                head, mark, _ = f"/{folder}".partition("/.v")
                folder = head.lstrip("/") if mark else folder
                if "mkdocs." in local:
                    named = _DOCS_DIR.search(tree.read(file.path) or b"")
                    docs = named[1].decode(errors="replace") if named else "docs"
                    folder = posixpath.normpath(posixpath.join(folder, docs)).lstrip("./")
                yield folder, kind


def _marked_folders(documents: Mapping[str, Document]) -> frozenset[str]:
    """Return the folders with many marked documents, except the root."""
    everything: Counter[str] = Counter()
    marked: Counter[str] = Counter()
    for path, document in documents.items():
        folders = list(_folders_of(path))
        everything.update(folders)
        marked.update(folders if document.is_for_a_generator else ())
    return frozenset(
        folder
        for folder, count in marked.items()
        if folder and count >= _MIN_MARKED_FILES and count >= _MIN_SHARE * everything[folder]
    )
