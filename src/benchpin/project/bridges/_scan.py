"""The files of a project by language, and their texts, for what facts do not contain.

Facts list what a file imports, calls and mentions, and so show which few files can reference
another language. They contain neither the lines of calls, nor the arguments of attributes such as
`#[pyo3(name = "x")]`, nor methods without a body. So the files that facts point to are read, and
searched with regular expressions, with comments blanked out.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from benchpin.facts import FileFacts, Function
from benchpin.facts.imports import ProjectFiles, ReadFile, nearest

from ._bridge import Bridge, BridgeKind, CodeLine

C_FAMILY = ("c", "cpp")
JAVASCRIPT = ("javascript", "typescript", "tsx")
JVM = ("java", "kotlin")
# The languages that code of another one can reference.
REFERENCED = frozenset({*C_FAMILY, "go", "rust"})
# `object.member`, the first two names of a chain.
DOTTED_JAVASCRIPT = re.compile(r"(?<![.\w$])([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)")

# Where names are defined.
Definitions = defaultdict[str, list[CodeLine]]

_EVIDENCE_CHARS = 120
_PATH_WORDS = re.compile(r"[a-z0-9]{3,}")
_C_WORD = re.compile(r"[A-Za-z_]\w*")
# What ends a statement, a row of a table, or a field of a structure.
_END_OF_REGISTRATION = re.compile(r'[;"}]|,\s*\.')
# How far after a quoted name the function registered under it may be.
_REGISTRATION_CHARS = 160
_BLOCK = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
# No string begins after a backslash: else one without an end would be read at each `\"` in it.
_DOUBLE = r'(?<!\\)"(?:\\.|[^"\\\n])*+"'
_SINGLE = r"(?<!\\)'(?:\\.|[^'\\\n])*+'"
_CHARACTER = r"'(?:\\[^'\n]*|[^'\\\n])'"
_BACKTICK = r"(?<!\\)`(?:\\.|[^`\\])*+`"
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\\?\Z)'
_C_LIKE = rf"{_BLOCK}|{_DOUBLE}|{_CHARACTER}"
_JAVA = rf"{_BLOCK}|{_TRIPLE}|{_DOUBLE}|{_CHARACTER}"
_JAVASCRIPT = rf"{_BLOCK}|{_DOUBLE}|{_SINGLE}|{_BACKTICK}"
_COMMENTS_AND_STRINGS = {
    "c": _C_LIKE,
    "cpp": _C_LIKE,
    "rust": _C_LIKE,
    "go": rf"{_C_LIKE}|`[^`]*`",
    "java": _JAVA,
    "kotlin": _JAVA,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "python": rf"#[^\n]*|{_TRIPLE}|'''(?:\\.|[^\\])*?(?:'''|\\?\Z)|{_DOUBLE}|{_SINGLE}",
}
_VISIBLE = re.compile(r"[^\n]")


class FileText:
    """The text of one file."""

    def __init__(self, path: str, language: str, content: bytes) -> None:
        self.path = path
        self.language = language
        self.raw = content.decode("utf-8", "replace").replace("\r\n", "\n")

    @cached_property
    def code(self) -> str:
        """The text with spaces for comments, so that offsets stay the same."""
        return self._blanked(has_strings=True)

    @cached_property
    def bare(self) -> str:
        """The text with spaces for comments and strings."""
        return self._blanked(has_strings=False)

    def _blanked(self, *, has_strings: bool) -> str:
        def blank(found: re.Match[str]) -> str:
            is_string = found[0][0] not in "/#"
            return found[0] if is_string and has_strings else _VISIBLE.sub(" ", found[0])

        return re.sub(_COMMENTS_AND_STRINGS[self.language], blank, self.raw, flags=re.DOTALL)

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(it) + 1 for it in self.raw.split("\n")), initial=0))

    def at(self, offset: int, language: str | None = None) -> CodeLine:
        """Return the line of a character."""
        return CodeLine(self.path, bisect_right(self._starts, offset), language or self.language)

    def start_of(self, line: int) -> int:
        """Return the offset of a line; the end of the text when there is no such line."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.raw)

    def bridge(
        self,
        kind: BridgeKind,
        symbol: str,
        offset: int,
        target: CodeLine | None,
        reason: str = "",
        *,
        language: str | None = None,
    ) -> Bridge:
        """Return a reference at an offset; `reason` says why there is no target."""
        source = self.at(offset, language)
        return Bridge(
            kind=kind,
            symbol=symbol,
            from_file=source.path,
            from_line=source.line,
            from_language=source.language,
            to_file=target.path if target else None,
            to_line=target.line if target else None,
            to_language=target.language if target else None,
            reason="" if target else reason,
            evidence=self._evidence(source.line),
        )

    def _evidence(self, line: int) -> str:
        """Return a line, printable and short."""
        found = self.raw[self.start_of(line) : self.start_of(line + 1)].strip()
        shown = "".join(it if it.isprintable() else " " for it in found[: _EVIDENCE_CHARS + 1])
        return shown if len(shown) <= _EVIDENCE_CHARS else f"{shown[: _EVIDENCE_CHARS - 1]}…"


class Scan:
    """The files of a project, as the finders of references need them."""

    def __init__(self, files: Sequence[FileFacts], read: ReadFile) -> None:
        self._files = files
        self._read = read
        self._texts: dict[str, FileText] = {}
        self._by_language: defaultdict[str, list[FileFacts]] = defaultdict(list)
        for file in sorted(files, key=lambda it: it.path):
            self._by_language[file.language].append(file)

    def of(self, *languages: str) -> list[FileFacts]:
        """Return the files in some languages, by language and path."""
        return [file for language in languages for file in self._by_language[language]]

    def naming(self, names: Collection[str], *languages: str) -> list[FileFacts]:
        """Return the files whose code contains one of some identifiers."""
        wanted = frozenset(names)
        return [
            it for it in self.of(*languages) if not it.links.references.keys().isdisjoint(wanted)
        ]

    def text(self, file: FileFacts) -> FileText:
        """Return the text of a file, read once; empty when it may not be read."""
        if file.path not in self._texts:
            content = self._read(file.path) or b""
            self._texts[file.path] = FileText(file.path, file.language, content)
        return self._texts[file.path]

    def manifest(self, path: str) -> str:
        """Return the text of a file that is not source; empty when there is none."""
        return (self._read(path) or b"").decode("utf-8", "replace")

    @cached_property
    def project(self) -> ProjectFiles:
        """The files as the resolvers of imports need them."""
        return ProjectFiles(self._files, self._read)

    @cached_property
    def c_functions(self) -> Definitions:
        """Every function of C and C++ by its last name, also those that are not visible."""
        found = Definitions(list)
        for function, at in functions_of(self.of(*C_FAMILY)):
            found[function.name.rpartition(".")[2].rpartition(":")[2]].append(at)
        return found

    def registration(self, files: Sequence[FileFacts], name: str, near: str) -> CodeLine | None:
        """Return the function that C registers under a name, or the line that registers it.

        The file `near` itself is preferred, then the nearest ones.
        """
        found: dict[CodeLine, CodeLine] = {}
        quoted = f'"{name}"'
        for file in files:
            text = self.text(file)
            for literal in re.finditer(re.escape(quoted), text.code):
                at = text.at(literal.start())
                rest = text.code[literal.end() : literal.end() + _REGISTRATION_CHARS]
                found.setdefault(at, self._first_function(rest, file.path) or at)
        own = [at for at in found if at.path == near]
        chosen = closest(own or found, near)
        return None if chosen is None else found[chosen]

    def _first_function(self, rest: str, path: str) -> CodeLine | None:
        """Return the first function that a text names, in the same statement or row."""
        words = _C_WORD.findall(_END_OF_REGISTRATION.split(rest, maxsplit=1)[0])
        places = (closest(self.c_functions.get(word, ()), path) for word in words)
        return next((it for it in places if it is not None), None)


def functions_of(files: Iterable[FileFacts]) -> Iterator[tuple[Function, CodeLine]]:
    """Yield the functions of files, and where they are."""
    for file in files:
        for function in file.outline.functions:
            yield function, CodeLine(file.path, function.line, file.language)


def closest(places: Iterable[CodeLine], path: str, hint: str = "") -> CodeLine | None:
    """Return the place that shares most folders with a path, and then most words.

    By their words `_psosx.py` belongs to `arch/osx/proc.c` and not to `arch/aix/proc.c`. The words
    of the hint count like those of the path.
    """
    known = sorted(places)
    if len(known) < 2:  # noqa: PLR2004 - nothing to choose from
        return known[0] if known else None
    best = frozenset(nearest([it.path for it in known], path))
    near = f"{path} {hint}".lower()
    return max(
        (it for it in known if it.path in best),
        key=lambda it: sum(word in near for word in _PATH_WORDS.findall(it.path.lower())),
    )
