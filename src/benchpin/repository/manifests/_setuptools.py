"""setup.cfg and setup.py: the settings of setuptools outside of pyproject.toml.

setup.py is a program, and is never run: lists that are written out are read, also by the name of a
variable; what is computed is named.
"""

import ast
import configparser
from collections.abc import Iterator, Mapping

from ._manifest import (
    DeclaredDependency,
    DependencyKind,
    ManifestError,
    ManifestText,
    PackageManifest,
    RepositoryCommand,
)
from ._python import is_dev_group, requirement

_COMPUTED = "its requirements are computed, and programs are not run"
_SCRIPTS = ("console_scripts", "gui_scripts")
_LISTS: tuple[tuple[str, DependencyKind], ...] = (
    ("install_requires", "direct"),
    ("setup_requires", "build"),
    ("tests_require", "dev"),
)


def read_setup_cfg(path: str, text: str) -> PackageManifest:
    """Read a setup.cfg; one without these sections, with settings of other tools, has nothing.

    Raises:
        ManifestError: when it is not an INI file.
    """
    # Not strict: setuptools takes the last of two equal keys, too.
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=",))
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", None)
        raise ManifestError("not an INI file", line) from error
    sections = {name: dict(parser[name]) for name in parser.sections()}
    source = ManifestText("python", path, text)
    metadata = sections.get("metadata", {})
    version = metadata.get("version", "")
    return PackageManifest(
        ecosystem="python",
        path=path,
        name=metadata.get("name") or None,
        # `attr:` and `file:` say where the version is, not what it is.
        version=version if version and ":" not in version else None,
        licence=metadata.get("license") or None,
        dependencies=tuple(_dependencies(sections, source)),
        commands=tuple(_commands(sections.get("options.entry_points", {}), source)),
    )


def _dependencies(
    sections: Mapping[str, Mapping[str, str]], source: ManifestText
) -> Iterator[DeclaredDependency]:
    options = sections.get("options", {})
    for key, kind in _LISTS:
        yield from _listed(options.get(key, ""), kind, source, source.find(f"{key} ", f"{key}="))
    at = source.find("[options.extras_require]")
    for extra, written in sections.get("options.extras_require", {}).items():
        line = source.find(f"{extra} ", f"{extra}=", after=at)
        yield from _listed(written, "dev" if is_dev_group(extra) else "optional", source, line)


def _listed(
    written: str, kind: DependencyKind, source: ManifestText, line: int
) -> Iterator[DeclaredDependency]:
    """Yield the requirements of a value: one a line, or several with semicolons between them."""
    at = line - 1
    for part in written.splitlines():
        text = part.strip()
        parts = None if text.startswith(("#", "file:")) else requirement(text)
        if parts is not None:
            at = source.find(text, after=at)
            yield source.dependency(*parts, kind, at)


def _commands(groups: Mapping[str, str], source: ManifestText) -> Iterator[RepositoryCommand]:
    for group in _SCRIPTS:
        for entry in groups.get(group, "").splitlines():
            name, is_entry, runs = (part.strip() for part in entry.partition("="))
            if is_entry and runs:
                line = source.find(entry.strip(), name)
                yield source.command(name, "executable", runs, line)


def read_setup_py(path: str, text: str) -> PackageManifest:
    """Read what a setup.py passes to `setup` in plain sight.

    Raises:
        ManifestError: when it is no Python, or its requirements are computed.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ManifestError("not Python", getattr(error, "lineno", None)) from error
    calls = (it for it in ast.walk(tree) if isinstance(it, ast.Call))
    call = next((it for it in calls if _is_setup(it)), None)
    given = {} if call is None else {it.arg: it.value for it in call.keywords if it.arg}
    known = _assigned(tree)
    source = ManifestText("python", path, text)
    found: list[DeclaredDependency] = []
    for key, kind in _LISTS:
        found += _written(given.get(key), known, kind, source)
    extras = _resolved(given.get("extras_require"), known)
    if isinstance(extras, ast.Dict):
        for extra, value in zip(extras.keys, extras.values, strict=True):
            group = extra.value if isinstance(extra, ast.Constant) else ""
            is_dev = isinstance(group, str) and is_dev_group(group)
            found += _written(value, known, "dev" if is_dev else "optional", source)
    return PackageManifest(
        ecosystem="python",
        path=path,
        name=_text(given.get("name"), known),
        version=_text(given.get("version"), known),
        licence=_text(given.get("license"), known),
        dependencies=tuple(found),
    )


def _is_setup(call: ast.Call) -> bool:
    """Whether this is the call `setup(…)` or `setuptools.setup(…)`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return "setup" in {name, call.func.id if isinstance(call.func, ast.Name) else ""}


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """Return what the top of the module assigns to single names, the last one of each."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _resolved(value: ast.expr | None, known: Mapping[str, ast.expr]) -> ast.expr | None:
    """Follow one name to what it was assigned; a name of a name is rare, and may be a circle."""
    return known.get(value.id) if isinstance(value, ast.Name) else value


def _text(value: ast.expr | None, known: Mapping[str, ast.expr]) -> str | None:
    found = _resolved(value, known)
    if isinstance(found, ast.Constant) and isinstance(found.value, str):
        return found.value
    return None


def _written(
    value: ast.expr | None,
    known: Mapping[str, ast.expr],
    kind: DependencyKind,
    source: ManifestText,
) -> Iterator[DeclaredDependency]:
    """Yield the requirements of a list that is written out.

    Raises:
        ManifestError: when a part of the list is computed.
    """
    if value is None:
        return
    found = _resolved(value, known)
    if isinstance(found, ast.BinOp) and isinstance(found.op, ast.Add):
        yield from _written(found.left, known, kind, source)
        yield from _written(found.right, known, kind, source)
        return
    if not isinstance(found, ast.List | ast.Tuple):
        raise ManifestError(_COMPUTED, value.lineno)
    for element in found.elts:
        text = _text(element, known)
        if text is None:
            raise ManifestError(_COMPUTED, element.lineno)
        parts = requirement(text)
        if parts is not None:
            yield source.dependency(*parts, kind, element.lineno)
