"""How each runner names one test, and what it says of tests that could not be built."""

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from benchpin.core.errors import InvalidParams

from ._command import RunnerName
from ._go import GO
from ._project_view import ProjectView
from ._results import FailedTest

# Files that say that a folder is a project of its own.
MANIFESTS = frozenset(
    {
        *("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "go.mod"),
        *("Cargo.toml", "package.json", "phpunit.xml", "phpunit.xml.dist", "composer.json"),
    }
)


def name_for(test: str, runner: RunnerName) -> str:
    """Return a test, `path::Class.name` or a path, as its runner takes it."""
    path, _, qualified = test.partition("::")
    place = PurePosixPath(path)
    if not qualified:
        return path
    match runner:
        case "pytest":
            return f"{path}::{qualified.replace('.', '::')}"
        case "unittest":
            return f"{'.'.join(place.with_suffix('').parts)}.{qualified}"
        case "go":
            # A method is run by the function that starts its suite.
            folder = "" if str(place.parent) == "." else f"/{place.parent}"
            return path if "." in qualified else f".{folder}.{qualified}"
        case "cargo":
            return qualified.rpartition(".")[2]
        case "maven" | "gradle":
            return f"{place.stem}#{qualified.rpartition('.')[2]}"
        case _:
            return path


def checked_test(test: str, project: ProjectView, relative: Callable[[str], PurePosixPath]) -> str:
    """Return a test that a caller named as the runner takes it, relative to the project.

    `relative` returns a path of the caller relative to the workspace.

    Raises:
        InvalidParams: when it would be taken for an option.
        PathError: when it is a path outside the workspace.
    """
    if not test or test.startswith("-") or "\0" in test:
        raise InvalidParams(
            f"{test[:60]!r} is not a test",
            suggestion="Give files, or tests as the runner names them; options are not taken.",
        )
    file, *rest = test.split("::")
    if file.startswith("/") or ".." in PurePosixPath(file).parts:
        file = str(relative(file))
    inner = PurePosixPath(file)
    if project.folder.parts and inner.is_relative_to(project.folder):
        file = str(inner.relative_to(project.folder))
    return "::".join([file, *rest])


_NO_TITLE = re.compile(r"[\w.$()]*")
# What a runner replaces in the title of a test: `adds %i to $name`, `${first} is ${second}`.
_PART = re.compile(r"%[a-zA-Z%#]|\$\{[^}]{0,80}\}|\$[\w.]{1,80}")


def _is_titled(name: str, title: str) -> bool:
    """Whether a name ends with a title, after those of the groups that it is in."""
    name = " ".join(name.split())
    first, *rest = _PART.split(" ".join(title.split()))
    at = name.find(first) if rest else len(name) - len(first)
    if not name.endswith(first if not rest else rest[-1]) or name[:at][-1:].isalnum():
        return False
    for part in (first, *rest):
        at = name.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def is_named(name: str, test: str) -> bool:
    """Whether the name that a runner gives is that of a test, as `path::Class.name` has it."""
    path, _, qualified = test.partition("::")
    file, separator, _rest = name.partition("::")
    if separator and "." in file and not path.endswith(file):
        return False
    if _NO_TITLE.fullmatch(qualified) is None:
        return _is_titled(name, qualified)
    last = re.escape(qualified.rpartition(".")[2] or qualified)
    return re.search(rf"(?:^|[.:#/\s>]){last}(?:$|[\[(/#\s{{])", name) is not None


def is_unbuilt(failure: FailedTest, runner: RunnerName) -> bool:
    """Whether this is no test that failed, but a file or package that could not be run."""
    if failure.name == "build":
        return True
    if runner == GO.name:
        return re.search(r"\.(?:Test|Example|Fuzz)", failure.name) is None
    return failure.file is not None and failure.name in {failure.file, Path(failure.file).name}


def caches_in(folder: Path) -> dict[str, str]:
    """Return variables with which runs of the same tests share what they compile."""
    return {
        # Code of the same size that is written in the same second would run as compiled before.
        "PYTHONDONTWRITEBYTECODE": "1",
        "GOCACHE": str(folder / "go"),
        "CARGO_TARGET_DIR": str(folder / "cargo"),
    }
