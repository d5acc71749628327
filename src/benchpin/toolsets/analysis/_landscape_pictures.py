"""The pictures of all files: the treemap, coloured by one measure or another, and hotspots."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from benchpin.core.text import counted
from benchpin.present.charts import Shown, by_share, labels_apart, scatter
from benchpin.present.pictures import Picture, PictureRow, Specification, bars
from benchpin.project.pictures import (
    PERIOD_DAYS,
    Colors,
    FileState,
    Landscape,
    color_rows,
    describe_folders,
    tree_rows,
    treemap,
)

PictureName = Literal[
    "treemap",
    "hotspots",
    "treemap-commits",
    "treemap-defects",
    "treemap-coverage",
    "treemap-owner",
    "treemap-age",
]
_MAX_SPOTS = 300
# Hotspots with their name beside the point.
_NAMED = 8


@dataclass(frozen=True)
class Views:
    """A landscape as its pictures need it, computed once."""

    landscape: Landscape

    @cached_property
    def cells(self) -> tuple[list[PictureRow], Colors]:
        """The rows of the treemap, and the classes of their colours."""
        return color_rows(tree_rows(self.landscape.files))

    @cached_property
    def spots(self) -> list[PictureRow]:
        """The files that changed and have something to follow, the hottest first."""
        spots = self.changed[:_MAX_SPOTS]
        named = labels_apart(
            [(it.commits or 0, it.complexity, it.file.rpartition("/")[2]) for it in spots], _NAMED
        )
        return [
            {
                "owner": "nobody in this time",
                **it.to_row(),
                "is_named": at in named,
                "name": it.file.rpartition("/")[2],
                "risk": "not predicted" if it.defects is None else f"{it.defects:.0%}",
            }
            for at, it in enumerate(spots)
        ]

    @cached_property
    def changed(self) -> list[FileState]:
        """All files that hotspots are chosen from, the hottest first."""
        files = [it for it in self.landscape.files if it.commits and it.complexity]
        return sorted(files, key=lambda it: (-(it.commits or 0) * it.complexity, it.file))


class HasLandscape(Protocol):
    """A report with the landscape of its files, where it was asked for a picture."""

    @property
    def landscape(self) -> Views | None:
        """The landscape."""


def _treemap(name: str, title: str, measure: str) -> Picture[HasLandscape]:
    def spec(report: HasLandscape) -> Specification:
        if report.landscape is None:
            return {}
        rows, colors = report.landscape.cells
        return treemap(colors, measure, rows)

    def rows(report: HasLandscape) -> Sequence[PictureRow]:
        if report.landscape is None:
            return ()
        cells, colors = report.landscape.cells
        return cells if measure in colors.titles or measure == "health" else ()

    return Picture(
        name=name,
        title=title,
        rows=rows,
        spec=spec,
        alt=lambda _, cells: (
            f"Area is lines of code: {describe_folders(cells)}{_worst(cells, measure)}."
        ),
        text=lambda cells: [*_as_text(cells)],
        link="id",
        is_variant=name != "treemap",
    )


def _worst(cells: Sequence[PictureRow], measure: str) -> str:
    """Say which of the largest cells are in the worst class of health."""
    worst = [it for it in cells if it.get("health_class") == 0 and measure == "health"]
    if not worst:
        return ""
    largest = max(worst, key=lambda it: int(str(it["lines"])))
    count = counted(len(worst), "is", "are")
    return f"; {count} far over the complexity limits, the largest {largest['id']}"


def _as_text(cells: Sequence[PictureRow]) -> Iterable[str]:
    """Return the folders by their lines; the files where there are no folders."""
    folders = [it for it in cells if it.get("is_open") and it["parent"] is not None]
    return bars("name", "total")(folders) if folders else bars("name", "lines")(cells)


def _hotspots() -> Picture[HasLandscape]:
    return Picture(
        name="hotspots",
        title="Hotspots: what changes often and is hard to follow",
        rows=lambda it: it.landscape.spots if it.landscape else (),
        spec=scatter(
            Shown("commits", f"Commits in {PERIOD_DAYS} days", is_count=True),
            Shown("complexity", "Cognitive complexity of the file (points)"),
            label=Shown("name", "Name", "nominal"),
            size=Shown("lines", "Lines of code"),
            color=by_share("defects", "Bug fix within a year"),
            more=(
                Shown("file", "File", "nominal"),
                Shown("risk", "Bug fix within a year", "nominal"),
                Shown("owner", "Most commits by", "nominal"),
            ),
            labelled="is_named",
        ),
        alt=lambda it, rows: _hottest(rows, len(it.landscape.changed) if it.landscape else 0),
        text=bars("file", "commits"),
        link="file",
    )


def _hottest(rows: Sequence[PictureRow], total: int) -> str:
    first = rows[0]
    some = f"The {len(rows)} hottest of " if total > len(rows) else ""
    return (
        f"{some}{counted(total, 'changed file')} by commits and complexity; "
        f"{first['file']} is the hottest: {first['commits']:,} commits, "
        f"{first['complexity']:,} points."
    )


PICTURES: tuple[Picture[HasLandscape], ...] = (
    _treemap("treemap", "Map of the repository", "health"),
    _hotspots(),
    _treemap("treemap-commits", "The repository by changes", "commits"),
    _treemap("treemap-defects", "The repository by defect probability", "defects"),
    _treemap("treemap-coverage", "The repository by test coverage", "coverage"),
    _treemap("treemap-owner", "The repository by owner", "owner"),
    _treemap("treemap-age", "The repository by age", "age"),
)
