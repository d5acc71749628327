"""Find what documents promise and the repository does not have, and which documents it lacks."""

from collections.abc import Iterator

from benchpin.core import Bench, Effect, Item, tool
from benchpin.engines.repository.claims import check_claims
from benchpin.engines.repository.documentation import (
    ApiCoverage,
    KindOfDocument,
    ReadmeFacts,
    describe_readme,
    find_documents,
    measure_api,
    sort_documents,
)
from benchpin.engines.repository.documents import Readme, is_markdown, read_document, read_readme
from benchpin.engines.repository.kinds import is_licence
from benchpin.engines.repository.links import check_links
from benchpin.engines.repository.manifests import Manifest
from benchpin.engines.repository.secrets import redact
from benchpin.engines.repository.shown import ShownPath, ShownText
from benchpin.engines.repository.survey import read_manifests
from benchpin.engines.repository.tokens import prepare
from benchpin.engines.repository.tree import RepositoryTree
from benchpin.engines.sarif import Finding, Level

from ._brevity import MOST_SECTIONS, shortened
from ._formats import CheckParams, Report, page_of, rule, show
from ._tree import open_tree, read_outlines
from .check_links import RULES as LINK_RULES
from .check_links import as_finding

_RULES = (
    *LINK_RULES,
    rule("missing-file", "MissingFile", "A code block of a README names a file that is not there."),
    rule("unknown-command", "UnknownCommand", "A code block runs something that does not exist."),
    rule("missing-readme", "MissingReadme", "The repository has no README."),
    rule("missing-section", "MissingSection", "The README does not say what a newcomer needs."),
    rule("missing-kind", "MissingKind", "A kind of documentation is missing."),
)


class DocumentationProblem(Item):
    """Something that is wrong with the documents, or missing."""

    rule: str
    level: Level
    message: ShownText
    file: ShownPath
    line: int


class DocumentationReport(Report):
    """How well a repository explains itself."""

    problems: list[DocumentationProblem]
    total: int
    next_cursor: str | None
    readme: ReadmeFacts | None
    documents: int | None
    """Null, as the kinds are, when time ran out before all were seen."""
    kinds: list[KindOfDocument] | None
    """Documents of the four kinds of Diátaxis, by path and title."""
    api: ApiCoverage | None
    """Public functions and types with a doc comment; null when time ran out before."""


@tool(title="Check documentation", effect=Effect.READ)
def check_documentation(params: CheckParams, bench: Bench) -> DocumentationReport:
    """Check what documents promise: links, anchors, files and commands in README code blocks.

    Says also which sections and kinds of documents are missing, and how much of the public API has
    a doc comment. Runs nothing and fetches nothing.
    """
    job = bench.job
    prepare()
    tree = open_tree(params.path, bench)
    manifests, _ = read_manifests(tree, job)
    readme = read_readme(tree)
    documents = find_documents(tree)
    has_licence = any(is_licence(tree.local(it.path)) for it in tree.files)
    facts = describe_readme(tree, readme, has_licence=has_licence) if readme else None
    kinds = sort_documents(tree, documents, readme, job)
    are_all = tree.is_whole and not job.is_expired
    findings = [
        *(_claims(tree, readme, manifests) if readme else ()),
        *map(as_finding, check_links(tree, job).problems),
        *(_gaps(tree, facts, kinds) if are_all else ()),
    ]
    api = None if job.is_expired else measure_api(read_outlines(tree, bench).files, tree.base)
    page = page_of([shortened(_problem(it)) for it in findings], "documentation", params)
    return DocumentationReport(
        problems=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        readme=facts and _brief(facts),
        documents=len(documents) if tree.is_whole else None,
        kinds=kinds if are_all else None,
        api=api,
        shown=show(
            params,
            bench,
            _head(findings, len(documents), kinds if are_all else [], api),
            _RULES,
            findings,
            [_finding(it) for it in page.items],
            page.footer(),
        ),
    )


def _brief(readme: ReadmeFacts) -> ReadmeFacts:
    return shortened(readme.model_copy(update={"sections": readme.sections[:MOST_SECTIONS]}))


def _claims(tree: RepositoryTree, readme: Readme, manifests: list[Manifest]) -> Iterator[Finding]:
    document = read_document(tree, tree.by_path[readme.path]) if is_markdown(readme.path) else None
    if document is not None:
        for it in check_claims(tree, readme.path, readme.text, document, manifests):
            message = redact(f"{it.message}: {it.command}", it.file)
            yield Finding(it.rule, "warning", message, it.file, it.line, it.line)


def _gaps(
    tree: RepositoryTree, readme: ReadmeFacts | None, kinds: list[KindOfDocument]
) -> Iterator[Finding]:
    place = f"{tree.base}README.md" if readme is None else readme.path
    if readme is None:
        message = f"There is no README in {tree.base or '.'}"
        yield Finding("missing-readme", "warning", message, place, 1, 1)
    for section in () if readme is None else readme.missing_sections:
        message = f"No section, and no file, is about {section}"
        yield Finding("missing-section", "note", message, place, 1, 1)
    for kind in kinds:
        if not kind.total:
            message = f"No document is of the kind {kind.kind}, by path, title or section"
            yield Finding("missing-kind", "note", message, place, 1, 1)


def _problem(it: Finding) -> DocumentationProblem:
    return DocumentationProblem(
        rule=it.rule, level=it.level, message=it.message, file=it.path, line=it.line
    )


def _finding(it: DocumentationProblem) -> Finding:
    return Finding(it.rule, it.level, it.message, it.file, it.line, it.line)


def _head(
    findings: list[Finding], documents: int, kinds: list[KindOfDocument], api: ApiCoverage | None
) -> list[str]:
    if kinds:
        lines = [f"{len(findings):,} problems; {documents:,} documents"]
        lines.append(", ".join(f"{it.kind} {it.total:,}" for it in kinds))
    else:
        lines = [f"{len(findings):,} problems in what there was time for"]
    if api is not None and api.share is not None:
        told = f"{api.documented:,} of {api.public_symbols:,}"
        lines.append(f"{told} public symbols have a doc comment ({api.share:.0%})")
    return lines
