"""Stored results and skills as resources."""

import re
from collections.abc import Iterator

from benchpin.core.calls import Bench
from benchpin.core.content import ResourceContents, ResourceEntry, Variables, resource
from benchpin.core.errors import ResourceNotFound
from benchpin.toolsets.server.skills import read_skills

_PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_MARKDOWN = "text/markdown"


def _entries(bench: Bench, after: str) -> Iterator[ResourceEntry]:
    for stored in bench.results.all():
        if stored.uri > after:
            yield ResourceEntry(
                uri=stored.uri,
                name=stored.id,
                mime_type=stored.mime_type,
                size_bytes=stored.size_bytes,
                description="A result that was too large to send.",
            )


def _complete(variable: str, prefix: str, bench: Bench) -> list[str]:
    if variable != "id":
        return []
    return [stored.id for stored in bench.results.all() if stored.id.startswith(prefix)]


@resource(
    "result://{id}",
    title="Stored result",
    mime_type="application/json",
    entries=_entries,
    complete=_complete,
    list_order=1,
)
def stored_result(variables: Variables, bench: Bench) -> ResourceContents:
    """The first page of a result that was too large to send; the next is result://{id}/2."""
    return _page(variables["id"], 1, bench)


@resource(
    "result://{id}/{page}",
    title="Page of a stored result",
    mime_type="application/json",
    complete=_complete,
)
def stored_result_page(variables: Variables, bench: Bench) -> ResourceContents:
    """One page of a stored result, counted from 1; a page has up to 256 KiB."""
    page = variables["page"]
    if not _PAGE_NUMBER.fullmatch(page):
        raise ResourceNotFound(
            f"{page[:20]!r} is not a page", suggestion="Pages are counted from 1."
        )
    return _page(variables["id"], int(page), bench)


def _page(result_id: str, page: int, bench: Bench) -> ResourceContents:
    stored, page_bytes = bench.results.find(result_id), bench.results.page_bytes
    pages = max(1, -(-stored.size_bytes // page_bytes))
    if page > pages:
        raise ResourceNotFound(
            f"Result {result_id} has {pages} pages; asked for page {page}",
            suggestion=f"Ask for a page from 1 to {pages}.",
        )
    start = (page - 1) * page_bytes
    if stored.is_binary:
        body = bench.results.read_bytes(result_id, start, page_bytes)
        return ResourceContents(body, stored.mime_type)
    return ResourceContents(bench.results.read(result_id, start, page_bytes).text, stored.mime_type)


def _skill_entries(_bench: Bench, after: str) -> Iterator[ResourceEntry]:
    for skill in read_skills():
        if skill.uri > after:
            yield ResourceEntry(
                uri=skill.uri,
                name=skill.name,
                mime_type=_MARKDOWN,
                size_bytes=len(skill.content),
                description=skill.front_matter["description"],
            )


def _complete_skill(_variable: str, prefix: str, _bench: Bench) -> list[str]:
    return [skill.name for skill in read_skills() if skill.name.startswith(prefix)]


@resource(
    "skill://{name}/SKILL.md",
    title="Skill",
    mime_type=_MARKDOWN,
    entries=_skill_entries,
    complete=_complete_skill,
)
def skill_file(variables: Variables, _bench: Bench) -> ResourceContents:
    """How to do a whole task with these tools, for agents that load skills."""
    skills = {skill.name: skill for skill in read_skills()}
    name = variables["name"]
    if name not in skills:
        raise ResourceNotFound(
            f"There is no skill {name[:80]!r}", suggestion=f"Skills: {', '.join(skills)}."
        )
    return ResourceContents(skills[name].content.decode(), _MARKDOWN)
