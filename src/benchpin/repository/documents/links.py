"""Broken links: files that do not exist, anchors without a heading.

Nothing is fetched. Links that only a site generator or a server can resolve are only counted.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.present import FindingRule
from benchpin.repository import RepositoryTree
from benchpin.repository.packing import BriefText, ShownPath

from ._documents import (
    Document,
    MarkdownLink,
    is_markdown,
    is_time_to_parse,
    markdown_files,
    read_document,
)

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
LinkRule = Literal["broken-link", "broken-anchor", "wrong-case"]
# Links within a repository that a slow machine checks in a second.
_CHECKED_PER_S = 10_000
_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:|//")
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|\$[A-Z_]+|<%|\{[a-z_]+\}|^<.*>$|^:[a-z]|@[A-Z_]+@|%[A-Z_]+%")
_NOT_A_WORD = re.compile(r"[\W_]+")
_BY_THE_GENERATOR = "that only a site generator can resolve"
_OTHER_ANCHORS = "an anchor by other rules than GitHub's"
# Anchors that GitHub itself adds to a page.
_GITHUB_ANCHORS = frozenset({"top", "readme", "repo-content-pjax-container"})
_LINE_ANCHOR = re.compile(r"L\d+(?:C\d+)?(?:-L\d+(?:C\d+)?)?")
_GITHUB_PAGE = re.compile(
    r"(?:\.\./)+(?:issues|pulls?|wiki|releases|actions|blob|tree|raw|commits?|discussions|security"
    r"|compare|stargazers|graphs|projects|network|labels|milestones?)(?:/|$)"
)
_TEMPLATE_FILE = re.compile(
    r"(?i)(?:^|/)\.github/(?:ISSUE_TEMPLATE|PULL_REQUEST_TEMPLATE|.*-template)"
)
_SOURCES = (".md", ".mdx", ".markdown", ".rst")
_SITE_SUFFIXES = (".md", ".mdx", "/index.md", "/README.md", "/index.mdx", ".html", ".rst")


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


def finding_rules(descriptions: Mapping[str, str]) -> tuple[FindingRule, ...]:
    """Return rules of this toolset; `broken-link` has the name BrokenLink."""
    return tuple(
        FindingRule(key, key.title().replace("-", ""), text, "repository")
        for key, text in descriptions.items()
    )


RULES = finding_rules(
    {
        "broken-link": "A relative link leads to a missing file.",
        "broken-anchor": "A link leads to a missing heading.",
        "wrong-case": "A link differs from its file in upper and lower case.",
    }
)


class LinkProblem(Item):
    """A broken link."""

    rule: LinkRule
    message: BriefText
    file: ShownPath
    line: int
    target: BriefText


@dataclass(slots=True)
class LinkReport:
    """Broken links, and how many links there are."""

    problems: list[LinkProblem] = field(default_factory=list)
    files: int = 0
    links: int = 0
    checked: int = 0
    unchecked: Counter[str] = field(default_factory=Counter)
    """Links that were not checked, by reason."""


def check_links(tree: RepositoryTree, job: Job) -> LinkReport:
    """Check the relative links and anchors of all Markdown files."""
    report = LinkReport()
    documents = _read(tree, report, job)
    sites = Sites(tree, documents)
    for path, document in documents.items():
        job.check()
        checker = _Checker(tree, path, document, sites.kind_of(path), job)
        for link in document.links:
            report.links += 1
            outcome = checker.check(link)
            if isinstance(outcome, LinkProblem):
                report.problems.append(outcome)
            if outcome is None or isinstance(outcome, LinkProblem):
                report.checked += 1
            else:
                report.unchecked[outcome] += 1
    report.problems.sort(key=lambda it: (it.file, it.line, it.target))
    return report


def _read(tree: RepositoryTree, report: LinkReport, job: Job) -> dict[str, Document]:
    """Return the parsed documents by path, as many as there is time for."""
    chosen = markdown_files(tree)
    found: dict[str, Document] = {}
    links = 0
    for done, file in enumerate(job.each(chosen, "documents")):
        if not is_time_to_parse(tree, file, job, reserve_s=links / _CHECKED_PER_S):
            job.leave_out(f"{len(chosen) - done} of {len(chosen)} documents")
            break
        document = read_document(tree, file, job)
        if document is None:
            report.unchecked["in files that cannot be read"] += 1
        else:
            found[file.path] = document
            links += sum(_SCHEME.match(it.target) is None for it in document.links)
    report.files = len(found)
    return found


class _Checker:
    def __init__(
        self,
        tree: RepositoryTree,
        path: str,
        document: Document,
        site: SiteKind | None,
        job: Job,
    ) -> None:
        self._tree = tree
        self._job = job
        self._path = path
        self._folder = path.rpartition("/")[0]
        self._document = document
        self._site = site

    def check(self, link: MarkdownLink) -> LinkProblem | str | None:
        """Return what is wrong, or why the link was not checked; None when it is good."""
        target = link.target.strip()
        if _SCHEME.match(target):
            return "external"
        if _TEMPLATE.search(unquote(target)):
            return "with template placeholders"
        place, _, anchor = target.partition("#")
        place = unquote(place.partition("?")[0])
        if not place:
            return self._anchor(link, self._document, unquote(anchor), self._path)
        if _TEMPLATE_FILE.search(self._path):
            return "in issue and pull request templates"
        if _GITHUB_PAGE.match(place):
            return "a page of the hosting service"
        if place.startswith("/") and self._site:
            return "from the root of a site"
        found = self._find(place)
        if found is None:
            return self._missing(link, place)
        if found not in self._tree.by_path or not is_markdown(found) or not anchor:
            return None
        document = read_document(self._tree, self._tree.by_path[found], self._job)
        return None if document is None else self._anchor(link, document, unquote(anchor), found)

    def _candidates(self, place: str) -> Iterator[str]:
        """Yield the paths that a link may refer to, the likeliest first."""
        starts = (self._tree.base, "") if place.startswith("/") else (f"{self._folder}/",)
        for start in dict.fromkeys(starts):
            path = posixpath.normpath(start + place.lstrip("/")).lstrip("/")
            yield path
            if self._site:
                bare = path.removesuffix(".html")
                yield from (bare + suffix for suffix in _SITE_SUFFIXES)

    def _find(self, place: str) -> str | None:
        for path in self._candidates(place):
            if not path.startswith("..") and (path == "." or self._tree.exists(path)):
                return path
        return None

    def _missing(self, link: MarkdownLink, place: str) -> LinkProblem | str:
        path = next(self._candidates(place))
        if path.startswith(".."):
            return self._problem("broken-link", "leads out of the workspace", link)
        if self._tree.leads_out(path):
            return self._problem("broken-link", "leads out of the repository", link)
        if not self._tree.may(path):
            return "to files that may not be read"
        if any(path + suffix in self._tree.by_path for suffix in _SITE_SUFFIXES):
            return "to documents without their ending"
        if self._site and not self._is_checkable(place, path):
            return _BY_THE_GENERATOR
        near = self._tree.by_folded_path.get(path.lower())
        if near is not None:
            return self._problem("wrong-case", f"is spelled {near}", link)
        if self._tree.is_ignored(path):
            return "to files that git ignores, as a build may make them"
        resolved = "" if path == link.target else f" ({path})"
        return self._problem("broken-link", f"does not exist{resolved}", link)

    def _is_checkable(self, place: str, path: str) -> bool:
        """Whether a missing file is also missing for the site generator."""
        if self._site == "files":
            return True
        is_beside_others = posixpath.dirname(path) in self._tree.folders
        is_document = place.endswith(_SOURCES) and is_beside_others
        return self._site == "permalinks" and is_document

    def _anchor(
        self, link: MarkdownLink, document: Document, anchor: str, path: str
    ) -> LinkProblem | str | None:
        wanted = anchor.removeprefix("user-content-")
        if not wanted or wanted in _GITHUB_ANCHORS or _LINE_ANCHOR.fullmatch(wanted):
            return None
        if wanted in document.anchors or wanted.lower() in document.anchors:
            return None
        is_own = self._site is None or (self._site == "unknown" and path == self._path)
        if not is_own:
            return "an anchor that a site generator creates"
        if _is_near(wanted, document):
            return _OTHER_ANCHORS
        where = "here" if path == self._path else f"in {path}"
        return self._problem("broken-anchor", f"matches no heading {where}", link)

    def _problem(self, rule: LinkRule, fault: str, link: MarkdownLink) -> LinkProblem:
        return LinkProblem(
            rule=rule,
            message=f"{link.target} {fault}",  # as written, so that a search finds it
            file=self._path,
            line=link.line,
            target=link.target,
        )


def _is_near(anchor: str, document: Document) -> bool:
    """Whether a heading has this anchor by other rules than GitHub's.

    Other generators join words differently, or stop at a slash or bracket.
    """
    wanted = _NOT_A_WORD.sub("-", anchor.lower()).strip("-")
    for heading in document.headings:
        for text in (heading.text, re.split(r"\s[/(]", heading.text)[0]):
            if wanted and wanted == _NOT_A_WORD.sub("-", text.lower()).strip("-"):
                return True
    return False
