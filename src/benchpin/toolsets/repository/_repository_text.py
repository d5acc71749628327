"""The report on a repository as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchpin.core import plain

if TYPE_CHECKING:
    from .analyze_repository import RepositoryReport

_LANGUAGES = 6
_ITEMS = 8


def report_text(report: "RepositoryReport") -> str:
    """Return the report in a few lines."""
    parts = (
        _structure(report),
        _dependencies(report),
        _documentation(report),
        _running(report),
        _advice(report),
    )
    return "\n".join(line for part in parts for line in part)


def _structure(report: "RepositoryReport") -> Iterator[str]:
    it = report.structure
    lines = "" if it.lines is None else f", {it.lines:,} lines"
    if it.files is None or it.folders is None:
        yield f"{plain(report.path)}: there was no time to look into all folders"
    else:
        yield f"{plain(report.path)}: {it.files:,} files in {it.folders:,} folders{lines}"
    shares = [
        f"{one.language} {one.share:.1%}"
        for one in (it.languages or ())[:_LANGUAGES]
        if one.share is not None
    ]
    if shares:
        yield f"languages: {', '.join(shares)}"
    if it.licences:
        named = ", ".join(f"{one.spdx or 'unknown'} ({plain(one.path)})" for one in it.licences[:3])
        yield f"licence: {named}"
    if it.test_files is not None and it.ci is not None:
        systems = ", ".join(dict.fromkeys(one.system for one in it.ci)) or "none"
        yield f"tests: {it.test_files:,} files; CI: {systems}"
    if it.packages and it.packages_total and it.packages_total > 1:
        names = ", ".join(plain(one.name) for one in it.packages[:_ITEMS])
        yield f"packages: {it.packages_total:,}: {names}"
    if it.left_out:
        yield "left out: " + ", ".join(f"{count:,} {why}" for why, count in it.left_out.items())


def _dependencies(report: "RepositoryReport") -> Iterator[str]:
    needed = report.dependencies
    if needed is None:
        return
    for it in needed.ecosystems:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in it.counts.items())
        yield f"dependencies ({it.ecosystem}, {it.manifests:,} manifests): {counts}"
    names = [
        f"{plain(it.name)} {plain(it.version or '')}".strip()
        for it in needed.items
        if it.kind == "direct"
    ]
    if names:
        yield f"  direct: {', '.join(names[:_ITEMS])}{' …' if len(names) > _ITEMS else ''}"
    for damaged in needed.damaged:
        yield f"damaged: {plain(damaged.path)}:{damaged.line or 1}: {plain(damaged.reason)}"


def _documentation(report: "RepositoryReport") -> Iterator[str]:
    it = report.documentation
    folders = f" in {', '.join(it.folders)}" if it.folders else ""
    if it.documents is not None:
        yield f"documents: {it.documents:,}{folders}"
    if it.readme is not None:
        sections = ", ".join(plain(one) for one in it.readme.sections[:_ITEMS])
        yield f"README: {plain(it.readme.path)}: {sections or 'no headings'}"
    if it.missing_kinds:
        yield f"no documents of these kinds: {', '.join(it.missing_kinds)}"
    if it.api is not None and it.api.share is not None:
        yield f"API documented: {it.api.share:.0%} of {it.api.public_symbols:,} public symbols"
    if it.broken_links_total:
        yield f"broken links: {it.broken_links_total:,}"


def _running(report: "RepositoryReport") -> Iterator[str]:
    for it in report.commands or ():
        yield f"{it.purpose}: {plain(it.command)}  ({plain(it.evidence)})"
    if report.entry_points:
        names = ", ".join(f"{plain(it.name)} ({plain(it.path)})" for it in report.entry_points[:5])
        yield f"entry points: {names}"
    if report.history is not None:
        past = report.history
        yield f"since {past.since}: {past.commits:,} commits by {past.authors:,} authors"


def _advice(report: "RepositoryReport") -> Iterator[str]:
    for it in report.recommendations:
        yield f"{it.importance}: {plain(it.action)} [{plain('; '.join(it.evidence[:2]))}]"
    reasons: dict[str, list[str]] = {}
    for name, reason in report.not_measured.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"not measured: {', '.join(names)}: {plain(reason)}"
    if report.stored is not None:
        yield f"Lists are cut here; the whole report: {report.stored}"
