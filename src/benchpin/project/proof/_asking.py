"""Ask the checkers of a project about a change: in a copy, with it and without it."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from benchpin.code.changes import Deltas
from benchpin.core.calls import Bench, Workspace
from benchpin.core.errors import BenchpinError, Cancelled
from benchpin.core.tools import Effect
from benchpin.facts import FileSelection
from benchpin.present import Level
from benchpin.project.review import ReviewFinding, finding_at
from benchpin.run.checkers import (
    GRADUAL_CHECKERS,
    CheckerRun,
    find_checkers,
    new_messages,
    run_checkers,
)
from benchpin.run.tests import ProjectView

from ._filling import working_copy
from ._working_copy import WorkingCopy

# Errors of one kind in one file, from which on it is not held to them.
_MANY = 5
# Parts of what is said of checkers: that they were asked, and that there are none.
BOTH_STATES, NO_CHECKER = " on both states", "the project has no checker for these files"
NOT_NEEDED = "is not needed: the tests were compiled"


def ask_checkers(
    selection: FileSelection, deltas: Deltas, bench: Bench, folder: Path, budget_s: float
) -> tuple[list[ReviewFinding], str]:
    """Return what the checkers of a project say since a change, and what was asked, in words.

    What cannot be asked is said. The copy in which they run is made in `folder`, and removed.
    """
    if Effect.EXECUTE not in bench.effects | bench.typed_effects:
        return [], "no checker of the project: running programs is not allowed (--allow execute)"
    try:
        with working_copy(selection, deltas, folder, bench.job) as copy:
            return ask_in(copy, deltas, bench, budget_s)
    except Cancelled:
        raise
    except BenchpinError as error:
        return [], f"no checker of the project: {error}"


def ask_in(
    copy: WorkingCopy,
    deltas: Deltas,
    bench: Bench,
    budget_s: float,
    environment: Mapping[str, str] | None = None,
    needless: Collection[str] = (),
) -> tuple[list[ReviewFinding], str]:
    """Return what checkers say in a copy since a change, and what was asked, in words.

    The `needless` ones are not asked, as what they look at is known from elsewhere.
    """
    root = copy.root.resolve()
    original = ProjectView(copy.original, PurePosixPath(), bench.permissions)
    project = ProjectView(root, PurePosixPath(), bench.permissions, original)
    call = replace(
        bench,
        workspace=Workspace(root),
        effects=bench.effects | {Effect.EXECUTE, Effect.WRITE},
        toolchains=(*bench.toolchains, *copy.linked),
    )
    paths = [it.path for it in deltas.files if it.after is not None]
    known_checkers = find_checkers(project, paths)
    chosen = [it for it in known_checkers if it[0].name not in needless]
    if known_checkers and not chosen:
        return [], f"{', '.join(it.name for it, _ in known_checkers)} {NOT_NEEDED}"
    after = run_checkers(chosen, project, budget_s / 2, call, environment)
    known = [it.old_path or it.path for it in deltas.files if it.before is not None]
    # Where nothing is said after a change, nothing can be new.
    asked = {it.checker.name for it in after if not it.lacks and it.messages}
    before = []
    if asked:
        with copy.reverted(deltas.files):
            view = ProjectView(root, PurePosixPath(), bench.permissions, original)
            again = [it for it in find_checkers(view, known) if it[0].name in asked]
            before = run_checkers(again, view, budget_s / 2, call, environment)
    return _new_findings(before, after), _said(before, after)


def _new_findings(before: list[CheckerRun], after: list[CheckerRun]) -> list[ReviewFinding]:
    lost = {it.checker.name for it in before if it.lacks}
    messages = [it for run in after if run.checker.name not in lost for it in run.messages]
    old = [it for run in before for it in run.messages]
    # Where programs run all the same, a file with many such errors is not held to the checker.
    counts = Counter((it.checker, it.file, it.code) for it in old if it.checker in GRADUAL_CHECKERS)
    tolerated = {key for key, count in counts.items() if count >= _MANY and key[2]}
    found = []
    for new in new_messages(old, messages):
        is_error = new.is_error and (new.checker, new.file, new.code) not in tolerated
        level: Level = "error" if is_error else "warning"
        text = f"{new.checker} {new.code}".rstrip() + f": {new.message}"
        finding = finding_at("checker", new.file, new.line, text, level=level)
        found.append(finding.model_copy(update={"certainty": "certain"}))
    return found


def _said(before: list[CheckerRun], after: list[CheckerRun]) -> str:
    lacking = {it.checker.name: it.lacks for it in (*before, *after) if it.lacks}
    asked = [it.checker.name for it in after if it.checker.name not in lacking]
    parts = [f"{', '.join(asked)}{BOTH_STATES}"] if asked else []
    parts += [f"not {name}: {why}" for name, why in lacking.items()]
    return "; ".join(parts) or NO_CHECKER
