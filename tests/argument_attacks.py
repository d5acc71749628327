"""Arguments of a client that are made to hold a reader."""

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
        {"a.txt": b"a\n" * 500_000 + b"b" + b"\na" * 500_000},
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
        {"a.txt": b"ab" * 500_000},
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
                {"pattern": "(a|b)*" * 1_000 + "(x{900}){900}", "search_type": "content"},
            ),
            ("search_files", {"pattern": "a*" * 200_000, "search_type": "content"}),
            ("search_files", {"pattern": "*a" * 200_000}),
            ("search_files", {"pattern": "(" * 200_000, "search_type": "content"}),
            ("search_files", {"pattern": "(a+)+$", "search_type": "content"}),
            ("pack_repository", {"include_patterns": ["*a" * 1_000] * 200}),
            ("analyze_complexity", {"include_patterns": ["a/" * 200_000]}),
            ("analyze_complexity", {"exclude_patterns": ["*a"] * 50_000}),
            ("analyze_complexity", {"exclude_patterns": ["{a,b}" * 5_000]}),
            ("read_file", {"path": "a/" * 200_000}),
            ("read_file", {"path": "../" * 200_000}),
            ("analyze_name_similarity", {"query": "aB" * 200_000}),
            ("search_comments", {"query": "a" * 500_000}),
            ("search_templates", {"query": "a" * 500_000}),
            ("search_templates", {"query": "a " * 250_000}),
            ("map_repository", {"focus": ["a"] * 50_000}),
            ("analyze_graph_metrics", {"pagerank_seeds": ["a"] * 50_000}),
            ("analyze_code_churn", {"until": "9" * 500_000}),
            ("quality_gate", {"diff": "a" * 500_000}),
            (
                "generate_template",
                {"resource_uri": "template://" + "a/" * 200_000, "parameters": {}},
            ),
            (
                "generate_template",
                {
                    "resource_uri": "template://makefile/rust/cli",
                    "parameters": {"project_name": "a" * 500_000},
                },
            ),
            (
                "scaffold_project",
                {"toolchain": "rust", "templates": ["makefile"] * 50_000, "parameters": {}},
            ),
            ("list_directory", {"cursor": "a" * 500_000}),
            ("check_links", {"cursor": "eyJ" * 200_000}),
            ("read_result", {"id": "a" * 500_000}),
            ("run_analysis", {"normalized_snapshot_id": "a" * 500_000}),
            ("run_analysis", {"thresholds": {"a": 10**300}}),
            ("add_comment", {"filePath": "a.txt", "line": 1, "text": "a" * 900_000, "tag": "NOTE"}),
            ("get_file_comments", {"filePath": "a" * 500_000}),
        ),
        {**PY, "a.txt": b"a" * MEGABYTE + b"!"},
    ),
]
