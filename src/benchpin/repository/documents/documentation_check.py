"""Check what documents promise, and which documents are missing."""

from collections.abc import Iterator

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.present import Level
from benchpin.repository import RepositoryTree, is_licence, read_manifests
from benchpin.repository.manifests import PackageManifest

from . import links
from ._claims import check_claims
from ._documentation import (
    ApiCoverage,
    DocumentationProblem,
    KindOfDocument,
    ReadmeFacts,
    describe_readme,
    find_documents,
    measure_api,
    sort_documents,
    written_by_people,
)
from ._documents import Readme, is_markdown, read_document, read_readme

_MAX_SECTIONS = 20
RULES = (
    *links.RULES,
    *links.finding_rules(
        {
            "missing-file": "A README code block uses a missing file.",
            "unknown-command": "A README code block runs a command that does not exist.",
            "missing-readme": "There is no README.",
            "missing-section": "The README lacks a section that newcomers need.",
            "missing-kind": "There is no document of this kind.",
        }
    ),
)


class DocumentationFacts(Item):
    """Which documents exist; null is what there was no time for."""

    readme: ReadmeFacts | None
    documents: int | None
    kinds: list[KindOfDocument] | None
    """Documents of the four kinds of Diátaxis, by path and title."""
    api: ApiCoverage | None
    """Public functions and types with a doc comment."""


def check_documentation(
    tree: RepositoryTree, job: Job
) -> tuple[list[DocumentationProblem], DocumentationFacts]:
    """Check links, anchors, and the files and commands in README code blocks."""
    manifests, _ = read_manifests(tree, job)
    readme = read_readme(tree, job)
    documents = written_by_people(tree, find_documents(tree))
    has_licence = any(is_licence(tree.local(it.path)) for it in tree.files)
    facts = describe_readme(tree, readme, has_licence=has_licence) if readme else None
    kinds = sort_documents(tree, documents, readme, job)
    is_complete = tree.is_whole and not job.is_expired
    problems = [
        *(_claims(tree, readme, manifests, job) if readme else ()),
        *(
            _problem(it.rule, "warning", it.message, it.file, it.line)
            for it in links.check_links(tree, job).problems
        ),
        *(_gaps(tree, facts, kinds) if is_complete else ()),
    ]
    is_late = job.is_expired
    if is_late:
        job.leave_out("how much of the public API has a doc comment")
    return problems, DocumentationFacts(
        readme=facts and facts.with_sections(_MAX_SECTIONS),
        documents=len(documents) if tree.is_whole else None,
        kinds=kinds if is_complete else None,
        api=None if is_late else measure_api(tree.read_sources(job).files, tree.base),
    )


def _claims(
    tree: RepositoryTree, readme: Readme, manifests: list[PackageManifest], job: Job
) -> list[DocumentationProblem]:
    if not is_markdown(readme.path):
        return []
    document = read_document(tree, tree.by_path[readme.path], job)
    if document is None:
        return []
    return check_claims(tree, readme.path, readme.text, document, manifests, job)


def _gaps(
    tree: RepositoryTree, readme: ReadmeFacts | None, kinds: list[KindOfDocument]
) -> Iterator[DocumentationProblem]:
    file = f"{tree.base}README.md" if readme is None else readme.path
    if readme is None:
        yield _problem(
            "missing-readme", "warning", f"There is no README in {tree.base or '.'}", file
        )
    for section in () if readme is None else readme.missing_sections:
        yield _problem("missing-section", "note", f"No section and no file covers {section}", file)
    for kind in kinds:
        if not kind.total:
            message = f"There is no {kind.kind} document, judging by paths, titles and sections"
            yield _problem("missing-kind", "note", message, file)


def _problem(
    rule: str, level: Level, message: str, file: str, line: int = 1
) -> DocumentationProblem:
    return DocumentationProblem(rule=rule, level=level, message=message, file=file, line=line)
