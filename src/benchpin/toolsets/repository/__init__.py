"""Analyze a repository, check its documents, map and pack it."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Repository",
    description="Analyze a repository, check its documents, map and pack it.",
    tools=(
        "analyze_repository",
        "check_documentation",
        "check_links",
        "map_repository",
        "pack_repository",
    ),
    commands=("analyze_repository",),
    example=Example("analyze_repository", {"path": ".", "depth": "quick"}),
)
