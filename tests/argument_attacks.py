"""Arguments of a client that are made to hold a reader; most are made when they are sent."""

from reader_attacks import MEGABYTE, PY, Attack, repeated

ARGUMENTS = [
    Attack(
        "an edit of a file of equal lines",
        (
            (
                "edit_file",
                {
                    "path": "a.txt",
                    "edits": [{"old_text": "b", "new_text": "c\n" * 4}],
                    "dry_run": True,
                },
            ),
        ),
        {"a.txt": lambda: b"a\n" * 500_000 + b"b" + b"\na" * 500_000},
    ),
    Attack(
        "an edit of one long line that is nearly there",
        (
            (
                "edit_file",
                {
                    "path": "a.txt",
                    "edits": [{"old_text": "ab" * 100_000 + "c", "new_text": "c"}],
                    "dry_run": True,
                },
            ),
        ),
        {"a.txt": lambda: b"ab" * 500_000},
    ),
    Attack(
        "a hundred thousand edits",
        (
            (
                "edit_file",
                {
                    "path": "a.txt",
                    "edits": [{"old_text": "b", "new_text": "b"}] * 20_000,
                    "dry_run": True,
                },
            ),
        ),
        {"a.txt": repeated("a", size=8 * MEGABYTE, tail="b")},
    ),
    Attack(
        "patterns of a caller",
        (
            (
                "search_files",
                lambda: {"pattern": "(a|b)*" * 1_000 + "(x{900}){900}", "search_type": "content"},
            ),
            ("search_files", lambda: {"pattern": "a*" * 200_000, "search_type": "content"}),
            ("search_files", lambda: {"pattern": "*a" * 200_000}),
            ("search_files", lambda: {"pattern": "(" * 200_000, "search_type": "content"}),
            ("search_files", lambda: {"pattern": "(a+)+$", "search_type": "content"}),
            ("pack_repository", lambda: {"include_patterns": ["*a" * 1_000] * 200}),
            ("analyze_complexity", lambda: {"include_patterns": ["a/" * 200_000]}),
            ("analyze_complexity", lambda: {"exclude_patterns": ["*a"] * 50_000}),
            ("analyze_complexity", lambda: {"exclude_patterns": ["{a,b}" * 5_000]}),
            ("read_file", lambda: {"path": "a/" * 200_000}),
            ("read_file", lambda: {"path": "../" * 200_000}),
            ("analyze_name_similarity", lambda: {"query": "aB" * 200_000}),
            ("search_comments", lambda: {"query": "a" * 500_000}),
            ("search_templates", lambda: {"query": "a" * 500_000}),
            ("search_templates", lambda: {"query": "a " * 250_000}),
            ("map_repository", lambda: {"focus": ["a"] * 50_000}),
            ("analyze_graph_metrics", lambda: {"pagerank_seeds": ["a"] * 50_000}),
            ("analyze_code_churn", lambda: {"until": "9" * 500_000}),
            ("quality_gate", lambda: {"diff": "a" * 500_000}),
            (
                "generate_template",
                lambda: {"resource_uri": "template://" + "a/" * 200_000, "parameters": {}},
            ),
            (
                "generate_template",
                lambda: {
                    "resource_uri": "template://makefile/rust/cli",
                    "parameters": {"project_name": "a" * 500_000},
                },
            ),
            (
                "scaffold_project",
                lambda: {"toolchain": "rust", "templates": ["makefile"] * 50_000, "parameters": {}},
            ),
            ("list_directory", lambda: {"cursor": "a" * 500_000}),
            ("check_links", lambda: {"cursor": "eyJ" * 200_000}),
            ("read_result", lambda: {"id": "a" * 500_000}),
            ("run_analysis", lambda: {"normalized_snapshot_id": "a" * 500_000}),
            ("run_analysis", lambda: {"thresholds": {"a": 10**300}}),
            (
                "add_comment",
                lambda: {"filePath": "a.txt", "line": 1, "text": "a" * 900_000, "tag": "NOTE"},
            ),
            ("get_file_comments", lambda: {"filePath": "a" * 500_000}),
        ),
        {**PY, "a.txt": b"a" * MEGABYTE + b"!"},
    ),
]
