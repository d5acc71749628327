"""Native methods of Java and Kotlin, and the functions that implement them.

A function implements a method when its name says so (`Java_package_Class_method`), or when a table
given to `RegisterNatives` or its fbjni form names both, in a file that also names the class.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.facts import FileFacts

from ._bridge import Bridge, CodeLine
from ._scan import C_FAMILY, JVM, Definitions, FileText, Scan, closest, functions_of

_PREFIX = "Java_"
_TABLES = frozenset({"JNINativeMethod", "makeNativeMethod", "RegisterNatives", "registerNatives"})
_LOADERS = frozenset({"loadLibrary", "SoLoader"})
_ROW = re.compile(
    r"(?:\{|makeNativeMethod\()\s*+(?:(?:const_cast<char\s*+\*>|\(char\s*+\*\))\s*+\(?+\s*+)?+"
    r'"(\w++)"\s*+\)?+\s*+,\s*+(?:(?:\([^()"]*+\)\s*+\(?+\s*+)?+"[^"]*+"\s*+\)?+\s*+,\s*+)?+'
    r"(?:\(void\s*+\*\)|(?:reinterpret_cast|static_cast)<[^>]{0,200}+>\s*+\()?+\s*+&?+\s*+([\w:]++)"
)
_CLASS = re.compile(r'"L?((?:\w+/)+[\w$]+);?"')
_JAVA = re.compile(r"\bnative\s+[^;{}=()]{0,300}?(\w{1,200}+)\s*\(")
_KOTLIN = re.compile(r"\bexternal\s+(?:\w+\s+){0,6}?fun\s+(?:<[^>]{0,200}>\s*)?(\w+)\s*\(")
# It precedes the types of an overloaded method; a digit belongs to an escaped character.
_OVERLOAD = re.compile(r"__(?!\d)")
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NativeMethod:
    """A native method of a class."""

    name: str
    classes: tuple[str, ...]
    """Names that its class may have: `com/example/Outer$Inner`; the likeliest first."""
    offset: int

    def function_in(self, owner: str) -> str:
        """Return the name of the function that implements it, if a class owns it."""
        return f"{_PREFIX}{mangle(owner)}_{mangle(self.name)}"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table of native methods."""

    at: CodeLine
    function: str
    classes: frozenset[str]
    """All that are named in the file: the table itself does not say which one it is for."""


class Implementations:
    """What C, C++ and Rust offer to the JVM."""

    def __init__(self, scan: Scan) -> None:
        self.exported = Definitions(list)
        self.registered: defaultdict[str, list[TableRow]] = defaultdict(list)
        self._by_short: defaultdict[str, dict[CodeLine, str]] = defaultdict(dict)
        for function, at in functions_of(scan.of(*C_FAMILY, "rust")):
            name = function.name.rpartition(".")[2]
            if name.startswith(_PREFIX):
                self.exported[name].append(at)
                self._by_short[_OVERLOAD.split(name)[0]][at] = name
        for file in scan.naming(_TABLES, *C_FAMILY):
            self._add_tables(scan, file)

    def find(self, method: NativeMethod, path: str) -> tuple[str, CodeLine] | None:
        """Return the function that implements a method of a file, with the name it goes by."""
        for owner in method.classes:
            names = self._by_short.get(method.function_in(owner), {})
            at = closest(names, path)
            if at is not None:
                return names[at], at
        rows = self.registered.get(method.name, ())
        rows = [it for it in rows if not it.classes.isdisjoint(method.classes)]
        simple = re.split(r"[/$]", method.classes[0])[-1]
        named = [it for it in rows if simple in it.function]
        chosen = closest((it.at for it in named or rows), path)
        return None if chosen is None else (method.name, chosen)

    def method_names(self) -> set[str]:
        """Return names that native methods of the project may have."""
        # `_1` is an underscore of the name, `_` the separator before it.
        last = {name.replace("_1", "\0") for name in self._by_short}
        short = {name.rpartition("_")[2].replace("\0", "_") for name in last}
        return short | self.registered.keys()

    def _add_tables(self, scan: Scan, file: FileFacts) -> None:
        text = scan.text(file)
        classes = frozenset(it[1] for it in _CLASS.finditer(text.code))
        for row in _ROW.finditer(text.code):
            own = closest(scan.c_functions.get(row[2].rpartition(":")[2], ()), file.path)
            at = own or text.at(row.start(1))
            self.registered[row[1]].append(TableRow(at, row[2], classes))


def find_jni(scan: Scan) -> Iterator[Bridge]:
    """Yield native methods with what implements them, and functions that implement none."""
    offers = Implementations(scan)
    reached: set[str] = set()
    for file in _candidates(scan, offers):
        text = scan.text(file)
        for method in _methods(file, text):
            symbol, target = offers.find(method, text.path) or (
                method.function_in(method.classes[0]),
                None,
            )
            if target is not None:
                reached.add(symbol)
            reason = "no function of this name and no table of native methods in the project"
            yield text.bridge("jni", symbol, method.offset, target, reason)
    for name in sorted(offers.exported.keys() - reached):
        for at in offers.exported[name]:
            text = scan.text(scan.project.files[at.path])
            reason = "no class of the project declares this native method"
            yield text.bridge("jni", name, text.start_of(at.line), None, reason)


def _candidates(scan: Scan, offers: Implementations) -> list[FileFacts]:
    """Return the files that may have native methods: also those whose facts are incomplete."""
    known = scan.naming(offers.method_names() | _LOADERS, *JVM)
    has_offers = offers.exported or offers.registered
    unparsed = [it for it in scan.of(*JVM) if it.outline.error_line] if has_offers else []
    return list({it.path: it for it in (*known, *unparsed)}.values())


def mangle(name: str) -> str:
    """Return a name as the JNI specification writes it in C."""
    special = {"/": "_", ".": "_", "_": "_1", ";": "_2", "[": "_3"}
    plain = re.compile(r"[A-Za-z0-9]")
    return "".join(it if plain.match(it) else special.get(it, f"_0{ord(it):04x}") for it in name)


def _methods(file: FileFacts, text: FileText) -> Iterator[NativeMethod]:
    package = _PACKAGE.search(text.code)
    folder = package[1].replace(".", "/") + "/" if package else ""
    pattern = _KOTLIN if file.language == "kotlin" else _JAVA
    for found in pattern.finditer(text.code):
        line = text.at(found.start(1)).line
        owners = tuple(folder + it for it in _owners(file, line))
        yield NativeMethod(found[1], owners, found.start(1))


def _owners(file: FileFacts, line: int) -> list[str]:
    """Return the names that the class around a line may have at run time."""
    around = [it for it in file.outline.types if it.line <= line <= it.end_line]
    if not around:
        stem = file.path.rpartition("/")[2].partition(".")[0]
        above = [
            it.name for it in file.outline.types if it.line <= line and file.outline.error_line
        ]
        return [*above[-1:], f"{stem[:1].upper()}{stem[1:]}Kt"]
    name = max(around, key=lambda it: it.line).name.replace(".", "$")
    outer, _, last = name.rpartition("$")
    return [name, outer] if last == "Companion" else [name]
