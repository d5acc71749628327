"""requirements.txt: one requirement a line, with options of pip between them."""

import re

from .model import Dependency, DependencyKind, Manifest, numbered_lines
from .pyproject import is_dev_group, requirement

_COMMENT = re.compile(r"(?:^|\s)#.*")
_OPTION = re.compile(r"\s--\S.*")
_EGG = re.compile(r"[#&]egg=([\w.-]+)")


def read(path: str, text: str) -> Manifest:
    """Read a requirements file; what pip is told with options is no dependency."""
    name = path.rpartition("/")[2].removesuffix(".txt").removesuffix(".in")
    kind: DependencyKind = "dev" if is_dev_group(name) else "direct"
    found = []
    pending, start = "", 0
    for number, raw in numbered_lines(text):
        start = start if pending else number
        pending += _COMMENT.sub("", raw)
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        parts = _parts(pending.strip())
        if parts is not None:
            wanted, version = parts
            found.append(
                Dependency(
                    name=wanted,
                    version=version,
                    kind=kind,
                    ecosystem="python",
                    path=path,
                    line=start,
                )
            )
        pending = ""
    return Manifest(ecosystem="python", path=path, dependencies=tuple(found))


def _parts(line: str) -> tuple[str, str | None] | None:
    egg = _EGG.search(line)
    if egg is not None:
        return egg[1], line.removeprefix("-e").strip()
    if not line or line.startswith(("-", ".", "/")) or "://" in line.partition("@")[0]:
        return None
    return requirement(_OPTION.sub("", line))
