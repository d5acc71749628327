"""Say what to fix first, from profiles, slow logs and timings."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Performance",
    description="Say what to fix first, from profiles, slow logs and timings.",
    tools=(
        "check_health",
        "collect_artifacts",
        "compare_snapshots",
        "export_profile",
        "export_report",
        "get_run",
        "ingest_artifacts",
        "list_runs",
        "measure_change",
        "performance_gate",
        "record_profile",
        "run_analysis",
        "validate_artifacts",
    ),
    aliases={
        "artifacts.ingest": "ingest_artifacts",
        "artifacts.validate": "validate_artifacts",
        "analysis.run": "run_analysis",
        "collect.run": "collect_artifacts",
        "health.check": "check_health",
        "ingest.bundle": "ingest_artifacts",
        "report.export": "export_report",
        "runs.get": "get_run",
        "runs.list": "list_runs",
    },
    command="perf",
    commands=(
        *("record", "loop", "collect", "validate", "ingest"),
        *("analyze", "report", "compare", "gate", "flamegraph"),
    ),
    settings="PerformanceSettings",
    example=Example("check_health"),
)
