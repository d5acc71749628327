"""Package.swift and build.sbt, line by line: they are programs, and neither is run.

What they compute is not found; a version in a constant of the same file is.
"""

import re
from collections.abc import Iterator

from ._manifest import DeclaredDependency, DependencyKind, ManifestText, PackageManifest

# One that never closes would otherwise be searched again with each of its lines.
_MAX_CALL_CHARS = 2_000
_COMMENT = re.compile(r"^\s*(?://|/?\*).*|\s//\s.*")
_SWIFT_NAME = re.compile(r"""\bPackage\s*\(\s*name:\s*"([^"]+)\"""")
_SWIFT = re.compile(r"""\.package\s*\((?P<rest>.*)""")
_SWIFT_URL = re.compile(r"""\b(?:url|id):\s*"(?P<url>[^"]+)\"""")
_SWIFT_VERSION = re.compile(
    r"""\b(?:from|exact|branch|revision):\s*"([^"]+)"|("[\d.]+"\s*\.\.[.<]\s*"[\d.]+")"""
)
_SBT = re.compile(
    r""""(?P<group>[\w.-]+)"\s*%{1,3}\s*"(?P<name>[\w.-]+)"\s*%\s*"""
    r"""(?:"(?P<version>[^"]+)"|(?P<constant>[\w.]+))(?:\s*%\s*(?P<scope>[\w",]+))?"""
)
_SBT_PLUGIN = re.compile(r"\baddSbtPlugin\b|\baddCompilerPlugin\b")
_CONSTANT = re.compile(r"""\bval\s+(\w+)\s*(?::\s*String\s*)?=\s*"([^"]+)\"""")
_SBT_FIELD = re.compile(r"""^\s*(?:ThisBuild\s*/\s*)?(name|version)\s*:=\s*"([^"]+)\"""")


def read_swift(path: str, text: str) -> PackageManifest:
    """Read a Package.swift; a package in another folder of the repository is no dependency."""
    source = ManifestText("swift", path, text)
    name = _SWIFT_NAME.search(text)
    return PackageManifest(
        ecosystem="swift",
        path=path,
        name=None if name is None else name[1],
        dependencies=tuple(_swift_packages(source)),
    )


def _swift_packages(source: ManifestText) -> Iterator[DeclaredDependency]:
    start, call = 0, ""  # the line of an open call, and what of it was read; 0 outside one
    for number, raw in source.numbered_lines():
        line = _COMMENT.sub("", raw)
        opens = _SWIFT.search(line)
        if opens is not None:
            start, call = number, opens["rest"]
        elif start:
            call += line[: _MAX_CALL_CHARS - len(call)]
        if not start or call.count("(") >= call.count(")"):
            continue  # the call goes on in the next line
        url = _SWIFT_URL.search(call)
        if url is not None:
            name = url["url"].rstrip("/").removesuffix(".git").rpartition("/")[2]
            version = _SWIFT_VERSION.search(call)
            written = None if version is None else version[1] or version[2]
            yield source.dependency(name, written, "direct", start)
        start = 0


def read_sbt(path: str, text: str) -> PackageManifest:
    """Read a build.sbt or a file of plugins of sbt."""
    source = ManifestText("scala", path, text)
    fields = dict(match for line in text.splitlines() for match in _SBT_FIELD.findall(line[:500]))
    return PackageManifest(
        ecosystem="scala",
        path=path,
        name=fields.get("name"),
        version=fields.get("version"),
        dependencies=tuple(_sbt_libraries(source, dict(_CONSTANT.findall(text)))),
    )


def _sbt_libraries(source: ManifestText, constants: dict[str, str]) -> Iterator[DeclaredDependency]:
    for number, raw in source.numbered_lines():
        line = _COMMENT.sub("", raw)
        is_plugin = _SBT_PLUGIN.search(line) is not None
        for match in _SBT.finditer(line):
            constant = (match["constant"] or "").rpartition(".")[2]
            scope = (match["scope"] or "").strip('"').lower()
            kind: DependencyKind = "direct"
            if is_plugin or scope == "provided":
                kind = "build"
            elif scope.startswith(("test", "it")):
                kind = "dev"
            name = f"{match['group']}:{match['name']}"
            yield source.dependency(name, match["version"] or constants.get(constant), kind, number)
