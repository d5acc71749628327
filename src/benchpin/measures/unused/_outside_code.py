"""The names in files that are not source code: configurations, templates, documentation."""

import os
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from benchpin.core.text import is_own_output
from benchpin.facts.liveness import NamesOutsideCode
from benchpin.workspace.files import Unreadable, read_regular

_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_WORD_IN_PROSE = re.compile(rb"[A-Za-z_]\w*")
# Names that are no English words: `snake_case`, `_private`, `camelCase`, `PascalCase`.
_LOOKS_LIKE_CODE = re.compile(
    rb"\b(?:[A-Za-z](?=\w*_\w)|_(?=\w)|[a-z]++(?=[A-Z])|[A-Z][a-z\d]++(?=[A-Z]))\w*+"
)
_AFTER_MARK = re.compile(rb"[.`:~]([A-Za-z_]\w*)")
# Words that look like code by the character before or after them.
_BEFORE_MARK = re.compile(rb"\b([A-Za-z_]\w*)[(`]")
# Sphinx's and mkdocstrings' ways to list everything in a module.
_MODULE_PAGE = re.compile(rb"(?:automodule::|^:::)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)
_PROSE = frozenset({".md", ".rst", ".txt", ".adoc", ".mdx", ".markdown"})
_NOT_PROSE = frozenset({"CMakeLists.txt", "requirements.txt"})
# Extensions of binary files, and of data that names no code.
_NOT_TEXT = frozenset(
    """
    .7z .avif .bin .bmp .br .bz2 .class .csv .dat .dll .dylib .eot .exe .gif .gz .icns .ico .jar
    .jpeg .jpg .log .mo .mp3 .mp4 .o .ogg .otf .out .patch .pdf .png .po .pot .psd .pyc .snap .so
    .svg .tar .tgz .tif .tiff .tsv .ttf .wasm .wav .webm .webp .woff .woff2 .xcf .xz .zip
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
# Where to look for a zero byte, which marks a binary file.
_HEAD_BYTES = 1_000
_LOCKS = re.compile(r"(?:-lock\.(?:json|yaml)|\.lock|\.min\.css|\.map|npm-shrinkwrap\.json)$")
_CHANGES = re.compile(r"^(?:change|history|news|release|migrat|upgrad)", re.IGNORECASE)
_MAX_BYTES = 64 << 20
# More different words are data, which would fill the memory.
_MAX_WORDS = 1 << 20


def reader_of(root: Path) -> Callable[[str], bytes]:
    """Return a function that reads files beneath a folder; empty when a file cannot be read.

    It follows no links, opens no pipes, and reads at most 64 MiB of a file.
    """
    folder = os.fsencode(root)

    def read(path: str) -> bytes:
        try:
            return read_regular(folder, path, _MAX_BYTES)[0]
        except Unreadable:
            return b""

    return read


def find_names_outside_code(
    paths: Iterable[str],
    names: frozenset[str],
    read: Callable[[str], bytes],
    unmeasured: Collection[str] = (),
) -> NamesOutsideCode:
    """Find names in files that are not source code, and in source files that were not measured."""
    return read_words_outside_code(paths, names, read, unmeasured).only(names)


@dataclass(frozen=True, slots=True)
class WordsOutsideCode:
    """The words in files that are not source code."""

    words: NamesOutsideCode
    is_complete: bool
    """Whether all words are there; else only those that are names of definitions."""

    def only(self, names: frozenset[str]) -> NamesOutsideCode:
        """Return the words that are names of definitions."""
        words = self.words
        return replace(
            words, configured=words.configured & names, documented=words.documented & names
        )


def read_words_outside_code(
    paths: Iterable[str],
    names: frozenset[str],
    read: Callable[[str], bytes],
    unmeasured: Collection[str] = (),
) -> WordsOutsideCode:
    """Return the words outside the source code that could be names of something.

    They hold for other definitions too, unless there are so many words, as in large data files,
    that only `names` are kept.
    """
    wanted = {name.encode() for name in names}
    is_complete = True
    configured: set[bytes] = set()
    documented: set[bytes] = set()
    modules: set[bytes] = set()
    entries: set[str] = set()
    for path in paths:
        place = PurePosixPath(path)
        if path not in unmeasured and (
            place.suffix.lower() in _NOT_TEXT or _LOCKS.search(place.name)
        ):
            continue
        is_prose = place.suffix in _PROSE and place.name not in _NOT_PROSE
        if is_prose and not _CHANGES.match(place.name):
            text = read(path)
            if is_own_output(text):
                continue
            documented |= _code_in_prose(text)
            modules.update(_MODULE_PAGE.findall(text))
        elif not is_prose:
            text = read(path)
            if b"\0" in text[:_HEAD_BYTES] or is_own_output(text):
                continue
            configured.update(_WORD.findall(text))
            if place.name == "package.json":
                entries |= _entry_files(place.parent, text)
        if len(configured) + len(documented) > _MAX_WORDS:
            is_complete = False
            configured &= wanted
            documented &= wanted
    found = NamesOutsideCode(
        configured=frozenset(word.decode() for word in configured),
        documented=frozenset(word.decode() for word in documented),
        documented_modules=frozenset(module.decode() for module in modules),
        entry_files=frozenset(entries),
    )
    return WordsOutsideCode(found, is_complete)


def _code_in_prose(text: bytes) -> set[bytes]:
    """Return the words that look like code."""
    words = set(_WORD_IN_PROSE.findall(text))
    marked = words.intersection([*_AFTER_MARK.findall(text), *_BEFORE_MARK.findall(text)])
    return marked | set(filter(_LOOKS_LIKE_CODE.fullmatch, words))


_MODULE = re.compile(r"\"(?:\./)?((?:[\w@.-]+/)*[\w.-]+?)(?:\.d)?\.(?:js|mjs|cjs|ts|tsx|mts|jsx)\"")
# A pattern that lets users import every module of a package: `"./*": "./dist/*.js"`.
_ANY_MODULE = re.compile(rb"\"\./\*(?:\.[cm]?js)?\"\s*:\s*\"\./[^\"]*\*")
_BUILT = re.compile(r"^(?:dist|lib|build|out|esm|cjs|es)/(?:(?:esm|cjs|es)/)?")


def _entry_files(folder: PurePosixPath, text: bytes) -> set[str]:
    """Return the files that a package.json names, without extensions.

    For a built file these are the possible places of its source: `src`, or beside the build folder.
    `*` means every file of the package.
    """
    found: set[str] = set()
    if _ANY_MODULE.search(text):
        found.add(str(folder / "*"))
    for module in _MODULE.findall(text.decode(errors="replace")):
        source = _BUILT.sub("", module)
        found |= {str(folder / name) for name in (module, source, f"src/{source}")}
    return found | {str(folder / name) for name in ("index", "src/index")}
