"""Find the way in a codebase: by the structure of its code."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Navigation",
    description="Search and rewrite code by its structure.",
    tools=("search_structure", "rewrite_structure"),
    example=Example("search_structure", {"pattern": "return $X"}),
)
