"""The languages of each toolchain: `python-uv` is Python, `deno` TypeScript and JavaScript."""

import difflib

from benchpin.core.errors import InvalidParams

from . import _registry as languages


def languages_of(toolchain: str | None) -> frozenset[str] | None:
    """Return the languages of a toolchain, or the language of that name; None means all.

    Raises:
        InvalidParams: when there is neither; the suggestion has the nearest name.
    """
    if toolchain is None:
        return None
    tables = [languages.load(it) for it in languages.NAMES]
    found = frozenset(it.name for it in tables if toolchain in {*it.toolchains, it.name})
    if found:
        return found
    known = sorted({name for it in tables for name in (*it.toolchains, it.name)})
    [nearest] = difflib.get_close_matches(toolchain, known, n=1, cutoff=0.0)
    raise InvalidParams(
        f"No toolchain or language is called {toolchain!r}",
        suggestion=f"The nearest is {nearest!r}. Known: {', '.join(known)}. Leave it out for all.",
        data={"toolchain": toolchain},
    )
