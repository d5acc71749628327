"""Facts of file contents that were measured before, under any path."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from benchpin.engines.source.cache import FactCache
from benchpin.engines.source.detect import (
    detect_language,
    is_generated_file,
    is_vendored_folder,
)
from benchpin.engines.source.facts import Links, Outline, Tokens
from benchpin.engines.source.index import AnySection, FileFacts, Section
from benchpin.engines.source.versions import key_of

SECTIONS: tuple[Section, ...] = ("outline", "links", "tokens")
_DECODERS: dict[Section, Callable[[bytes], AnySection]] = {
    "outline": msgspec.msgpack.Decoder(Outline).decode,
    "links": msgspec.msgpack.Decoder(Links).decode,
    "tokens": msgspec.msgpack.Decoder(Tokens).decode,
}
_HEAD_BYTES = 8_192


class KnownTexts:
    """The fact cache, looked up by content alone."""

    def __init__(self, folder: Path) -> None:
        self._cache = FactCache(folder)

    def find(self, texts: Mapping[str, bytes]) -> list[FileFacts]:
        """Return the facts of the contents that are cached, for files that a walk would find."""
        keys: dict[str, tuple[str, int, bytes]] = {}
        for path, text in texts.items():
            language = _language(path, text)
            if language is not None and _is_walked(path):
                keys[path] = language, len(text), key_of(text, language)
        wanted = sorted({key for _, _, key in keys.values()})
        stored = {section: self._cache.load(section, wanted) for section in SECTIONS}
        return [
            FileFacts(path, language, size, sections, key)
            for path, (language, size, key) in keys.items()
            if (sections := _decoded(stored, key)) is not None
        ]

    def forget_place(self, root: Path) -> None:
        """Forget the paths below a root that is gone; facts by content stay."""
        self._cache.forget(os.fsencode(root))

    def close(self) -> None:
        """Close the cache."""
        self._cache.close()


def _language(path: str, text: bytes) -> str | None:
    return detect_language(path, lambda: text[:_HEAD_BYTES])


def _is_walked(path: str) -> bool:
    *folders, name = path.split("/")
    return not is_generated_file(name) and not any(map(is_vendored_folder, folders))


def _decoded(
    stored: Mapping[Section, Mapping[bytes, bytes]], key: bytes
) -> dict[str, AnySection] | None:
    """Return the sections of a text; None unless all are whole."""
    try:
        return {section: _DECODERS[section](stored[section][key]) for section in SECTIONS}
    except (KeyError, msgspec.MsgspecError):
        return None
