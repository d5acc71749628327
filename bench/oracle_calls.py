"""What the oracle asks: of every tree the same, and of four workspaces what only they have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from oracle_trees import Subjects

GRAPHS = ("import-graph", "call-graph", "inheritance", "full-dependency")
CLONES = ("exact", "renamed", "gapped", "semantic")
CHANGES = ("uncommitted", "staged", "HEAD~1", "HEAD~2..HEAD")


@dataclass(frozen=True)
class Step:
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    records: bool = False  # later steps need what it does
    formats: bool = True  # it is asked for in other formats too


def of_code(subjects: Subjects) -> Iterator[Step]:
    """Give the calls about a tree of code."""
    yield from _measures(subjects)
    yield from _navigation(subjects)
    yield from _changes(subjects)
    yield from _repository(subjects)


def _measures(subjects: Subjects) -> Iterator[Step]:
    yield Step("analyze_complexity")
    yield Step("analyze_complexity", {"max_cyclomatic": 0, "limit": 200, "top_files": 20})
    yield Step("analyze_code_churn")
    yield Step("analyze_code_churn", {"period_days": 36_500, "limit": 100})
    yield Step("analyze_dead_code")
    loose = {"min_confidence": 0.1, "include_tests": True, "include_public": True, "limit": 500}
    yield Step("analyze_dead_code", loose)
    yield Step("analyze_debt_comments")
    yield Step("analyze_debt_comments", {"strict": True, "min_confidence": 0, "limit": 200})
    yield Step("analyze_duplicates")
    for kind in CLONES:
        yield Step("analyze_duplicates", {"detection_type": kind, "limit": 200}, formats=False)
    yield Step("analyze_duplicates", {"min_lines": 3, "threshold": 0.7}, formats=False)
    yield Step("analyze_defect_probability", {"min_confidence": 0, "limit": 100, "explain": True})
    for kind in GRAPHS:
        is_first = kind == GRAPHS[0]
        yield Step("analyze_graph_metrics", {"dag_type": kind, "limit": 100}, formats=is_first)
    name = subjects.symbols[0]
    yield Step("analyze_name_similarity", {"query": name})
    yield Step("analyze_name_similarity", {"query": name, "phonetic": True, "scope": "functions"})
    yield Step("outline_file", {"limit": 1_000})
    yield Step("outline_file", {"project_path": subjects.file, "public_only": True})
    yield Step("quality_gate")
    yield Step("quality_gate", {"diff": "HEAD~1"})
    strict = {"max_cyclomatic": 5, "max_cognitive": 5, "max_parameters": 2}
    yield Step("quality_gate", {"thresholds": strict, "strict": True, "limit": 200}, formats=False)
    yield Step("analyze_comprehensive")
    yield Step("analyze_comprehensive", {"min_lines": 0, "limit": 100, "confidence_threshold": 0})
    yield Step("analyze_comprehensive", {"executive_summary": True}, formats=False)
    yield Step("analyze_deep_context")
    yield Step("analyze_deep_context", {"dag_type": "call-graph"}, formats=False)


def _navigation(subjects: Subjects) -> Iterator[Step]:
    for symbol in subjects.symbols:
        is_first = symbol == subjects.symbols[0]
        yield Step("find_symbol", {"symbol": symbol, "include_body": True}, formats=is_first)
        yield Step("find_references", {"symbol": symbol, "limit": 200}, formats=is_first)
        yield Step("trace_calls", {"symbol": symbol, "depth": 3}, formats=is_first)
        callees = {"symbol": symbol, "depth": 2, "direction": "callees"}
        yield Step("trace_calls", callees, formats=False)
        yield Step("find_tests", {"subject": symbol, "limit": 100}, formats=is_first)
        yield Step("analyze_impact", {"subject": symbol, "limit": 100}, formats=is_first)
        yield Step("rename_symbol", {"symbol": symbol, "new_name": "renamed_by_oracle"})
    yield Step("find_symbol", {"symbol": "no_such_name_anywhere"}, formats=False)
    yield Step("find_tests", {"subject": subjects.file}, formats=False)
    yield Step("analyze_impact", {"subject": subjects.file}, formats=False)
    yield Step("show_history", {"path": subjects.file})
    lines = {"path": subjects.file, "start_line": 10, "end_line": 60, "oldest_first": True}
    yield Step("show_history", lines, formats=False)
    yield Step("search_structure", {"pattern": subjects.pattern})
    rewrite = {"pattern": subjects.pattern, "rewrite": "rewritten_by_oracle"}
    yield Step("rewrite_structure", rewrite)


def _changes(subjects: Subjects) -> Iterator[Step]:
    for diff in CHANGES:
        is_first = diff == CHANGES[0]
        yield Step("show_changes", {"diff": diff, "include_diff": True}, formats=is_first)
        yield Step("review_change", {"diff": diff, "limit": 200}, formats=is_first)
        yield Step("find_tests", {"diff": diff}, formats=False)
        yield Step("analyze_impact", {"diff": diff, "limit": 100}, formats=False)
    patch = f"--- a/{subjects.file}\n+++ b/{subjects.file}\n@@ -1,0 +1,1 @@\n+one more line\n"
    yield Step("show_changes", {"patch": patch}, formats=False)
    yield Step("review_change", {"patch": patch}, formats=False)


def _repository(subjects: Subjects) -> Iterator[Step]:
    for depth in ("quick", "standard", "deep"):
        yield Step("analyze_repository", {"depth": depth})
    yield Step("check_documentation", {"limit": 200})
    yield Step("check_links", {"limit": 200})
    yield Step("map_repository")
    yield Step("map_repository", {"token_budget": 6_000, "focus": [subjects.file]})
    yield Step("pack_repository", {"token_budget": 20_000})
    yield Step("list_directory")
    yield Step("list_directory", {"recursive": True, "limit": 5_000}, formats=False)
    yield Step("search_files", {"pattern": subjects.search, "context_lines": 1})
    yield Step("search_files", {"pattern": r"\.md$", "search_type": "filename"}, formats=False)
    yield Step("read_file", {"path": subjects.file, "start_line": 5, "end_line": 80})
    yield Step("read_file", {"path": subjects.file, "encoding": "base64"})
    for path in ("../outside.py", "no/such/file.py", ".git/config", "."):
        yield Step("read_file", {"path": path})
    change = {"old_text": "no such text in it", "new_text": "x"}
    yield Step("edit_file", {"path": subjects.file, "edits": [change], "dry_run": True})
    yield Step("analyze_complexity", {"no_such_argument": 1}, formats=False)
    yield Step("analyze_complexity", {"project_path": "no/such/folder"}, formats=False)


def of_comments(path: str) -> Iterator[Step]:
    """Give calls that write comments about a file, move the code, and look again."""
    for at, tag in enumerate(("TODO", "FIXME", "NOTE", "STAR", "QUESTION")):
        given = {"filePath": path, "line": 30 * at + 20, "text": f"Is this {tag} good?", "tag": tag}
        yield Step("add_comment", given, records=True)
    reply = {"filePath": path, "line": 20, "text": "Yes", "tag": "NOTE", "replyTo": "<comment 1>"}
    yield Step("add_comment", reply, records=True)
    yield Step("add_comment", {**reply, "line": 1_000_000, "replyTo": None})
    yield from _comment_readers(path)
    text = {"path": path, "content": "// one\n// two\n// three\n"}
    yield Step("read_file", {"path": path, "start_line": 1, "end_line": 5})
    edited = {"old_text": "'use strict';", "new_text": "'use strict';\n// a\n// b\n// c\n"}
    yield Step("edit_file", {"path": path, "edits": [edited]}, records=True)
    yield from _comment_readers(path)
    one = {"filePath": path, "commentId": "<comment 2>"}
    yield Step("edit_comment", {**one, "text": "Another text"}, records=True)
    yield Step("resolve_comment", {**one, "status": "wontfix"}, records=True)
    moved = {"sourceFile": path, "targetFile": "index.js", "commentId": "<comment 3>"}
    yield Step("move_comment", {**moved, "targetLine": 3}, records=True)
    yield Step("delete_comment", {**one, "commentId": "<comment 4>"}, records=True)
    yield Step("import_code_comments", {"author": "oracle"}, records=True)
    yield from _comment_readers(path)
    yield Step("write_file", text, records=True)
    yield from _comment_readers(path)
    yield Step("reanchor_comments", {}, records=True)
    yield from _comment_readers(path)


def _comment_readers(path: str) -> Iterator[Step]:
    yield Step("get_file_comments", {"filePath": path})
    yield Step("search_comments", {"query": "."})
    for form in ("json", "markdown", "jsonl"):
        yield Step("export_comments", {"format": form}, formats=False)
    yield Step("reanchor_comments", {"dryRun": True})
    yield Step("import_code_comments", {"dryRun": True})


def of_templates() -> Iterator[Step]:
    """Give the calls that need no code; what is generated comes from the list of templates."""
    yield Step("list_templates", {"limit": 1_000})
    for query in ("python web", "gitignore", "licence mit", "rust cli", "no such thing"):
        yield Step("search_templates", {"query": query})
    project = {"project_name": "oracle-project"}
    for toolchain in ("rust", "python-uv", "deno", "node", "go", "java-maven", "c-cmake"):
        given = {"toolchain": toolchain, "templates": ["project", "makefile", "readme", "ci"]}
        yield Step("scaffold_project", {**given, "parameters": project})
    made = {"toolchain": "python-uv", "templates": ["project", "readme"], "parameters": project}
    yield Step("scaffold_project", {**made, "write": True, "target": "made"}, records=True)
    yield Step("update_project", {"path": "made", "parameters": {"project_name": "other"}})
    for query in ("find dead code", "rename a function", "slow queries", "who calls this"):
        yield Step("find_tools", {"query": query})
    yield Step("call_tool", {"name": "list_templates", "arguments": {"limit": 3}})
    yield Step("get_status")
    yield Step("check_health")
    yield Step("read_result", {"id": "0123456789abcdef"})
    yield Step("no_such_tool")


def of_performance() -> Iterator[Step]:
    """Give the calls about artefacts; snapshots are numbered as they are made."""
    folders = ("spx", "slowlog", "timings", "digests", "plans")
    for folder in folders:
        yield Step("ingest_artifacts", {"bundle_dir": folder}, records=True)
    logs = [{"path": f"slowlog/{name}.log.gz"} for name in ("mysql97_plain", "mariadb1011_plain")]
    for log in logs:
        yield Step("ingest_artifacts", {"artifacts": [log]}, records=True)
    yield Step("validate_artifacts", {"artifacts": logs})
    yield Step("list_runs")
    for at, _ in enumerate(folders, start=1):
        one = {"normalized_snapshot_id": f"<snapshot {at}>"}
        yield Step("run_analysis", {**one, "top_n": 10})
        yield Step("get_run", {"run_id": f"<snapshot {at}>"})
        yield Step("export_report", one, records=True)
    for form in ("flamegraph", "svg", "speedscope", "collapsed", "callgrind"):
        one = {"normalized_snapshot_id": "<snapshot 1>", "format": form}
        yield Step("export_profile", one, formats=False)
    yield Step("compare_snapshots", {"before": "<snapshot 6>", "after": "<snapshot 7>"})
    gate = {"baseline": "<snapshot 6>", "normalized_snapshot_id": "<snapshot 7>"}
    yield Step("performance_gate", gate)
    yield Step("run_analysis", {"normalized_snapshot_id": "ffffffff"}, formats=False)


def of_fleet() -> Iterator[Step]:
    """Give the calls about two repositories."""
    yield Step("measure_fleet", {"repositories": ["express", "rpds"], "workers": 1}, records=True)
    questions = ("repositories", "hotspots", "risk", "failing", "clones", "licences", "owners")
    for question in (*questions, "dependencies", "trend"):
        yield Step("query_fleet", {"question": question, "limit": 100}, formats=False)
    yield Step("query_fleet", {"sql": "SELECT path, lines FROM files ORDER BY path LIMIT 50"})
    for kind, name in (("symbol", "insert"), ("users", "path"), ("dependency", "debug")):
        yield Step("find_across", {"kind": kind, "name": name})
    yield Step("find_across", {"kind": "pattern", "name": "deprecat"})
    yield Step("report_fleet")


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("--help",),
    ("tools",),
    ("analyze", "."),
    ("analyze", "complexity", "--help"),
    ("analyze", "duplicates", "--json"),
    ("quality", "gate"),
    ("quality", "gate", "--diff", "HEAD~1", "--format", "sarif"),
    ("review",),
    ("find", "references", "Report"),
    ("call", "outline_file", "--json", '{"limit": 5}'),
    ("get", "no-such-thing"),
)
"""Commands whose output is compared, with their exit status."""
