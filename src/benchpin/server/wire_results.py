"""Results as clients see them: text, the structured result, and links to what was too long."""

import base64
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic_core import from_json

from benchpin.core import (
    AccessDenied,
    Audio,
    Content,
    EmbeddedResource,
    Image,
    Limits,
    ResourceLink,
    Result,
    ResultStore,
    StoredResult,
    Text,
)

from .encoding import to_json
from .jsonrpc import ENCODED, Json

logger = logging.getLogger(__name__)

EXTRAS = "benchpin/extras"
"""The `_meta` key of fields that belong at the top of a result, where the SDK would drop them."""

Present = Callable[[Result], Json]

_SAMPLE_ITEMS = 20
_SAMPLE_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Presenter:
    """Encodes results; what exceeds a limit is stored, shortened and linked."""

    limits: Limits
    store: ResultStore

    def tool_result(self, result: Result, max_chars: int | None = None) -> Json:
        """Return the result of a `tools/call`."""
        blocks, cut = self._bounded(result.to_content(), max_chars or self.limits.text_chars)
        structured, link = self._structured(result)
        links = [block for block in (link, cut) if block is not None]
        shown: Json = {
            "content": [content_block(block) for block in (*blocks, *links)],
            "isError": result.is_failure(),
        }
        metadata = result.metadata()
        if metadata is not None:
            shown["metadata"] = metadata
        return {ENCODED: (to_json(shown)[:-1], b',"structuredContent":', structured, b"}")}

    def direct_result(self, result: Result) -> Json:
        """Return the result of a method named after a tool: the structured result itself."""
        return {ENCODED: (self._structured(result)[0],)}

    def _structured(self, result: Result) -> tuple[bytes, ResourceLink | None]:
        encoded = to_json(result)
        # Half of the limit, because the text and the envelope need space as well.
        if len(encoded) <= self.limits.response_bytes // 2:
            return encoded, None
        stored = self._kept(encoded.decode(), "application/json")
        sample = {key: _sampled(value) for key, value in from_json(encoded).items()}
        if stored is None:
            return to_json({**sample, "stored": None}), None
        link = _link(stored, "The whole result, too large to send")
        return to_json({**sample, "stored": stored.uri}), link

    def _bounded(
        self, blocks: Sequence[Content], max_chars: int
    ) -> tuple[list[Content], ResourceLink | None]:
        kept: list[Content] = []
        for block in blocks:
            if not isinstance(block, Text) or len(block.text) <= max_chars:
                kept.append(block)
                continue
            stored = self._kept(block.text, "text/plain")
            shown = block.text[:max_chars].rpartition("\n")[0] or block.text[:max_chars]
            note = f"\n… {len(shown):,} of {len(block.text):,} characters. "
            if stored is None:
                return [*kept, Text(f"{shown}{note}The rest could not be stored.")], None
            note += f"The rest: read_result with id={stored.id}, or {stored.uri}"
            return [*kept, Text(shown + note)], _link(stored, "The whole text")
        return kept, None

    def _kept(self, text: str, mime_type: str) -> StoredResult | None:
        try:
            return self.store.store(text, mime_type)
        except AccessDenied as error:
            logger.warning("%s", error)
            return None


def _link(stored: StoredResult, description: str) -> ResourceLink:
    return ResourceLink(stored.uri, stored.id, stored.mime_type, description, stored.size_bytes)


def _sampled(value: object) -> object:
    """Shorten lists and texts; the value still fits the output schema."""
    if isinstance(value, dict):
        return {key: _sampled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_sampled(inner) for inner in value[:_SAMPLE_ITEMS]]
    return value[:_SAMPLE_CHARS] if isinstance(value, str) else value


def content_block(content: Content) -> Json:
    """Return a content block in the form of MCP."""
    match content:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(data, mime_type):
            return {"type": "image", "data": _base64(data), "mimeType": mime_type}
        case Audio(data, mime_type):
            return {"type": "audio", "data": _base64(data), "mimeType": mime_type}
        case EmbeddedResource(uri, mime_type, body):
            return {"type": "resource", "resource": resource_contents(uri, mime_type, body)}
        case ResourceLink():
            block: Json = {
                "type": "resource_link",
                "uri": content.uri,
                "name": content.name,
                "mimeType": content.mime_type,
            }
            if content.description:
                block["description"] = content.description
            if content.size_bytes is not None:
                block["size"] = content.size_bytes
            return block


def resource_contents(uri: str, mime_type: str, body: str | bytes) -> Json:
    """Return the contents of a resource in the form of MCP."""
    shown: Json = {"uri": uri, "mimeType": mime_type}
    if isinstance(body, str):
        shown["text"] = body
    else:
        shown["blob"] = _base64(body)
    return shown


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
