"""Native methods of Java and Kotlin, and the functions that implement them.

A function implements a method when its name says so (`Java_package_Class_method`), or when a table
given to `RegisterNatives` or its fbjni form names both, in a file that also names the class.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.engines.source.index import FileFacts

from .model import Place, Reach
from .scan import C_FAMILY, JVM, Scan, closest
from .texts import Text

_PREFIX = "Java_"
_TABLES = frozenset({"JNINativeMethod", "makeNativeMethod", "RegisterNatives", "registerNatives"})
_LOADERS = frozenset({"loadLibrary", "SoLoader"})
_ROW = re.compile(
    r"(?:\{\s*|makeNativeMethod\(\s*)(?:(?:const_cast<char\s*\*>|\(char\s*\*\))\s*\(?\s*)?"
    r'"(\w+)"\s*\)?\s*,\s*(?:(?:\([^()"]*\)\s*\(?\s*)?"[^"]*"\s*\)?\s*,\s*)?'
    r"(?:\(void\s*\*\)|(?:reinterpret_cast|static_cast)<[^>]*>\s*\()?\s*&?\s*([\w:]+)"
)
_CLASS = re.compile(r'"L?((?:\w+/)+[\w$]+);?"')
_JAVA = re.compile(r"\bnative\s+[^;{}=()]{0,300}?(\w{1,200}+)\s*\(")
_KOTLIN = re.compile(r"\bexternal\s+(?:\w+\s+){0,6}?fun\s+(?:<[^>]{0,200}>\s*)?(\w+)\s*\(")
_OVERLOAD = re.compile(r"__(?!\d)")
"""Before the types of an overloaded method; a digit belongs to an escaped character."""
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Method:
    """A native method."""

    place: Place
    classes: tuple[str, ...]
    """What its class may be called: `com/example/Outer$Inner`; the likeliest first."""
    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Row:
    """What a table says of a native method."""

    place: Place
    function: str
    classes: frozenset[str]
    """All that are named in the file: the table itself does not say which one it is for."""


class Implementations:
    """What C, C++ and Rust offer to the JVM."""

    def __init__(self, scan: Scan) -> None:
        self.exported: defaultdict[str, list[Place]] = defaultdict(list)
        self.registered: defaultdict[str, list[Row]] = defaultdict(list)
        for file in scan.of(*C_FAMILY, "rust"):
            for function in file.outline.functions:
                name = function.name.rpartition(".")[2]
                if name.startswith(_PREFIX):
                    place = Place(file.path, function.line, file.language)
                    self.exported[name].append(place)
        for file in scan.naming(_TABLES, *C_FAMILY):
            self._add_tables(scan, file)
        self._by_short: defaultdict[str, list[tuple[str, Place]]] = defaultdict(list)
        for name, places in self.exported.items():
            self._by_short[_OVERLOAD.split(name)[0]] += [(name, it) for it in places]

    def find(self, method: Method) -> tuple[str, Place] | None:
        """Return the function of a method, by what it is called."""
        for owner in method.classes:
            short = f"{_PREFIX}{mangle(owner)}_{mangle(method.name)}"
            found = self._by_short.get(short)
            if found:
                names = {place: name for name, place in found}
                place = closest(names, method.place.path)
                if place is not None:
                    return names[place], place
        rows = self.registered.get(method.name, ())
        rows = [it for it in rows if not it.classes.isdisjoint(method.classes)]
        simple = re.split(r"[/$]", method.classes[0])[-1]
        named = [it for it in rows if simple in it.function]
        chosen = closest((it.place for it in named or rows), method.place.path)
        return None if chosen is None else (method.name, chosen)

    def method_names(self) -> set[str]:
        """Return names that native methods of the project may have."""
        last = {_OVERLOAD.split(name)[0].replace("_1", "\0") for name in self.exported}
        short = {name.rpartition("_")[2].replace("\0", "_") for name in last}
        return short | self.registered.keys()

    def _add_tables(self, scan: Scan, file: FileFacts) -> None:
        text = scan.texts.of(file)
        classes = frozenset(it[1] for it in _CLASS.finditer(text.code))
        for row in _ROW.finditer(text.code):
            own = closest(scan.c_functions.get(row[2].rpartition(":")[2], ()), file.path)
            place = own or text.place(row.start(1))
            self.registered[row[1]].append(Row(place, row[2], classes))


def find_jni(scan: Scan) -> Iterator[Reach]:
    """Give native methods with what implements them, and functions that implement none."""
    offers = Implementations(scan)
    wanted = offers.method_names() | _LOADERS
    reached: set[str] = set()
    for file in _candidates(scan, wanted, has_offers=bool(offers.exported or offers.registered)):
        for method in _methods(file, scan.texts.of(file)):
            found = offers.find(method)
            if found is None:
                symbol = f"{_PREFIX}{mangle(method.classes[0])}_{mangle(method.name)}"
                reason = "no function of this name and no table of native methods in the project"
                yield Reach("jni", symbol, method.place, method.evidence, None, reason)
                continue
            symbol, target = found
            reached.add(symbol)
            yield Reach("jni", symbol, method.place, method.evidence, target)
    for name in sorted(offers.exported.keys() - reached):
        reason = "no class of the project declares this native method"
        for place in offers.exported[name]:
            text = scan.texts.of(scan.project.files[place.path])
            yield Reach("jni", name, place, text.evidence(place.line), None, reason)


def _candidates(scan: Scan, names: set[str], *, has_offers: bool) -> list[FileFacts]:
    """Return the files that may have native methods: facts are no use where one does not parse."""
    known = scan.naming(names, *JVM)
    unparsed = [it for it in scan.of(*JVM) if it.outline.error_line] if has_offers else []
    return list({it.path: it for it in (*known, *unparsed)}.values())


def mangle(name: str) -> str:
    """Return a name as the JNI specification writes it in C."""
    special = {"/": "_", ".": "_", "_": "_1", ";": "_2", "[": "_3"}
    plain = re.compile(r"[A-Za-z0-9]")
    return "".join(it if plain.match(it) else special.get(it, f"_0{ord(it):04x}") for it in name)


def _methods(file: FileFacts, text: Text) -> Iterator[Method]:
    package = _PACKAGE.search(text.code)
    folder = package[1].replace(".", "/") + "/" if package else ""
    pattern = _KOTLIN if file.language == "kotlin" else _JAVA
    for found in pattern.finditer(text.code):
        place = text.place(found.start(1))
        owners = tuple(folder + it for it in _owners(file, place.line))
        yield Method(place, owners, found[1], text.evidence(place.line))


def _owners(file: FileFacts, line: int) -> list[str]:
    """Return what the class around a line may be called at run time."""
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
