"""All runners, and which of them a project has."""

from collections.abc import Sequence

from benchpin.core.errors import InvalidParams
from benchpin.run.tests import ProjectUnderTest, Runner, RunnerName

from ._cargo import CARGO
from ._go import GO
from ._javascript import JEST, MOCHA, NODE, NPM, VITEST
from ._jvm import GRADLE, MAVEN
from ._make import MAKE
from ._phpunit import PHPUNIT
from ._python import PYTEST, UNITTEST

# The first that a project has is taken: those that a manifest names for certain come first.
RUNNERS: tuple[Runner, ...] = (
    *(GO, CARGO, MAVEN, GRADLE, PHPUNIT, PYTEST, UNITTEST),
    *(VITEST, JEST, MOCHA, NODE, NPM, MAKE),
)
_SKIPPED = frozenset({"node_modules", "vendor", "target", "build", "dist"})
_MAX_FOLDERS = 200


def find_runners(project: ProjectUnderTest) -> list[Runner]:
    """Return the runners that a folder has, the one to take first."""
    return [it for it in RUNNERS if it.is_used_by(project)]


def choose_runner(
    project: ProjectUnderTest, tests: Sequence[str], wanted: RunnerName | None
) -> tuple[Runner, list[RunnerName]]:
    """Return the runner to take, and the names of the others that the project has.

    Raises:
        InvalidParams: when the project has none.
    """
    if wanted is not None:
        return next(it for it in RUNNERS if it.name == wanted), []
    found = find_runners(project)
    if not found:
        raise InvalidParams(
            f"No test runner was found in {str(project.folder)!r}: looked for the files and "
            f"settings of {', '.join(it.name for it in RUNNERS)}",
            suggestion=_elsewhere(project),
        )
    files = [it.partition("::")[0] for it in tests]
    fitting = [it for it in found if any(file.endswith(it.endings) for file in files if it.endings)]
    chosen = (fitting or found)[0]
    return chosen, [it.name for it in found if it is not chosen]


def _elsewhere(project: ProjectUnderTest) -> str:
    """Return what to do: the folders below that have a runner, if any."""
    found = []
    folders = [it for it in project.names() if it not in _SKIPPED and not it.startswith(".")]
    for name in folders[:_MAX_FOLDERS]:
        runners = find_runners(project.beneath(name))
        if runners:
            found.append(f"{project.folder / name} ({runners[0].name})")
    if found:
        return f"Give one of these as path: {', '.join(found[:10])}."
    return "Give the folder of the project as path, name the runner, or use execute_command."
