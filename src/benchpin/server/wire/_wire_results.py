"""Results as clients see them: text, the structured result, and links to what was too long."""

import base64
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_types.version import is_version_at_least
from pydantic_core import from_json

from benchpin.core.calls import Limits
from benchpin.core.content import Audio, Content, EmbeddedResource, Image, ResourceLink, Text
from benchpin.core.errors import AccessDenied, ResponseTooLarge
from benchpin.core.results import Result, ResultStore, StoredResult
from benchpin.server.jsonrpc import ENCODED, Json

from ._encoding import to_json

logger = logging.getLogger(__name__)

# The `_meta` key of fields that belong at the top of a result, where the SDK would drop them.
EXTRAS = "benchpin/extras"

# The `_meta` key of how whole, how fresh and how sure a result is.
ASSURANCE = "benchpin/answer"
_TOO_LONG = "lists and texts too long to send; the whole is stored"

Present = Callable[[Result], Json]

# Room for the id and the names of fields; ids of clients are short.
ENVELOPE_BYTES = 1_000
# How many items of a list and characters of a text a sample keeps: the first that fits.
_SAMPLES = ((20, 2_000), (5, 200), (1, 40), (0, 0))
_MIN_CHARS = 100
_LINKS_SINCE = "2025-06-18"
_AUDIO_SINCE = "2025-03-26"


@dataclass(frozen=True, slots=True)
class Presenter:
    """Encodes results; what exceeds a limit is stored, shortened and linked."""

    limits: Limits
    store: ResultStore

    def tool_result(
        self, result: Result, protocol_version: str, max_chars: int | None = None
    ) -> Json:
        """Return the result of a `tools/call`.

        Raises:
            ResponseTooLarge: when it cannot be made short enough.
        """
        structured, link = self._structured(result)
        metadata = result.metadata()
        beside = b"" if metadata is None else b',"metadata":' + to_json(metadata)
        assurance = result.assurance()
        if link is not None:
            assurance = replace(assurance, left_out=(*assurance.left_out, _TOO_LONG))
        answer = {ASSURANCE: assurance.to_fields()}
        room = self.limits.response_bytes - ENVELOPE_BYTES - len(structured) - len(beside)
        if assurance.left_out:  # there is room for everything else in it
            room -= len(to_json(answer))
        blocks = (*result.to_content(), *([] if link is None else [link]))
        content = self._content(blocks, protocol_version, max_chars or self.limits.text_chars, room)
        is_error = b',"isError":true' if result.is_failure() else b',"isError":false'
        head = (b'{"content":', content, is_error, beside)
        return {ENCODED: (*head, b',"structuredContent":', structured, b"}"), "_meta": answer}

    def direct_result(self, result: Result) -> Json:
        """Return the result of a method named after a tool: the structured result itself.

        Raises:
            ResponseTooLarge: when it cannot be made short enough.
        """
        return {ENCODED: (self._structured(result)[0],)}

    def _structured(self, result: Result) -> tuple[bytes, ResourceLink | None]:
        encoded = to_json(result)
        # Half of the limit, because the text and the envelope need space as well.
        most = self.limits.response_bytes // 2
        if len(encoded) <= most:
            return encoded, None
        stored = self._kept(encoded.decode(), "application/json")
        place = {"stored": None if stored is None else stored.uri}
        whole = from_json(encoded)
        for items, chars in _SAMPLES:
            sample = to_json({**_sampled(whole, items, chars), **place})
            if len(sample) <= most:
                break
        else:
            raise ResponseTooLarge(self.limits.response_bytes)
        if stored is None:
            return sample, None
        return sample, _link(stored, "The whole result, too large to send")

    def _content(
        self, blocks: Sequence[Content], protocol_version: str, max_chars: int, room: int
    ) -> bytes:
        """Encode content blocks in at most `room` bytes."""
        while True:
            parts = [self._bounded(block, max_chars) for block in blocks]
            shown = [content_block(it, protocol_version) for it, _ in parts]
            if is_version_at_least(protocol_version, _LINKS_SINCE):
                shown += [content_block(it, protocol_version) for _, it in parts if it is not None]
            encoded = to_json(shown)
            if len(encoded) <= room:
                return encoded
            longest = max((len(it.text) for it in blocks if isinstance(it, Text)), default=0)
            # A character may be encoded in six bytes, so the first guess can be too high.
            max_chars = min(max_chars, longest) * max(room, 0) // (len(encoded) + 1)
            if max_chars < _MIN_CHARS:
                raise ResponseTooLarge(self.limits.response_bytes)

    def _bounded(self, block: Content, max_chars: int) -> tuple[Content, ResourceLink | None]:
        """Return a block; instead of a long text, its beginning or summary, and a link."""
        if not isinstance(block, Text) or len(block.text) <= max_chars:
            return block, None
        if block.mime_type.endswith("json") and len(dense := _dense(block.text)) <= max_chars:
            return replace(block, text=dense), None
        stored = self._kept(block.text, block.mime_type)
        if block.can_be_cut:
            shown = block.text[:max_chars].rpartition("\n")[0] or block.text[:max_chars]
            note = f"… {len(shown):,} of {len(block.text):,} characters. "
            rest = "The rest"
        else:
            shown = block.summary[:max_chars]
            note = f"The {block.mime_type} has {len(block.text):,} characters, too many to show. "
            rest = "All of it"
        if stored is None:
            return Text(f"{shown}\n{note}{rest} could not be stored."), None
        note += f"{rest}: read_result with id={stored.id}, or {stored.uri}"
        return Text(f"{shown}\n{note}"), _link(stored, "The whole text")

    def _kept(self, text: str, mime_type: str) -> StoredResult | None:
        try:
            return self.store.store(text, mime_type)
        except AccessDenied as error:
            logger.warning("%s", error)
            return None


def _dense(document: str) -> str:
    """Return a JSON document without the white space, which is up to half of it."""
    return json.dumps(json.loads(document), ensure_ascii=False, separators=(",", ":"))


def _link(stored: StoredResult, description: str) -> ResourceLink:
    return ResourceLink(stored.uri, stored.id, stored.mime_type, description, stored.size_bytes)


def _sampled(value: Any, items: int, chars: int) -> Any:
    """Shorten lists and texts; the value still fits the output schema."""
    if isinstance(value, dict):
        return {key: _sampled(inner, items, chars) for key, inner in value.items()}
    if isinstance(value, list):
        return [_sampled(inner, items, chars) for inner in value[:items]]
    return value[:chars] if isinstance(value, str) else value


def content_block(content: Content, protocol_version: str) -> Json:
    """Return a content block in the form of MCP, of a type that the version has."""
    match content:
        case Text():
            return {"type": "text", "text": content.text}
        case ResourceLink() if not is_version_at_least(protocol_version, _LINKS_SINCE):
            return {"type": "text", "text": _in_words(content)}
        case Audio(data, mime_type) if not is_version_at_least(protocol_version, _AUDIO_SINCE):
            sound = resource_contents("export://audio", mime_type, data)
            return {"type": "resource", "resource": sound}
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


def _in_words(link: ResourceLink) -> str:
    size = "" if link.size_bytes is None else f", {link.size_bytes:,} bytes"
    reader = "read_result" if link.uri.startswith("result://") else "read_file"
    what = link.description or link.name
    return f"{what}: {link.uri} ({link.mime_type}{size}). Use resources/read or {reader}."


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
