"""Documents: JSON that every reader accepts, YAML of strangers, and pages of our own."""

import json
import math
import re

_MAX_DEPTH = 8
# Every page has this in its head.
GENERATOR = '<meta name="generator" content="Benchpin">'
HEAD_BYTES = 4_096
# The heading and the list of files of `pack_repository`, as Markdown and as XML.
_PACK = re.compile(
    rb"# [^\n]*\n\n\d+ files\n\n- [^\n]* \(\d+ tokens\)\n"
    rb"|<\?xml [^\n]*\n<repository name=[^\n]* files=\"\d+\">\n<file path=[^\n]* tokens=\"\d+\">"
)


def json_text(
    value: object,
    *,
    indent: int | None = None,
    ensure_ascii: bool = False,
    separators: tuple[str, str] | None = None,
) -> str:
    """Return a value as JSON; NaN and infinity, which JSON does not have, become null."""
    try:
        return json.dumps(
            value,
            indent=indent,
            ensure_ascii=ensure_ascii,
            separators=separators,
            allow_nan=False,
        )
    except ValueError:  # also a cycle, which _finite cannot leave either: RecursionError
        return json.dumps(
            _finite(value), indent=indent, ensure_ascii=ensure_ascii, separators=separators
        )


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


# Read YAML from untrusted sources: short, flat, and with every scalar as text.
#
# Aliases, which can multiply without bound, are refused.


class NotPlainYaml(ValueError):
    """A text that is not YAML, or exceeds the limits."""


def parse_plain_yaml(text: str, most_chars: int) -> object:
    """Return the document, an empty mapping if there is none.

    Raises:
        NotPlainYaml: when it is too long, nested too deep, has an alias or is not YAML.
    """
    import yaml  # noqa: PLC0415 - loaded when used

    if len(text) > most_chars:
        message = f"it has {len(text):,} characters, more than {most_chars:,}"
        raise NotPlainYaml(message)
    try:
        depth = 0
        for event in yaml.parse(text, yaml.BaseLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH or isinstance(event, yaml.AliasEvent):
                message = "it has an alias" if depth <= _MAX_DEPTH else "it is nested too deep"
                raise NotPlainYaml(message)
        return yaml.load(text, yaml.BaseLoader) or {}  # noqa: S506 - BaseLoader only makes text
    except yaml.YAMLError as error:
        raise NotPlainYaml(str(error)) from error


# Files that Benchpin wrote, known by how they begin: pages and packs.
#
# They contain the names and texts of all other files, so in a project they are no evidence that
# something is used, and no documentation.


def is_own_output(content: bytes) -> bool:
    """Whether a file, of which the beginning is enough, is a page or a pack of ours."""
    head = content[:HEAD_BYTES]
    return GENERATOR.encode() in head or _PACK.match(head) is not None
