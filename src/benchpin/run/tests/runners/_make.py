"""make test: whatever it runs, only its exit status is known."""

import re
from collections.abc import Sequence

from benchpin.core.errors import InvalidParams
from benchpin.run.tests import ProjectUnderTest, Runner, RunnerCommand, by_exit_status

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(r"^test\s*+:(?!=)", re.MULTILINE)


def _is_used_by(project: ProjectUnderTest) -> bool:
    name = next((it for it in _NAMES if project.has(it)), None)
    return name is not None and _TARGET.search(project.read(name)) is not None


def _command(_project: ProjectUnderTest, tests: Sequence[str]) -> RunnerCommand:
    if tests:
        raise InvalidParams(
            f"make test takes no tests, and {tests[0]!r} was given",
            suggestion="Leave tests out, or name the runner, such as pytest.",
        )
    return RunnerCommand(("make", "test"))


MAKE = Runner("make", (), _is_used_by, _command, by_exit_status)
