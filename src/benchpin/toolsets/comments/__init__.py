"""Comments about lines of code that follow the code when it changes."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Comments",
    description="Write comments about lines of code, which follow the code.",
    tools=(
        "add_comment",
        "edit_comment",
        "delete_comment",
        "search_comments",
        "get_file_comments",
        "move_comment",
        "export_comments",
        "reanchor_comments",
        "resolve_comment",
        "import_code_comments",
        "remember",
        "recall",
    ),
    resources=(
        "all_comments",
        "orphaned_comments",
        "ai_enriched_comments",
        "file_comments",
        "all_comments_page",
        "orphaned_comments_page",
        "ai_enriched_comments_page",
        "tagged_comments",
        "tagged_comments_page",
    ),
    prompts=("review_code", "explain_complexity", "training_export", "fix_orphans"),
    codes={
        "file_missing": -32001,
        "comment_not_found": -32002,
        "invalid_path": -32003,
        "path_outside_workspace": -32003,
        "access_denied": -32004,
        "disk_full": -32004,
        "file_too_large": -32004,
        "line_out_of_range": -32005,
        "source_not_parsed": -32006,
        "sidecar_corrupt": -32007,
    },
    settings="CommentsSettings",
    commands=(
        *("list_comments", "get_file_comments", "add_comment", "edit_comment"),
        *("resolve_comment", "move_comment", "delete_comment", "import_code_comments"),
    ),
    example=Example("search_comments", {"query": "TODO"}),
)
