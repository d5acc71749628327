"""Find the way in a codebase: by its symbols, and by the structure of its code."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Navigation",
    description="Find symbols, their users and patterns of code; rewrite code.",
    tools=(
        "find_symbol",
        "find_references",
        "show_changes",
        "trace_calls",
    ),
    example=Example("search_structure", {"pattern": "return $X"}),
)
