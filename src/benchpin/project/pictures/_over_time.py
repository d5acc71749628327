"""How complexity and health developed: a sample of commits, each measured once and kept."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.core.text import counted
from benchpin.facts import FileSelection
from benchpin.measures.complexity import over_threshold, simplicity
from benchpin.memory import Reduction, remember
from benchpin.present.charts import BLUE, RED
from benchpin.present.pictures import VEGA_LITE, Picture, PictureRow, Specification, over_time
from benchpin.project.defects import PastTree, Unmeasurable, facts_of, newest_moment, tree_at
from benchpin.workspace.git import Repository, find_repository
from benchpin.workspace.walking import scope_of_path

SAMPLES = 9
DAYS = 730
_HEIGHT = 320


@dataclass(frozen=True, slots=True)
class PastState:
    """The code of one commit, without tests."""

    commit: str
    lines: int
    """Of code."""
    functions: int
    over: int
    """Functions over a complexity limit."""
    health: float | None
    """How easy the functions are to follow, from 0 to 100."""


_PAST = Reduction[PastState]("past state", PastState)


def past_rows(selection: FileSelection) -> list[PictureRow]:
    """Return a row for each sampled commit of the last two years, the oldest first.

    Raises:
        BenchpinError: when there is no history that can be read.
    """
    session, job, query = selection.session, selection.job, selection.query
    repository = find_repository(selection.folder, session.root, session.git_folders)
    newest = newest_moment(repository, job)
    rows = {}
    for moment in job.each([*_moments(newest)], "measuring past commits"):
        try:
            tree = tree_at(repository, None, moment, selection.may_read, job)
        except TimeLimitExceeded:
            job.leave_out("older commits")
            break
        if tree is None or tree.commit in rows:
            continue
        with suppress(Unmeasurable):
            state = remember(
                session,
                job,
                _PAST,
                (tree.commit, query.start, query.options, query.languages, selection.permissions),
                lambda tree=tree: _measure(tree, repository, selection, job),  # type: ignore[misc]  # called at once
            )
            rows[tree.commit] = _row(state, moment)
    return [*rows.values()][::-1]


def _moments(newest: datetime) -> Iterator[datetime]:
    """Yield when to look, the newest moment first: what there is no time for is the oldest."""
    yield from (newest - timedelta(days=DAYS * at / (SAMPLES - 1)) for at in range(SAMPLES))


def _measure(
    tree: PastTree, repository: Repository, selection: FileSelection, job: Job
) -> PastState:
    with facts_of(tree, repository, selection.session.cache_dir, job) as (files, _):
        languages = selection.query.languages
        chosen = [
            it
            for it in files
            if selection.accepts(it.path)
            and selection.query.scope in {"all", scope_of_path(it.path)}
            and (languages is None or it.language in languages)
        ]
        functions = [it for file in chosen for it in file.outline.functions]
        return PastState(
            commit=tree.commit,
            lines=sum(it.outline.code_lines for it in chosen),
            functions=len(functions),
            over=sum(over_threshold(it.cyclomatic, it.cognitive) > 1 for it in functions),
            health=simplicity(it.outline.functions for it in chosen),
        )


def _row(state: PastState, moment: datetime) -> PictureRow:
    return {
        "date": f"{moment:%Y-%m-%d}",
        "commit": state.commit[:12],
        "lines": state.lines,
        "functions": state.functions,
        "over": state.over,
        "health": None if state.health is None else round(state.health, 1),
    }


def _lines() -> Specification:
    """Return two lines with an axis each: health on the left, functions over a limit right."""
    tip = [
        {"field": "date", "type": "temporal", "title": "Day"},
        *(
            {"field": field, "type": "nominal", "title": title}
            for field, title in (
                ("commit", "Commit"),
                ("health", "Health"),
                ("over", "Functions over a limit"),
                ("functions", "Functions"),
                ("lines", "Lines of code"),
            )
        ),
    ]

    def line(
        field: str, title: str, color: str, dash: list[int], scale: dict[str, object]
    ) -> dict[str, object]:
        axis = {"title": title, "titleColor": color, "grid": color == BLUE, "format": "~r"}
        y = {"field": field, "type": "quantitative", "axis": axis, "scale": scale}
        mark = {"type": "line", "color": color, "strokeWidth": 2.5, "strokeDash": dash}
        return {
            "mark": {**mark, "point": {"filled": True, "size": 70, "color": color}},
            "encoding": {"y": y, "tooltip": tip},
        }

    # From zero, both: a cut axis makes a cliff of every step.
    whole: dict[str, object] = {"domain": [0, 100]}
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": _HEIGHT,
        "encoding": {"x": {"field": "date", "type": "temporal", "axis": {"title": None}}},
        "layer": [
            line("health", "Health of functions (50 is at the limits)", BLUE, [1, 0], whole),
            line("over", "Functions over a complexity limit", RED, [6, 4], {"zero": True}),
        ],
        "resolve": {"scale": {"y": "independent"}},
    }


OVER_TIME: Picture[Any] = Picture(
    name="over-time",
    title="Complexity and health over two years",
    rows=lambda it: it.past,
    spec=_lines(),
    alt=lambda _, rows: (
        f"From {rows[0]['date']} to {rows[-1]['date']}, functions over a limit went "
        f"from {rows[0]['over']:,} to {rows[-1]['over']:,}, and the health of all "
        f"functions from {rows[0]['health']} to {rows[-1]['health']}; "
        f"{counted(len(rows), 'commit')} measured, without tests."
    ),
    text=over_time("date", "health", "over", "lines"),
)
