"""Read YAML from untrusted sources: short, flat, and with every scalar as text.

Aliases, which can multiply without bound, are refused.
"""

_MAX_DEPTH = 8


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
