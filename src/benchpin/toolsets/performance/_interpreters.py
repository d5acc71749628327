"""What is started to be profiled, and where its interpreter is looked for."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect
from benchpin.run.tests import (
    ProjectView,
    RunnerCommand,
    RunnerName,
    checked_test,
    choose_runner,
    find_environments,
)

_OWN_PROGRAMS = ("node_modules/.bin", "vendor/bin")


def program_folders(project: ProjectView) -> list[str]:
    """Return folders with programs, the first to look in first.

    Those of the project's dependencies, of its own or the activated environment, then PATH, but not
    the environment that Benchpin alone is installed in.
    """
    own = [project.path / it for it in _OWN_PROGRAMS]
    environments = [(project.path / it.program).parent for it in find_environments(project)]
    path = [Path(it) for it in os.environ.get("PATH", "").split(os.pathsep) if it.startswith("/")]
    ours = Path(sys.prefix, "bin") if sys.prefix != sys.base_prefix else None
    found = [*own, *environments, *(it for it in path if it != ours)]
    # Not resolved: the program of an environment is a link to its base, which lacks its packages.
    return list(dict.fromkeys(os.path.normpath(it) for it in found if it.is_dir()))


def passed_over(taken: str, name: str, folders: Sequence[str]) -> str:
    """Return the interpreter that a terminal takes, if the sandbox took another; else nothing.

    `name` is what it was looked up by; empty where its path was given.
    """
    places = (Path(it, name) for it in folders)
    first = next((str(it) for it in places if name and os.access(it, os.X_OK)), taken)
    return "" if first == taken else first


def tests_to_record(
    tests: Sequence[str], wanted: RunnerName | None, project: ProjectView, bench: Bench
) -> tuple[RunnerCommand, str]:
    """Return the command that runs some tests, and what to call it.

    Raises:
        InvalidParams: when their runner cannot be profiled.
    """

    def relative(path: str) -> PurePosixPath:
        return bench.workspace.relative(bench.path(path))

    taken = [checked_test(it, project, relative) for it in tests]
    runner, _ = choose_runner(project, taken, wanted)
    if not runner.has_report:
        raise InvalidParams(
            f"{runner.name} test may start anything, so it is not known what to profile",
            suggestion="Name the runner that it starts with runner, or give its command as argv.",
        )
    if runner.needs_write and not bench.is_unconfined:
        bench.require(Effect.WRITE, f"{runner.name}, which writes into the project,")
    command = runner.command(project, taken)
    environment = {**command.environment, "BENCHPIN_PROFILE_TESTS": "1"}
    return replace(command, environment=environment), shlex.join((runner.name, *taken))
