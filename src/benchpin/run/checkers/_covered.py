"""Which files a project has a checker look at, by the settings of the checker."""

import configparser
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from benchpin.run.tests import ProjectView
from benchpin.system.formats import NotToml, parse_toml

# A pattern of a project that is longer is not tried.
_MAX_PATTERN_CHARS = 500


def covered(checker: str, project: ProjectView, files: Sequence[str]) -> list[str]:
    """Return those of some files that a checker looks at when it is given none.

    Files that are named to it are looked at in any case, so they are left out here.
    """
    settings = _settings(checker, project)
    wanted = [*_listed(settings, "files"), *_listed(settings, "include")]
    packages = [it.replace(".", "/") for it in _listed(settings, "packages")]
    unwanted = _listed(settings, "exclude")
    is_pattern = checker == "mypy"
    return [
        it
        for it in files
        if (not (wanted or packages) or _is_in(it, wanted) or _is_of(it, packages))
        if not (_matches(it, unwanted) if is_pattern else _is_in(it, unwanted))
    ]


def _settings(checker: str, project: ProjectView) -> Mapping[str, object]:
    """Return the settings of a checker that say what it looks at."""
    if checker == "mypy":
        for name in ("mypy.ini", ".mypy.ini"):
            if project.has(name):
                return _section(project.read(name), "mypy")
        return _table(project, "mypy") or _section(project.read("setup.cfg"), "mypy")
    if checker == "pyright":
        if not project.has("pyrightconfig.json"):
            return _table(project, "pyright")
        try:
            found = json.loads(project.read("pyrightconfig.json"))
        except (ValueError, RecursionError):
            return {}  # it may have comments
        return found if isinstance(found, dict) else {}
    if checker == "ty":
        found = _table(project, "ty").get("src")
        return found if isinstance(found, dict) else {}
    return {}


def _table(project: ProjectView, name: str) -> Mapping[str, object]:
    try:
        found: object = parse_toml(project.read("pyproject.toml"))
    except NotToml:
        return {}
    for key in ("tool", name):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _section(text: str, name: str) -> Mapping[str, object]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return dict(parser[name]) if parser.has_section(name) else {}


def _listed(settings: Mapping[str, object], key: str) -> list[str]:
    """Return a setting as a list; a text has commas, but for a pattern."""
    found = settings.get(key)
    if isinstance(found, str):
        parts = [found] if key == "exclude" else re.split(r"[,\n]", found)
        return [it.strip() for it in parts if it.strip()]
    return [it for it in found if isinstance(it, str)] if isinstance(found, list) else []


def _is_in(file: str, places: Sequence[str]) -> bool:
    """Whether a file is one of some places, or in one: folders, files and globs."""
    path = PurePosixPath(file)
    folders = {*map(str, path.parents), ""}
    for place in places:
        own = place.removeprefix("./").rstrip("/")
        folder = own.removesuffix("**").rstrip("/").removesuffix("/*")
        if folder in folders or path.match(own):
            return True
    return False


def _is_of(file: str, packages: Sequence[str]) -> bool:
    return any(f"/{it}/" in f"/{file}" for it in packages)


def _matches(file: str, patterns: Sequence[str]) -> bool:
    """Whether a file is one of those that patterns of the project leave out."""
    if not patterns:
        return False
    import re2  # noqa: PLC0415 - loaded when used; it is linear in any pattern of a project

    options = re2.Options()
    options.log_errors = False
    for pattern in patterns:
        try:
            # What looks around is no pattern of RE2: such a file is looked at.
            if len(pattern) <= _MAX_PATTERN_CHARS and re2.compile(pattern, options).search(file):
                return True
        except re2.error:
            continue
    return False
