"""Find the way in a codebase: by its symbols, by the structure of its code, by its tests."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Navigation",
    description="Find symbols, users, patterns; rewrite code; run tests.",
    tools=(
        "explore",
        "find_symbol",
        "find_references",
        "find_implementations",
        "trace_calls",
        "show_changes",
        "review_change",
        "prove_change",
        "show_history",
        "run_tests",
        "find_tests",
        "analyze_impact",
        "search_structure",
        "rewrite_structure",
        "rename_symbol",
    ),
    commands=("review", "prove", "rename_symbol", "rewrite_structure"),
    example=Example("search_structure", {"pattern": "return $X"}),
)
