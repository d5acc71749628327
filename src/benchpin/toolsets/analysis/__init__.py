"""Measure code: complexity, churn, dependencies, dead code, debt."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Analysis",
    description="Measure code: complexity, churn, dependencies, dead code, debt.",
    tools=(
        "analyze_code_churn",
        "analyze_complexity",
        "analyze_comprehensive",
        "analyze_dead_code",
        "analyze_debt_comments",
        "analyze_deep_context",
        "analyze_defect_probability",
        "analyze_duplicates",
        "analyze_graph_metrics",
        "analyze_name_similarity",
        "analyze_trends",
        "outline_file",
        "quality_gate",
    ),
    settings="AnalysisSettings",
    commands=("quality_gate",),
    example=Example("analyze_complexity", {"project_path": ".", "top_files": 5}),
)
