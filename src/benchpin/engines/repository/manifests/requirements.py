"""requirements.txt: one requirement per line, and options for pip."""

import re

from .manifest import Dependency, DependencyKind, ManifestText, PackageManifest
from .pyproject import is_dev_group, requirement

_COMMENT = re.compile(r"(?:^|\s)#.*")
_OPTION = re.compile(r"\s--\S.*")
_EGG = re.compile(r"[#&]egg=([\w.-]+)")


def read(path: str, text: str) -> PackageManifest:
    """Read a requirements file; options are not dependencies."""
    name = path.rpartition("/")[2].removesuffix(".txt").removesuffix(".in")
    kind: DependencyKind = "dev" if is_dev_group(name) else "direct"
    source, found = ManifestText("python", path, text), list[Dependency]()
    pending, start = "", 0
    for number, raw in source.numbered_lines():
        start = start if pending else number
        pending += _COMMENT.sub("", raw)
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        parts = _parts(pending.strip())
        if parts is not None:
            found.append(source.dependency(*parts, kind, start))
        pending = ""
    return PackageManifest(ecosystem="python", path=path, dependencies=tuple(found))


def _parts(line: str) -> tuple[str, str | None] | None:
    egg = _EGG.search(line)
    if egg is not None:
        return egg[1], line.removeprefix("-e").strip()
    if not line or line.startswith(("-", ".", "/")) or "://" in line.partition("@")[0]:
        return None
    return requirement(_OPTION.sub("", line))
