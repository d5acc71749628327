"""The report on likely defects in every format."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core import Bench, counted, plain
from benchpin.engines.insight.defects import (
    BANDS,
    COLUMNS,
    FEATURES,
    Band,
    DefectRisk,
    Defects,
    FeatureName,
    Score,
    as_measured,
)
from benchpin.engines.sarif import Finding, Level, Rule

from ._formats import as_sarif
from ._tables import Cell, as_csv, as_markdown, columns

DIGITS = 4
RULES = (Rule("likely-defect", "LikelyDefect", "A file is likely to need a bug fix soon."),)
_MEASURES = (*COLUMNS, "test_coverage")
_HEADER = ("file", "probability", "band", "confidence", "lower", "upper", *_MEASURES)
_ADDED = tuple(f"{feature} adds" for feature in FEATURES)
_SHOWN = 10
_LEVELS: Mapping[str, Level] = {"High": "warning", "Medium": "note"}


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report may show."""

    found: Defects
    sure: Sequence[DefectRisk]
    hidden: Sequence[DefectRisk]
    """Files whose band is not sure enough."""


def by_band(files: Iterable[DefectRisk]) -> dict[Band, int]:
    """Count files."""
    counts = Counter(it.band for it in files)
    return {band: counts[band] for band in BANDS}


def summary_text(findings: Findings, files: Sequence[DefectRisk], *, explains: bool) -> str:
    """Return the few lines that say how it stands, and the first files of the page."""
    return detailed_text(findings, files[:_SHOWN], explains=explains)


def detailed_text(findings: Findings, files: Sequence[DefectRisk], *, explains: bool) -> str:
    """Return every file of the page."""
    lines = _head(findings)
    if files:
        rows = [("probability", "band", "confidence", "file"), *map(_short_row, files)]
        lines += ["", *columns(rows)]
    if explains and files:
        lines += ["", "log-odds: base + what each feature adds", *_explained(files)]
    return "\n".join(lines)


def csv_text(files: Sequence[DefectRisk]) -> str:
    """Return every file as CSV, with what each feature adds."""
    return as_csv((*_HEADER, "base", *_ADDED), [(*_row(it), *_added(it)) for it in files])


def markdown_text(findings: Findings) -> str:
    """Return the report as Markdown."""
    parts = ["# Defect probability\n", *(f"- {line}" for line in _head(findings))]
    if findings.sure:
        parts += ["\n## Files\n", as_markdown(_HEADER, [_row(it) for it in findings.sure])]
    return "\n".join(parts).rstrip()


def sarif_text(files: Sequence[DefectRisk], bench: Bench) -> str:
    """Return the files of the upper bands as SARIF."""
    return as_sarif(bench, RULES, findings(files))


def findings(files: Sequence[DefectRisk]) -> list[Finding]:
    """Return the files of the upper bands as findings, each about its first line."""
    return [
        Finding(
            RULES[0].id,
            level,
            f"{it.probability:.0%} likely to need a bug fix within a year; {_reasons(it)}",
            it.path,
            1,
            1,
            {
                "probability": round(it.probability, DIGITS),
                "confidence": round(it.confidence, DIGITS),
                "features": measured(it),
                "contributions": contributions(it),
            },
        )
        for it in files
        if (level := _LEVELS.get(it.band)) is not None
    ]


def measured(it: DefectRisk) -> dict[str, float | None]:
    """Return what was measured of a file, as people count."""
    return {name: rounded(value) for name, value in as_measured(it.values).items()}


def contributions(it: DefectRisk) -> dict[FeatureName, float | None]:
    """Return what each feature adds to the log-odds."""
    return {name: rounded(value) for name, value in it.contributions.items()}


def rounded(value: float | None) -> float | None:
    """Return a number as it is shown everywhere."""
    return None if value is None else round(value, DIGITS)


def _head(findings: Findings) -> list[str]:
    found = findings.found
    if not found.files:
        return ["No file here is judged: there is no code but tests and generated files."]
    expected = sum(it.probability for it in found.files)
    outlook = f"{expected:,.0f} are expected to need a bug fix within a year"
    lines = [
        f"{counted(len(found.files), 'file')}: {_counts(found.files)}; {outlook}",
        *_model_lines(found),
    ]
    if findings.hidden:
        count = f"{counted(len(findings.hidden), 'file')} ({_counts(findings.hidden)})"
        lines.append(f"left out, less sure than min_confidence: {count}; a lower one shows them")
    lines += (f"{name} left out: {reason}" for name, reason in found.left_out.items())
    lines += (f"{name}: {reason}" for name, reason in found.assumed.items())
    return lines


def _counts(files: Iterable[DefectRisk]) -> str:
    return ", ".join(f"{count:,} {band.lower()}" for band, count in by_band(files).items())


def _model_lines(found: Defects) -> list[str]:
    model = found.model
    if model.source == "own":
        lines = ["model: fitted on this repository's own bug fixes"]
    else:
        count = len(model.trained_on)
        alone = "by the code alone, " if found.lacks_history else ""
        because = f"because {plain(model.reason)}"
        lines = [f"model: {alone}fitted on {count} public histories, {because}"]
    score = model.score
    return [*lines, *([] if score is None else [_score_line(score)])]


def _score_line(it: Score) -> str:
    skill = "AUC not known" if it.auc is None else f"AUC {it.auc:.3f}"
    lines = "" if it.auc_of_lines is None else f" (lines of code alone {it.auc_of_lines:.3f})"
    return (
        f"unseen year to {it.until}: {skill}{lines}, Brier {it.brier:.3f}; "
        f"{it.mended:,} of {it.files:,} files were mended"
    )


def _short_row(it: DefectRisk) -> tuple[Cell, ...]:
    return (f"{it.probability:.3f}", it.band, f"{it.confidence:.2f}", plain(it.path))


def _explained(files: Sequence[DefectRisk]) -> list[str]:
    rows: list[tuple[Cell, ...]] = [("base", *FEATURES, "file")]
    for it in files:
        added = (_signed(it.contributions[name]) for name in FEATURES)
        rows.append((_signed(it.base), *added, plain(it.path)))
    return columns(rows)


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"


def _reasons(it: DefectRisk) -> str:
    """Name what speaks most for a defect."""
    known = [(value, name) for name, value in it.contributions.items() if value is not None]
    most = [f"{name} {value:+.2f}" for value, name in sorted(known, reverse=True)[:2]]
    return f"most in log-odds: {', '.join(most)}"


def _row(it: DefectRisk) -> tuple[Cell, ...]:
    values = measured(it)
    return (
        plain(it.path),
        round(it.probability, DIGITS),
        it.band,
        round(it.confidence, DIGITS),
        round(it.lower, DIGITS),
        round(it.upper, DIGITS),
        *(values[name] for name in _MEASURES),
    )


def _added(it: DefectRisk) -> tuple[Cell, ...]:
    added = contributions(it)
    return (round(it.base, DIGITS), *(added[name] for name in FEATURES))
