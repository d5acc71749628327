"""Manifests in TOML."""

from benchpin.engines.toml import NotToml, parse_toml

from .manifest import Damaged, Table


def read_toml(text: str) -> Table:
    """Return a TOML document.

    Raises:
        Damaged: when it is something else.
    """
    try:
        return parse_toml(text)
    except NotToml as error:
        raise Damaged(f"not TOML: {error}", error.line) from error
