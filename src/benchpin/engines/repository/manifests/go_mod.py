"""go.mod: the module, and what it requires, directly or through others."""

import re

from .model import Damaged, Dependency, Manifest, numbered_lines

_LINE = re.compile(r"(?P<name>\S+)\s+(?P<version>v\S+)(?:\s*//\s*(?P<note>.*))?$")
_DIRECTIVES = frozenset(
    "module go require replace exclude retract toolchain tool godebug ignore".split()  # noqa: SIM905 - a table
)


def read(path: str, text: str) -> Manifest:
    """Read a go.mod.

    Raises:
        Damaged: when there is something else in it than directives.
    """
    name, block, found = None, "", []
    for number, raw in numbered_lines(text):
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        if block and line.startswith(")"):
            block = ""
            continue
        verb, _, rest = (block, "", line) if block else line.partition(" ")
        if verb not in _DIRECTIVES:
            raise Damaged(f"{verb[:40]!r} is no directive of go.mod", number)
        if not block and rest.strip().startswith("("):
            block = verb
            continue
        if verb == "module":
            name = rest.partition("//")[0].strip().strip('"')
        elif verb == "require" and (said := _LINE.match(rest.strip())) is not None:
            is_indirect = (said["note"] or "").startswith("indirect")
            found.append(
                Dependency(
                    name=said["name"].strip('"'),
                    version=said["version"],
                    kind="indirect" if is_indirect else "direct",
                    ecosystem="go",
                    path=path,
                    line=number,
                )
            )
    return Manifest(ecosystem="go", path=path, name=name, dependencies=tuple(found))
