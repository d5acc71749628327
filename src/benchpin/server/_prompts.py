"""`prompts/*`, `completion/complete` and `skills/*`.

Skills are the extension `io.modelcontextprotocol/skills` (SEP-2640). The files themselves are
resources, `skill://…`; an entry has the digest of each.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcp.server.context import CallNext, HandlerResult
from mcp_types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    PromptReference,
    RequestParams,
)

from benchpin.app import Workbench
from benchpin.core.content import Prompt, RenderedPrompt
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.results import paginate
from benchpin.server.wire import EXTRAS, content_block, protocol_error
from benchpin.toolsets.server.skills import Skill, read_skills
from benchpin.workspace.writing import sha256_of

from ._announcement import LIST_TTL_MS
from ._client import RequestClient
from ._input import InputRequired, StateSeal
from ._peer import Context, peer_of
from .jsonrpc import Json

_SKILLS_PAGE = 100
# What the extension requires of both results, whatever the revision of MCP.
_COMPLETE: Json = {"resultType": "complete", "ttlMs": LIST_TTL_MS, "cacheScope": "public"}
_PAGE = 100
_MAX_COMPLETIONS = 100


class GetSkillParams(RequestParams):
    """The params of `skills/get`."""

    uri: str
    """The URI of the skill's SKILL.md."""


async def list_skills(_ctx: Context, params: PaginatedRequestParams) -> Json:
    """Answer `skills/list`."""
    page = paginate(read_skills(), listing="skills", cursor=params.cursor, limit=_SKILLS_PAGE)
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


class ListPromptsParams(PaginatedRequestParams):
    """The params of `prompts/list`."""

    category: str | None = None


class PromptHandlers:
    """Serves the prompts of the catalogue and completes their arguments."""

    def __init__(self, workbench: Workbench, seal: StateSeal) -> None:
        self._workbench = workbench
        self._seal = seal

    async def accept_values(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Turn numbers and booleans among the arguments into text, as middleware.

        The standard knows only text, and the SDK refuses everything else before it calls us.
        """
        if ctx.method != "prompts/get":
            return await call_next(ctx)
        params = await asyncio.to_thread(self._with_text_arguments, ctx.params)
        return await call_next(replace(ctx, params=params))

    def _with_text_arguments(
        self, params: Mapping[str, object] | None
    ) -> Mapping[str, object] | None:
        given = (params or {}).get("arguments")
        if params is None or not isinstance(given, Mapping):
            return params
        if all(isinstance(value, str) for value in given.values()):
            return params
        known = {
            it.name: it
            for prompt in self._all()
            if prompt.name == params.get("name")
            for it in prompt.arguments
        }
        texts = {
            name: known[name].as_text(value) if name in known else value
            for name, value in given.items()
        }
        return {**params, "arguments": texts}

    async def list_prompts(self, _ctx: Context, params: ListPromptsParams) -> ListPromptsResult:
        """Answer `prompts/list`, for one category if asked."""
        category = params.category
        prompts = [
            prompt
            for prompt in await asyncio.to_thread(self._all)
            if category is None or prompt.category == category
        ]
        listing = f"prompts {category}"
        page = paginate(prompts, listing=listing, cursor=params.cursor, limit=_PAGE)
        categories = {prompt.name: {"category": prompt.category} for prompt in page.items}
        listed: Json = {
            "prompts": [_listed(prompt) for prompt in page.items],
            "_meta": {EXTRAS: {"prompts": categories}},
        }
        if page.next_cursor is not None:
            listed["nextCursor"] = page.next_cursor
        return ListPromptsResult.model_validate(listed)

    async def get_prompt(
        self, ctx: Context, params: GetPromptRequestParams
    ) -> GetPromptResult | Json:
        """Answer `prompts/get`."""
        catalogue, bench = self._workbench.catalogue, self._workbench.bench
        prompt = await asyncio.to_thread(catalogue.find_prompt, params.name)
        bench = replace(bench, client=RequestClient(ctx, peer_of(ctx), self._seal))
        try:
            made = await asyncio.to_thread(prompt.rendering, params.arguments or {}, bench)
            rendered = made if isinstance(made, RenderedPrompt) else await made
        except InputRequired as asked:
            return asked.result
        except BenchpinError as error:
            raise protocol_error(error, catalogue.owner_of_prompt(prompt)) from error
        extras = {
            "name": prompt.name,
            "category": prompt.category,
            "content": rendered.text,
            "raw_content": rendered.raw,
            "arguments": _arguments(prompt),
        }
        filled: Json = {
            "description": prompt.description,
            "messages": [
                {
                    "role": message.role,
                    "content": content_block(message.content, ctx.protocol_version),
                }
                for message in rendered.messages
            ],
            "_meta": {EXTRAS: extras},
        }
        return GetPromptResult.model_validate(filled)

    async def complete(self, _ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        """Answer `completion/complete`."""
        values = await asyncio.to_thread(self._candidates, params)
        return CompleteResult(
            completion=Completion(
                values=list(values[:_MAX_COMPLETIONS]),
                total=len(values),
                has_more=len(values) > _MAX_COMPLETIONS,
            )
        )

    def _all(self) -> tuple[Prompt, ...]:
        """Return the prompts; the first call reads their files."""
        return self._workbench.catalogue.prompts

    def _candidates(self, params: CompleteRequestParams) -> Sequence[str]:
        name, prefix = params.argument.name, params.argument.value
        catalogue = self._workbench.catalogue
        if isinstance(params.ref, PromptReference):
            prompt = catalogue.find_prompt(params.ref.name)
            arguments = {argument.name: argument for argument in prompt.arguments}
            _require_known(name, list(arguments), f"the prompt {prompt.name}")
            return [it for it in arguments[name].choices if it.startswith(prefix)]
        resource = catalogue.find_template(params.ref.uri)
        _require_known(name, resource.variables, resource.uri)
        if resource.complete is None:
            return ()
        return resource.complete(name, prefix, self._workbench.bench)


def _require_known(name: str, known: Sequence[str], owner: str) -> None:
    if name not in known:
        raise InvalidParams(
            f"{name[:100]!r} is not an argument of {owner}",
            suggestion=f"Complete one of: {', '.join(known) or 'nothing here'}.",
        )


def _listed(prompt: Prompt) -> Json:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": _arguments(prompt),
    }


def _arguments(prompt: Prompt) -> list[Json]:
    return [
        {
            "name": argument.name,
            "description": argument.description,
            "required": argument.required,
        }
        for argument in prompt.arguments
    ]
