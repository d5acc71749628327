"""Refuse templates that put their own quotes around a value, where it could break out."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from ._quoting import LITERALS

if TYPE_CHECKING:
    from jinja2 import Environment, nodes

# Formats that write values without quotes.
_WITHOUT_QUOTES = frozenset({"markdown", "path", "text", "xml"})


def require_no_quotes_around(
    environment: "Environment", name: str, source: str, texts: Collection[str]
) -> None:
    """Check a source; `texts` are the parameters that are strings.

    Raises:
        ValueError: naming the line where a value is in quotes.
        TemplateError: when the source is not Jinja2.
    """
    from jinja2 import nodes

    if name in _WITHOUT_QUOTES:
        return
    for output in environment.parse(source).find_all(nodes.Output):
        line = ""
        for node in output.nodes:
            if isinstance(node, nodes.TemplateData):
                line = (line + node.data).rpartition("\n")[2]
            elif _is_within_quotes(line) and _is_text(node, texts):
                message = f"line {node.lineno}: values already have quotes; remove yours"
                raise ValueError(message)


def _is_within_quotes(line: str) -> bool:
    return line.count('"') % 2 == 1 or line.endswith("'")


def _is_text(node: "nodes.Node", texts: Collection[str]) -> bool:
    """Whether an expression is certainly a string, which is written with quotes."""
    from jinja2 import nodes

    if isinstance(node, nodes.Filter):
        return node.name in LITERALS
    return isinstance(node, nodes.Concat) or (isinstance(node, nodes.Name) and node.name in texts)
