"""The language of a file, by its name, its `#!` line or its content."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from benchpin.facts.parsing import Language
from benchpin.workspace.files import Unreadable, read_regular

from . import _registry as languages

_HEAD_BYTES = 8_192
_AMBIGUOUS_ENDINGS = (".h", ".ts")
_INTERPRETER = re.compile(
    rb"#!\s*+(?>\S*/)?+(?:env\s++(?:-\S++\s++|\w++=\S*+\s++)*+)?+(?>\S*/)?+([\w.+-]+)"
)
_SHEBANG_BYTES = 256  # BINPRM_BUF_SIZE of Linux: no system reads more
_VERSION = re.compile(r"(?<![\d.])[\d.]++$")
# Comments, strings and the parts of a C header that are only for C++ compilers.
_NO_CODE = re.compile(
    rb"""
    /\*.*?(?:\*/|\Z) | //[^\n]*
    | (?<!\\)"(?:\\.|[^"\\\n])*+" | (?<!\\)'(?:\\.|[^'\\\n])*+'
    | ^[ \t]*+\#[ \t]*+(?:error|warning)[^\n]*
    | ^[ \t]*+\#[ \t]*+if(?=[^\n]*__cplusplus).*?(?:^[ \t]*+\#[ \t]*+(?:endif|else|elif)|\Z)
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_CPP = re.compile(
    rb"""
    ^[^\S\n]*+(?:
        (?:enum\s+)?class\s+[A-Za-z_] | (?:inline\s+)?namespace\b | template\s*< | typename\s
        | using\s+\w+\s*(?:=|::|;|\w) | (?:public|private|protected)\b[\w\s]{0,200}+:
        | \#\s*include\s*<\w+>
    )
    | ::\s*\w | \bvirtual\s+[~\w] | \bconstexpr\b | \bnoexcept\b | \boperator\s*[^\w\s,;)]
    | _cast\s*< | \bthrow\s*\( | ^[^\S\n]*+extern\s+\{
    """,
    re.MULTILINE | re.VERBOSE,
)
_OBJECTIVE_C = re.compile(rb"^[^\S\n]*+(?:@interface|@protocol|@class|#\s*import)\b", re.MULTILINE)
_MARKUP = re.compile(rb"\s*<(?:\?xml|!DOCTYPE)")


def is_candidate(name: str) -> bool:
    """Whether a file of that name can be in a supported language."""
    dot = name.rfind(".")
    if dot > 0 and name[dot:].lower() in _by_extension():
        return True
    return dot < 0 or name in _by_filename()


def is_in_doubt(path: str) -> bool:
    """Whether the language of a candidate depends on its content."""
    name = path.rpartition("/")[2]
    return "." not in name or name.lower().endswith(_AMBIGUOUS_ENDINGS)


def detect_language(path: str, head: Callable[[], bytes]) -> str | None:
    """Return the language of a file; `head` returns its first bytes, for ambiguous names only.

    For a file that cannot be read, `head` returns nothing.
    """
    name = path.rpartition("/")[2]
    known = _by_filename().get(name)
    if known is not None:
        return known
    dot = name.rfind(".")
    if dot < 1:
        return _by_interpreter(head()) if dot else None
    ending = name[dot:].lower()
    if ending == ".h":
        return _header(head())
    language = _by_extension().get(ending)
    if ending == ".ts" and _MARKUP.match(head()[:200]):
        return None  # a Qt translation file
    return language


def read_language(root: bytes, path: str) -> str | None:
    """Return the language of a file below a root; reads it if its name is ambiguous."""

    def head() -> bytes:
        try:
            return read_regular(root, path, _HEAD_BYTES)[0]
        except Unreadable:
            return b""

    return detect_language(path, head)


def _header(head: bytes) -> str | None:
    if _OBJECTIVE_C.search(head):
        return None
    language = "cpp" if _CPP.search(_NO_CODE.sub(b"", head)) else "c"
    return language if language in languages.NAMES else None


def _by_interpreter(head: bytes) -> str | None:
    found = _INTERPRETER.match(head, 0, _SHEBANG_BYTES)
    if found is None:
        return None
    program = found[1].decode(errors="replace")
    programs = _interpreters()
    return programs.get(program) or programs.get(_VERSION.sub("", program))


def _tables() -> Iterator[Language]:
    return map(languages.load, languages.NAMES)


@cache
def _by_extension() -> dict[str, str]:
    return {ending: table.name for table in _tables() for ending in table.extensions}


@cache
def _by_filename() -> dict[str, str]:
    return {name: table.name for table in _tables() for name in table.filenames}


@cache
def _interpreters() -> dict[str, str]:
    return {program: table.name for table in _tables() for program in table.interpreters}
