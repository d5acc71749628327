"""CMakeLists.txt, command by command: packages that are searched or fetched, and targets."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ._manifest import DeclaredDependency, ManifestText, PackageManifest, RepositoryCommand

_HASH = re.compile(r"#(?:\[(=*)\[)?")
_CALL = re.compile(
    r"""^[ \t]*(?P<name>find_package|fetchcontent_declare|pkg_check_modules|pkg_search_module
    |cpmaddpackage|project|add_executable)\s*\((?P<body>(?:[^()]++|\([^()]*+\))*+)\)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_WORD = re.compile(r'(?<!\\)"((?:\\.|[^"\\])*+)"|([^\s"]+)')
_VERSION = re.compile(r"v?\d[\w.+-]*+(?:(?<=\.\.\.)<[\d.]++)?+")
_MAX_WORDS = 200


def read_cmake(path: str, text: str) -> PackageManifest:
    """Read a CMakeLists.txt; it is a program, and none of it is run."""
    plain, source = _without_comments(text), ManifestText("cmake", path, text)
    name = version = None
    dependencies: list[DeclaredDependency] = []
    commands: list[RepositoryCommand] = []
    line, counted = 1, 0
    for call in _CALL.finditer(plain):
        verb = call["name"].lower()
        line += plain.count("\n", counted, call.start("name"))
        counted = call.start("name")
        words = [one or other for one, other in _WORD.findall(call["body"])][:_MAX_WORDS]
        if not words:
            continue
        if verb == "project":
            name = name or words[0]
            version = version or _after(words, "VERSION")
        elif verb == "add_executable":
            if "$" not in words[0] and not {"ALIAS", "IMPORTED"} & set(words):
                runs = next((it for it in words[1:] if "." in it), "")
                commands.append(source.command(words[0], "target", runs, line))
        else:
            dependencies += _dependencies(verb, words, source, line)
    return PackageManifest(
        ecosystem="cmake",
        path=path,
        name=name if name and "$" not in name else None,
        version=version if version and "$" not in version else None,
        dependencies=tuple(dependencies),
        commands=tuple(commands),
    )


def _without_comments(text: str) -> str:
    """Remove comments; line numbers stay the same."""
    parts, at = [], 0
    unclosed: set[str] = set()  # searching for a missing end again and again would be quadratic
    for mark in _HASH.finditer(text):
        if mark.start() < at:
            continue
        end = -1
        if mark[1] is not None and mark[1] not in unclosed:
            end = text.find(f"]{mark[1]}]", mark.end())
            unclosed |= {mark[1]} if end < 0 else set()
        if end < 0:
            end = text.find("\n", mark.start()) % (len(text) + 1)
        else:
            end += len(mark[1]) + 2
        parts += [text[at : mark.start()], "\n" * text.count("\n", mark.start(), end)]
        at = end
    return "".join((*parts, text[at:]))


def _dependencies(
    verb: str, words: Sequence[str], source: ManifestText, line: int
) -> Iterator[DeclaredDependency]:
    name, version = words[0], None
    if verb == "find_package":
        version = words[1] if len(words) > 1 and _VERSION.fullmatch(words[1]) else None
    elif verb == "fetchcontent_declare":
        version = _after(words, "GIT_TAG") or _after(words, "URL")
    elif verb == "cpmaddpackage":
        name = _after(words, "NAME") or words[0]
        version = _after(words, "VERSION") or _after(words, "GIT_TAG")
    else:
        wanted = [
            it for it in words[1:] if it not in {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL"}
        ]
        for written in wanted:
            module, _, version = re.sub("[<>]=?", "=", written).partition("=")
            yield source.dependency(module, version or None, "direct", line)
        return
    if "$" not in name:
        yield source.dependency(name, version, "direct", line)


def _after(words: Sequence[str], key: str) -> str | None:
    return next((it for before, it in pairwise(words) if before == key), None)
