"""Pack files into one text: tokens, secrets, selection."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._packing import FileWithSecret, PackedFile, pack, packing_options
    from ._secrets import find_secrets, redact, without_user
    from ._shown import BriefText, ShownPath, ShownText, brief
    from ._text_facts import TextFacts, read_text_facts
    from ._tokens import count_tokens, encoding, preload

__all__ = [
    "BriefText",
    "FileWithSecret",
    "PackedFile",
    "ShownPath",
    "ShownText",
    "TextFacts",
    "brief",
    "count_tokens",
    "encoding",
    "find_secrets",
    "pack",
    "packing_options",
    "preload",
    "read_text_facts",
    "redact",
    "without_user",
]

__getattr__ = lazy(__name__)
