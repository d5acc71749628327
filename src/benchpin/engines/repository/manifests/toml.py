"""TOML, as manifests are written in."""

from benchpin.engines.toml import NotToml, parse_toml

from .model import Damaged, Table


def read_toml(text: str) -> Table:
    """Return a TOML document.

    Raises:
        Damaged: when it is none.
    """
    try:
        return parse_toml(text)
    except NotToml as error:
        raise Damaged(f"not TOML: {error}", error.line) from error
