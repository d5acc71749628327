"""Find the way in a codebase: by the structure of its code."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Navigation",
    description="Find symbols, their users and patterns of code; rewrite code.",
    tools=("search_structure", "rewrite_structure"),
    example=Example("search_structure", {"pattern": "return $X"}),
)
