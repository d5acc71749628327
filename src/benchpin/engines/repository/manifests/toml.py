"""TOML, as manifests are written in."""

import re
import tomllib

from .model import Damaged, Table


def read_toml(text: str) -> Table:
    """Return a TOML document.

    Raises:
        Damaged: when it is none.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Damaged(f"not TOML: {error}", int(line[1]) if line else None) from error
    except RecursionError as error:
        raise Damaged("not TOML: nested too deep") from error
