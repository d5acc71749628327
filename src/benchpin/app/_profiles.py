"""Which of the enabled tools `tools/list` shows; the others can be called all the same."""

FULL = "full"
LEAN = "lean"

# Tools through which unlisted tools are reached; not needed where all tools are listed.
ONLY_LEAN = frozenset({"find_tools", "call_tool"})

# The profiles besides `full`: the tools of each, in the order of the list.
BUILT_IN: dict[str, tuple[str, ...]] = {
    LEAN: (
        "find_tools",
        "call_tool",
        "run_script",
        "analyze_repository",
        "map_repository",
        "outline_file",
        "read_file",
        "search_files",
        "analyze_comprehensive",
        "read_result",
    )
}
