"""Check both complexities by the values in rust-code-analysis's own tests, given by path."""

import re
from collections.abc import Sequence
from pathlib import Path

from agreement.comparing import Tally
from benchpin.facts import Function
from benchpin.facts.parsing import extract

_LANGUAGES = {
    "PythonParser": "python",
    "RustParser": "rust",
    "CppParser": "cpp",
    "MozjsParser": "javascript",
    "JavascriptParser": "javascript",
    "TypescriptParser": "typescript",
    "TsxParser": "tsx",
    "JavaParser": "java",
}
_TEST = re.compile(
    r'check_metrics::<(\w+)>\(\s*"((?:\\.|[^"\\])*)",\s*"[^"]*",.*?"max": ([\d.]+)', re.DOTALL
)


def compare(project: Path) -> Sequence[Tally]:
    """Compare the highest value among the functions of each test."""
    return [
        _compare_tests(project / "src" / "metrics" / "cognitive.rs", "cognitive"),
        _compare_tests(project / "src" / "metrics" / "cyclomatic.rs", "cyclomatic"),
    ]


def _compare_tests(place: Path, measure: str) -> Tally:
    tally = Tally(f"rust-code-analysis's tests, {measure}")
    text = place.read_text(encoding="utf-8")
    for found in _TEST.finditer(text):
        language = _LANGUAGES.get(found[1])
        if language is None:
            continue
        source = found[2].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
        functions = extract(source.encode(), language).outline.functions
        if functions:
            line = text.count("\n", 0, found.start()) + 1
            ours = max(_value(it, measure) for it in functions)
            where = f"{place.name}:{line} ({language})"
            tally.add(where, ours, int(float(found[3])), _explain(source, language))
    return tally


def _value(function: Function, measure: str) -> int:
    return function.cognitive if measure == "cognitive" else function.cyclomatic


def _explain(source: str, language: str) -> str:
    if language == "rust" and "match" in source:
        return "every arm of a match counts, the last one too"
    if len(re.findall(r"\bdef\b|\bfunction\b|=>|\blambda\b|\bclass\b", source)) > 1:
        return "functions inside are reported apart"
    return "unexplained"
