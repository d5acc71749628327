"""Extras: libraries that only some tools need, and that the default install leaves out."""

from importlib.util import find_spec
from typing import Literal

from benchpin.core.errors import DependencyMissing

Extra = Literal["fleet", "look", "measures", "sql", "structure", "tokens"]
MODULES: dict[Extra, tuple[str, ...]] = {
    "fleet": ("distributed", "duckdb", "obstore"),
    "look": ("vl_convert",),
    "measures": ("jellyfish", "numpy", "rapidfuzz", "rustworkx"),
    "sql": ("sqlglot",),
    "structure": ("ast_grep_py",),
    "tokens": ("splintr",),
}


def has_extra(extra: Extra) -> bool:
    """Whether all libraries of an extra are installed; none of them is imported."""
    return all(find_spec(module) is not None for module in MODULES[extra])


def installed_extras() -> list[Extra]:
    """Return the extras that are installed."""
    return [extra for extra in MODULES if has_extra(extra)]


def lacks_extra(extra: Extra) -> str:
    """Return why something is not measured, in words that a report can show."""
    return f"needs benchpin[{extra}], which is not installed"


def require_extra(extra: Extra, subject: str) -> None:
    """Refuse what needs an extra that is not installed; `subject` is singular.

    Raises:
        DependencyMissing: with the command that installs it.
    """
    if not has_extra(extra):
        raise DependencyMissing(
            f"{subject} {lacks_extra(extra)}",
            suggestion=f"Install it: pip install 'benchpin[{extra}]'",
        )
