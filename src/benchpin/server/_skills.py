"""`skills/list` and `skills/get`, of the extension `io.modelcontextprotocol/skills` (SEP-2640).

The files themselves are resources, `skill://…`; an entry has the digest of each.
"""

from mcp_types import PaginatedRequestParams, RequestParams

from benchpin.core.errors import InvalidParams
from benchpin.core.results import paginate
from benchpin.toolsets.server.skills import Skill, read_skills
from benchpin.workspace.writing import sha256_of

from ._announcement import LIST_TTL_MS
from ._peer import Context
from .jsonrpc import Json

_PAGE = 100
# What the extension requires of both results, whatever the revision of MCP.
_COMPLETE: Json = {"resultType": "complete", "ttlMs": LIST_TTL_MS, "cacheScope": "public"}


class GetSkillParams(RequestParams):
    """The params of `skills/get`."""

    uri: str
    """The URI of the skill's SKILL.md."""


async def list_skills(_ctx: Context, params: PaginatedRequestParams) -> Json:
    """Answer `skills/list`."""
    page = paginate(read_skills(), listing="skills", cursor=params.cursor, limit=_PAGE)
    more: Json = {} if page.next_cursor is None else {"nextCursor": page.next_cursor}
    return {"skills": [_entry(skill) for skill in page.items], **more, **_COMPLETE}


async def get_skill(_ctx: Context, params: GetSkillParams) -> Json:
    """Answer `skills/get`.

    Raises:
        InvalidParams: when no skill has this URI.
    """
    skills = {skill.uri: skill for skill in read_skills()}
    skill = skills.get(params.uri)
    if skill is None:
        raise InvalidParams(
            f"No skill is served at {params.uri[:200]}", suggestion=f"Skills: {', '.join(skills)}."
        )
    return {"skill": _entry(skill), **_COMPLETE}


def _entry(skill: Skill) -> Json:
    digest = f"sha256:{sha256_of(skill.content)}"
    return {
        "uri": skill.uri,
        "frontmatter": skill.front_matter,
        "resources": [{"uri": skill.uri, "digest": digest, "size": len(skill.content)}],
    }
