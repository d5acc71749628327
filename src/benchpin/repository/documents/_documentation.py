"""Which documentation exists, and which is missing.

The four kinds are those of Diátaxis: tutorials teach, how-to guides solve, reference describes,
explanation gives reasons. The kind of a document follows from words in its name, its title or the
name of its folder.
"""

import re
from collections.abc import Container, Iterable, Sequence
from typing import Literal

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import navigation_of
from benchpin.present import Level
from benchpin.repository import NOT_THE_PRODUCT, CountedPaths, RepositoryTree, is_documentation
from benchpin.repository.packing import BriefText, ShownPath, ShownText
from benchpin.workspace.walking import SourceFile, is_test_path

from ._documents import Readme, is_of_benchpin, title_of

DocumentKind = Literal["tutorial", "how-to", "reference", "explanation"]

_KINDS: dict[DocumentKind, re.Pattern[str]] = {
    "tutorial": re.compile(
        r"\b(?:tutorials?|get(?:ting)? started|quick ?starts?|first steps?|learn|introduction|intro"
        r"|walkthrough|hello world|beginners?)\b"
    ),
    "how-to": re.compile(
        r"\b(?:how ?to|howtos?|guides?|recipes?|cookbook|patterns?|deploy\w*|install\w*|upgrad\w*"
        r"|migrat\w*|troubleshoot\w*|faq|usage|using|examples?|contributing|building|testing)\b"
    ),
    "reference": re.compile(
        r"\b(?:api|apis|reference|refs?|config|configuration|cli|options?|settings|commands?|rules?"
        r"|schema|spec|specification|man|manual|changelog|javadoc|rfcs?|glossary)\b"
    ),
    "explanation": re.compile(
        r"\b(?:why|concepts?|architecture|design|explanations?|philosophy|background|internals?"
        r"|overview|rationale|adrs?|decisions?|comparison|theory|lifecycle|how it works)\b"
    ),
}
_SECTIONS: dict[str, re.Pattern[str]] = {
    "installation": re.compile(
        r"(?i)install|getting started|quick ?start|set ?up|download|building"
    ),
    "usage": re.compile(r"(?i)usage|example|quick ?start|getting started|how to|features|tutorial"),
    "contributing": re.compile(r"(?i)contribut|develop|hacking"),
    "licence": re.compile(r"(?i)licen[cs]e|copying"),
}
_FOLDERS = ("docs", "doc", "documentation", "website", "manual", "guide", "src/site", "src/docs")
# Files such as the changelog, which are none of the four kinds.
_ABOUT_THE_PROJECT = re.compile(
    r"(?i)(?:^|/)(?:change(?:s|log)|history|news|releases?|code_of_conduct|security"
    r"|authors|\.github/.*|licen[cs]e)[^/]*$"
)
_OVERRIDE = re.compile(r"^[^({]*\boverride\b")


class ReadmeFacts(Item):
    """The README and its sections."""

    path: ShownPath
    sections: list[BriefText]
    """Headings of the first three levels."""
    sections_total: int
    missing_sections: list[str]
    """Which of installation, usage, contributing and licence neither it nor a file covers."""

    def with_sections(self, most: int) -> "ReadmeFacts":
        """Return the facts with the first sections only."""
        return self.model_copy(update={"sections": self.sections[:most]})


class KindOfDocument(Item):
    """Documents of one of the four kinds."""

    kind: DocumentKind
    total: int
    examples: list[ShownText]


class ApiCoverage(Item):
    """How much of the public API has a doc comment."""

    public_symbols: int
    documented: int
    share: float | None
    """Null when nothing is public."""
    least_documented: list[str]
    """The files with the most undocumented public symbols, and how many."""


class DocumentationProblem(Item):
    """Something in the documents that is wrong or missing."""

    rule: str
    level: Level
    message: BriefText
    file: ShownPath
    line: int


def describe_readme(tree: RepositoryTree, readme: Readme, *, has_licence: bool) -> ReadmeFacts:
    """Return what a README covers; a CONTRIBUTING or licence file counts as a section."""
    names = [it.text for it in readme.headings if it.level <= 3]  # noqa: PLR2004 - deeper is detail
    covered = {
        "contributing": any("contributing" in file.path.lower() for file in tree.files),
        "licence": has_licence,
    }
    missing = [
        section
        for section, pattern in _SECTIONS.items()
        if not covered.get(section) and not any(pattern.search(name) for name in names)
    ]
    return ReadmeFacts(
        path=readme.path, sections=names, sections_total=len(names), missing_sections=missing
    )


def find_documents(tree: RepositoryTree) -> list[SourceFile]:
    """Return the documents by their names, except test data."""
    return [
        file
        for file in tree.files
        if is_documentation(file.path) and not is_test_path(tree.local(file.path))
    ]


def written_by_people(tree: RepositoryTree, documents: Iterable[SourceFile]) -> list[SourceFile]:
    """Return the documents that are no pack and no page of ours; reads the head of each."""
    return [it for it in documents if not is_of_benchpin(tree, it)]


def documentation_folders(tree: RepositoryTree) -> list[str]:
    return [tree.base + name for name in _FOLDERS if tree.base + name in tree.folders]


def sort_documents(
    tree: RepositoryTree, documents: Sequence[SourceFile], readme: Readme | None, job: Job
) -> list[KindOfDocument]:
    """Count the documents of each kind; sections of the README count too."""
    found: dict[DocumentKind, list[str]] = {kind: [] for kind in _KINDS}
    for heading in () if readme is None else readme.headings:
        for kind in _kinds_of(heading.text):
            found[kind].append(f"{readme.path if readme else ''}:{heading.line}")
    for file in job.each(documents, "documents"):
        local = tree.local(file.path)
        if not _ABOUT_THE_PROJECT.search(local) and (readme is None or file.path != readme.path):
            folder, _, name = local.rpartition("/")
            texts = (name.rpartition(".")[0], title_of(tree, file), folder)
            kinds = next((kinds for it in texts if (kinds := _kinds_of(it))), [])
            for kind in kinds[:1]:
                found[kind].append(file.path)
    return [
        KindOfDocument(kind=kind, total=len(places), examples=places[:3])
        for kind, places in found.items()
    ]


def _kinds_of(words: str) -> list[DocumentKind]:
    plain = re.sub(r"[^a-z]+", " ", words.lower())
    return [kind for kind, pattern in _KINDS.items() if pattern.search(plain)]


def measure_api(files: Iterable[FileFacts], base: str) -> ApiCoverage:
    """Return the share of public functions and types with a doc comment.

    Tests, examples, documentation, vendored and generated files do not count.
    """
    public = documented = 0
    bare: list[tuple[int, str]] = []
    paths = CountedPaths()
    for file in files:
        local = file.path.removeprefix(base)
        is_api = paths.has(local) and not (is_test_path(local) or NOT_THE_PRODUCT.search(local))
        if not is_api or file.outline.is_generated:
            continue
        has_comment = _have_doc_comments(file)
        public += len(has_comment)
        documented += sum(has_comment)
        if not all(has_comment):
            bare.append((sum(has_comment) - len(has_comment), file.path))
    return ApiCoverage(
        public_symbols=public,
        documented=documented,
        share=round(documented / public, 4) if public else None,
        least_documented=[f"{path}: {-count}" for count, path in sorted(bare)[:5]],
    )


def _have_doc_comments(file: FileFacts) -> list[bool]:
    """Return, for each public function and type, whether it has a doc comment."""
    functions = [it for it in file.outline.functions if it.is_public and it.kind != "closure"]
    hidden = {it.name for it in file.outline.types if not it.is_public}
    types = [
        it
        for it in file.outline.types
        if it.is_public and it.kind != "extension" and not _is_within(it.name, hidden)
    ]
    owners = {it.name for it in functions}
    traits = {it.name for it in file.outline.types if it.kind == "trait"}
    return [
        *(
            it.is_documented
            for it in functions
            if not _is_within(it.name, owners | hidden)
            and (it.is_documented or not _is_documented_elsewhere(it, file.language, traits))
        ),
        *(it.is_documented for it in types),
    ]


def _is_documented_elsewhere(function: Function, language: str, traits: Container[str]) -> bool:
    """Whether the base class or trait that declares a function is expected to document it."""
    if navigation_of(language).has_traits:
        is_own = function.signature.startswith("pub") or function.kind != "method"
        return not is_own and function.name.rpartition(".")[0] not in traits
    return "Override" in function.decorators or _OVERRIDE.search(function.signature) is not None


def _is_within(name: str, others: Container[str]) -> bool:
    """Whether a symbol is nested in one of some others, or anonymous, so not reachable."""
    owner = name.rpartition(".")[0]
    while owner and owner not in others:
        owner = owner.rpartition(".")[0]
    return bool(owner) or "(anonymous)" in name
