"""Texts that can be sent and shown: names of files, counts, control characters, URIs."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._documents import (
        GENERATOR,
        HEAD_BYTES,
        NotPlainYaml,
        is_own_output,
        json_text,
        parse_plain_yaml,
    )
    from ._printable import (
        SCHEME,
        absolute_uri,
        by_reason,
        counted,
        file_uri,
        folded,
        folded_line,
        path_of,
        plain,
        sendable,
        shortened,
        utf8,
        width_of,
    )
    from ._text_style import PLAIN, TextStyle, visible

__all__ = [
    "GENERATOR",
    "HEAD_BYTES",
    "PLAIN",
    "SCHEME",
    "NotPlainYaml",
    "TextStyle",
    "absolute_uri",
    "by_reason",
    "counted",
    "file_uri",
    "folded",
    "folded_line",
    "is_own_output",
    "json_text",
    "parse_plain_yaml",
    "path_of",
    "plain",
    "sendable",
    "shortened",
    "utf8",
    "visible",
    "width_of",
]

__getattr__ = lazy(__name__)
