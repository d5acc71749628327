"""go.mod: the module and its direct and indirect requirements."""

import re

from .manifest import Damaged, Dependency, DependencyKind, Manifest, Origin, numbered_lines

_LINE = re.compile(r"(?P<name>\S+)\s+(?P<version>v\S+)(?:\s*//\s*(?P<note>.*))?$")
_DIRECTIVES = frozenset(
    "module go require replace exclude retract toolchain tool godebug ignore".split()  # noqa: SIM905 - a table
)


def read(path: str, text: str) -> Manifest:
    """Read a go.mod.

    Raises:
        Damaged: when it contains anything but directives.
    """
    name, block, origin = None, "", Origin("go", path)
    found: list[Dependency] = []
    for number, raw in numbered_lines(text):
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        if block and line.startswith(")"):
            block = ""
            continue
        verb, _, rest = (block, "", line) if block else line.partition(" ")
        if verb not in _DIRECTIVES:
            raise Damaged(f"{verb[:40]!r} is not a directive of go.mod", number)
        if not block and rest.strip().startswith("("):
            block = verb
            continue
        if verb == "module":
            name = rest.partition("//")[0].strip().strip('"')
        elif verb == "require" and (required := _LINE.match(rest.strip())) is not None:
            is_indirect = (required["note"] or "").startswith("indirect")
            kind: DependencyKind = "indirect" if is_indirect else "direct"
            module = required["name"].strip('"')
            found.append(origin.dependency(module, required["version"], kind, number))
    return Manifest(ecosystem="go", path=path, name=name, dependencies=tuple(found))
