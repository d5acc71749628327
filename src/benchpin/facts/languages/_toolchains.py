"""The languages of each toolchain: `python-uv` is Python, `deno` TypeScript and JavaScript."""

import difflib

from benchpin.core.errors import InvalidParams

from . import _registry as languages

_WEB = frozenset({"javascript", "typescript", "tsx"})
TOOLCHAINS: dict[str, frozenset[str]] = {
    "rust": frozenset({"rust"}),
    "deno": _WEB,
    "node": _WEB,
    "python-uv": frozenset({"python"}),
    "go": frozenset({"go"}),
    "java-maven": frozenset({"java", "kotlin", "scala"}),
    "php-composer": frozenset({"php"}),
    "c-cmake": frozenset({"c", "cpp"}),
}


def languages_of(toolchain: str | None) -> frozenset[str] | None:
    """Return the languages of a toolchain, or the language of that name; None means all.

    Raises:
        InvalidParams: when there is neither; the suggestion has the nearest name.
    """
    if toolchain is None:
        return None
    if toolchain in TOOLCHAINS:
        return TOOLCHAINS[toolchain]
    if toolchain in languages.NAMES:
        return frozenset({toolchain})
    known = sorted({*TOOLCHAINS, *languages.NAMES})
    [nearest] = difflib.get_close_matches(toolchain, known, n=1, cutoff=0.0)
    raise InvalidParams(
        f"No toolchain or language is called {toolchain!r}",
        suggestion=f"The nearest is {nearest!r}. Known: {', '.join(known)}. Leave it out for all.",
        data={"toolchain": toolchain},
    )
