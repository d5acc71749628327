"""go.mod: the module and its direct and indirect requirements."""

import re

from ._manifest import (
    DeclaredDependency,
    DependencyKind,
    ManifestError,
    ManifestText,
    PackageManifest,
)

_LINE = re.compile(r"(?P<name>\S+)\s+(?P<version>v\S+)(?:\s*//\s*(?P<note>.*))?$")
_DIRECTIVES = frozenset(
    "module go require replace exclude retract toolchain tool godebug ignore".split()  # noqa: SIM905 - a table
)


def read_go_mod(path: str, text: str) -> PackageManifest:
    """Read a go.mod.

    Raises:
        ManifestError: when it contains anything but directives.
    """
    name, block, source = None, "", ManifestText("go", path, text)
    found: list[DeclaredDependency] = []
    for number, raw in source.numbered_lines():
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        if block and line.startswith(")"):
            block = ""
            continue
        verb, _, rest = (block, "", line) if block else line.partition(" ")
        if verb not in _DIRECTIVES:
            raise ManifestError(f"{verb[:40]!r} is not a directive of go.mod", number)
        if not block and rest.strip().startswith("("):
            block = verb
            continue
        if verb == "module":
            name = rest.partition("//")[0].strip().strip('"')
        elif verb == "require" and (required := _LINE.match(rest.strip())) is not None:
            is_indirect = (required["note"] or "").startswith("indirect")
            kind: DependencyKind = "indirect" if is_indirect else "direct"
            module = required["name"].strip('"')
            found.append(source.dependency(module, required["version"], kind, number))
    return PackageManifest(ecosystem="go", path=path, name=name, dependencies=tuple(found))
