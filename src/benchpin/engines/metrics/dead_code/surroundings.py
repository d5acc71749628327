"""The words of files that are not source code: configurations, templates, documentation."""

import os
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_CODE_IN_PROSE = re.compile(
    rb"(?<=[.`:~])[A-Za-z_]\w*|[A-Za-z_]\w*(?=[(`])|[A-Za-z]\w*_\w+|_\w+|[a-z]+[A-Z]\w*"
)
_PROSE = frozenset({".md", ".rst", ".txt", ".adoc", ".mdx", ".markdown"})
_SETTINGS = frozenset(
    """
    .astro .blade.php .bzl .cfg .cmake .conf .css .cshtml .ejs .erb .gradle .haml .hbs .html .htm
    .in .ini .ipynb .j2 .jinja .jinja2 .json .json5 .jsonc .jsp .liquid .mak .mk .mustache .neon
    .nix .njk .plist .properties .proto .pug .razor .scss .service .slim .storyboard .svelte .tf
    .toml .tpl .twig .vue .xaml .xib .xml .yaml .yml .def .l .y .s .S .asm .sql .awk .m4 .am .ac
    .gyp .gypi .pro .cmake.in .mm .m .pl .pm .tcl .lua .bat .ps1 .pyx .pxd
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_NAMES = frozenset(
    """
    BUILD CMakeLists.txt Dockerfile GNUmakefile Gemfile Jenkinsfile Justfile MANIFEST.in Makefile
    Procfile Rakefile WORKSPACE justfile requirements.txt
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_LOCKS = re.compile(r"(?:-lock\.(?:json|yaml)|\.lock|\.min\.css|\.map|npm-shrinkwrap\.json)$")
_CHANGES = re.compile(r"^(?:change|history|news|release|migrat|upgrad)", re.IGNORECASE)
_MAX_BYTES = 4 << 20
_O_SAFE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Names that stand outside the source code."""

    configured: frozenset[str] = frozenset()
    """In configurations, templates and build files."""
    documented: frozenset[str] = frozenset()
    """In texts for people, where they look like code; logs of changes do not count."""
    entry_files: frozenset[str] = frozenset()
    """Files at which a package begins, without their endings."""


def reader_of(root: Path) -> Callable[[str], bytes]:
    """Return what reads files beneath a folder; nothing where that fails, and no end of long ones.

    No link is followed, and no pipe waited for.
    """

    def read(path: str) -> bytes:
        try:
            with os.fdopen(os.open(root / path, _O_SAFE), "rb") as opened:
                return opened.read(_MAX_BYTES)
        except OSError:
            return b""

    return read


def collect_words(
    paths: Iterable[str],
    names: frozenset[str],
    read: Callable[[str], bytes],
    unmeasured: Collection[str] = (),
) -> Surroundings:
    """Look for names in the files that are not source code, and in source that was not measured."""
    configured: set[str] = set()
    documented: set[str] = set()
    entries: set[str] = set()
    wanted = {name.encode() for name in names}
    for path in paths:
        place = PurePosixPath(path)
        if _LOCKS.search(place.name):
            continue
        if place.suffix in _SETTINGS or place.name in _NAMES or path in unmeasured:
            text = read(path)
            configured |= {word.decode() for word in wanted.intersection(_WORD.findall(text))}
            if place.name == "package.json":
                entries |= _entry_files(place.parent, text)
        elif place.suffix in _PROSE and not _CHANGES.match(place.name):
            found = wanted.intersection(_CODE_IN_PROSE.findall(read(path)))
            documented |= {word.decode() for word in found}
    return Surroundings(frozenset(configured), frozenset(documented), frozenset(entries))


_MODULE = re.compile(r"\"(?:\./)?((?:[\w@.-]+/)*[\w.-]+?)(?:\.d)?\.(?:js|mjs|cjs|ts|tsx|mts|jsx)\"")
_BUILT = re.compile(r"^(?:dist|lib|build|out|esm|cjs|es)/(?:(?:esm|cjs|es)/)?")


def _entry_files(folder: PurePosixPath, text: bytes) -> set[str]:
    """Return the files that a package.json names; what is built comes from `src` or beside it."""
    found: set[str] = set()
    for module in _MODULE.findall(text.decode(errors="replace")):
        source = _BUILT.sub("", module)
        found |= {str(folder / name) for name in (module, source, f"src/{source}")}
    return found | {str(folder / name) for name in ("index", "src/index")}
