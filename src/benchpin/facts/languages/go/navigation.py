"""How names of Go are found."""

import re
from collections.abc import Sequence

from benchpin.facts.code import (
    OPENING,
    CallRules,
    Interfaces,
    NamedTest,
    Navigation,
    ResolveType,
    TestWords,
    TokenStream,
    last_names,
    quoted,
)

_PREDECLARED = """
    Error String any append bool byte cap clear close comparable complex copy delete error float64
    int int64 len make max min new nil panic print println real recover rune string
"""
_GLOBALS = """
    any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64
    rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close
    complex copy delete imag len make max min new panic print println real recover init main _
"""
_KEYWORDS = """
    break case chan const continue default defer else fallthrough for func go goto if import
    interface map package range return select struct switch type var
"""
_STANDARD_MEMBERS = "Close Error Len Less Read String Swap Unwrap Write"
# The methods of what is often embedded; a type with another base of the library may have more.
_OUTSIDE = {
    "error": "Error",
    "context.Context": "Deadline Done Err Value",
    "fmt.Stringer": "String",
    "fmt.Formatter": "Format",
    "fmt.GoStringer": "GoString",
    "fmt.State": "Flag Precision Width Write",
    "hash.Hash": "BlockSize Reset Size Sum Write",
    "hash.Hash32": "BlockSize Reset Size Sum Sum32 Write",
    "hash.Hash64": "BlockSize Reset Size Sum Sum64 Write",
    "http.Handler": "ServeHTTP",
    "http.ResponseWriter": "Header Write WriteHeader",
    "http.RoundTripper": "RoundTrip",
    "io.Closer": "Close",
    "io.ReadCloser": "Read Close",
    "io.ReadSeekCloser": "Read Seek Close",
    "io.ReadSeeker": "Read Seek",
    "io.ReadWriteCloser": "Read Write Close",
    "io.ReadWriter": "Read Write",
    "io.Reader": "Read",
    "io.ReaderAt": "ReadAt",
    "io.ReaderFrom": "ReadFrom",
    "io.Seeker": "Seek",
    "io.StringWriter": "WriteString",
    "io.WriteCloser": "Write Close",
    "io.Writer": "Write",
    "io.WriterAt": "WriteAt",
    "io.WriterTo": "WriteTo",
    "json.Marshaler": "MarshalJSON",
    "json.Unmarshaler": "UnmarshalJSON",
    "net.Conn": (
        "Close LocalAddr Read RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline Write"
    ),
    "net.Listener": "Accept Addr Close",
    "os.DirEntry": "Info IsDir Name Type",
    "os.Signal": "Signal String",
    "rand.Source": "Int63 Seed",
    "runtime.Error": "Error RuntimeError",
    "os.FileInfo": "IsDir ModTime Mode Name Size Sys",
    "fs.FileInfo": "IsDir ModTime Mode Name Size Sys",
    "sort.Interface": "Len Less Swap",
    "heap.Interface": "Len Less Pop Push Swap",
    "sync.Locker": "Lock Unlock",
    "sync.Mutex": "Lock TryLock Unlock",
    "sync.Once": "Do",
    "sync.RWMutex": "Lock RLock RLocker RUnlock TryLock TryRLock Unlock",
    "sync.WaitGroup": "Add Done Go Wait",
    "time.Time": (
        "Add AddDate After AppendFormat Before Clock Compare Date Day Equal Format GoString Hour "
        "IsZero Local MarshalJSON MarshalText Minute Month Nanosecond Round Second String Sub "
        "Truncate UTC Unix UnixMilli UnixNano UnmarshalJSON UnmarshalText Weekday Year YearDay"
    ),
}
# Packages whose functions return values of the library: no type parameters, nothing handed back.
_CLOSED = """
    archive/tar archive/zip bufio bytes compress/gzip context crypto/sha256 encoding/base64
    encoding/hex encoding/json errors fmt go/ast go/parser hash html/template io/ioutil log
    math/rand net/url os os/exec os/signal os/user path path/filepath regexp runtime strconv strings
    syscall text/template time unicode unicode/utf8
"""
_BY_REFERENCE = re.compile(r"func\s*\([^)]*\*")
_VERSION = re.compile(r"v\d+")


def _whole_import(module: str) -> tuple[str, str]:
    parts = [it for it in module.split("/") if not _VERSION.fullmatch(it)]
    return (parts[-1] if parts else module), ""


def _go_test(tests: Sequence[NamedTest]) -> str:
    folders = sorted({f"./{it.file.rpartition('/')[0]}".rstrip("/") for it in tests})
    names = "|".join(last_names(tests))
    chosen = f" -run '^({names})$'" if names and all(it.name for it in tests) else ""
    return f"go test{chosen} {' '.join(map(quoted, folders))}"


# Signatures in one spelling: types are identical where their tokens are, once each name says which
# type it means and names of parameters are left out: `func(string)(int,error)`.
_SPELLINGS = {"any": "interface{}", "byte": "uint8", "rune": "int32"}
_INTEGERS = "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune"
_OTHERS = "any bool comparable complex64 complex128 error float32 float64 string"
_BASIC = frozenset(f"{_INTEGERS} {_OTHERS}".split())
_MAX_TOKENS = 300


class _Unreadable(Exception):
    """The tokens are no type that this module knows."""


class _Reader:
    def __init__(self, stream: TokenStream, at: int, resolve: ResolveType) -> None:
        self.stream = stream
        self.words = stream.words
        self.at = at
        self.last = min(len(stream), at + _MAX_TOKENS)
        self.resolve = resolve

    def word(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.words[at] if at < self.last else ""

    def signature(self) -> list[str]:
        """Read `(parameters) results`; a result on another line would be another declaration."""
        parameters = self.listed()
        found = ["func(", *_joined(parameters), ")"]
        if self.word() == "(":
            return [*found, "(", *_joined(self.listed()), ")"]
        if self.at in self.stream.line_starts or not self.starts_type():
            return [*found, "(", ")"]
        return [*found, "(", *self.type(), ",", ")"]

    def starts_type(self) -> bool:
        word = self.word()
        is_type = word in {"*", "[", "map", "chan", "func", "interface", "struct", "<-"}
        return is_type or (self.at < self.last and self.stream.is_name(self.at))

    def listed(self) -> list[list[str]]:
        """Read parameters or results between parentheses; return the type of each."""
        end = self.stream.closing(self.at, self.last)
        self.at += 1
        items: list[tuple[int, int]] = []
        while self.at < end:
            start = self.at
            while self.at < end and self.word() != ",":
                is_open = self.word() in OPENING
                self.at = self.stream.closing(self.at, end) + 1 if is_open else self.at + 1
            items.append((start, self.at))
            self.at += 1
        found = [self.item(*it) for it in items]
        self.at = end + 1
        if not any(is_named for is_named, _ in found):
            return [it for _, it in found]
        # `a, b T`: what is a lone name in a list with names has the type of the next one.
        known: list[str] = []
        types: list[list[str]] = []
        for is_named, written in reversed(found):
            known = written if is_named else known
            types.append(known)
        return types[::-1]

    def item(self, start: int, end: int) -> tuple[bool, list[str]]:
        """Read `name Type` or `Type`; say which. `List[T]` is a type, `list []T` is named."""
        words, stream = self.words, self.stream
        has_brackets = words[start + 1 : start + 2] == ["["]
        closed = stream.closing(start + 1, end) if has_brackets else -1
        is_generic = has_brackets and closed == end - 1 and closed > start + 2
        is_named = end - start > 1 and stream.is_name(start) and words[start + 1] != "."
        is_named = is_named and not is_generic
        self.at = start + is_named
        if self.word() == "...":
            self.at += 1
            return is_named, ["...", *self.type()]
        return is_named, self.type()

    def type(self) -> list[str]:
        word = self.word()
        if word in {"*", "<-"}:
            self.at += 1
            return [word, *self.type()]
        if word == "(":
            self.at += 1
            inner = self.type()
            self.at += 1
            return inner
        if word == "[":
            end = self.stream.closing(self.at, self.last)
            length = self.words[self.at + 1 : end]
            self.at = end + 1
            return ["[", *length, "]", *self.type()]
        if word == "map":
            self.at += 2
            key = self.type()
            self.at += 1
            return ["map[", *key, "]", *self.type()]
        if word == "chan":
            self.at += 1
            is_sent = self.word() == "<-"
            self.at += is_sent
            return ["chan<-" if is_sent else "chan", *self.type()]
        if word == "func":
            self.at += 1
            return self.signature()
        if word in {"struct", "interface"}:
            end = self.stream.closing(self.at + 1, self.last)
            inside = self.words[self.at + 2 : end]
            self.at = end + 1
            return [word + "{}"] if not inside else [word, *inside]
        return self.named()

    def named(self) -> list[str]:
        if not self.starts_type():
            raise _Unreadable
        start, parts = self.at, [self.word()]
        self.at += 1
        while self.word() == ".":
            parts.append(self.word(1))
            self.at += 2
        is_basic = len(parts) == 1 and parts[0] in _BASIC
        name = parts[0] if is_basic else self.resolve(tuple(parts), start)
        found = [_SPELLINGS.get(name, name)]
        if self.word() == "[" and self.word(1) != "]":
            end = self.stream.closing(self.at, self.last)
            self.at += 1
            found.append("[")
            while self.at < end:
                found += [*self.type(), ","]
                self.at += 1
            found.append("]")
            self.at = end + 1
        return found


def _joined(types: list[list[str]]) -> list[str]:
    return [word for it in types for word in (*it, ",")]


def _signature(stream: TokenStream, at: int, resolve: ResolveType) -> tuple[str, ...] | None:
    """Return the signature whose parameters start at a token; None for a generic one."""
    if stream.words[at : at + 1] != ["("]:
        return None
    try:
        return tuple(_Reader(stream, at, resolve).signature())
    except (_Unreadable, IndexError):
        return None


NAVIGATION = Navigation(
    whole_import=_whole_import,
    methods="package",
    shares_variables=True,
    interfaces=Interfaces(
        kinds=frozenset({"interface"}),
        is_exact=True,
        outside={name: frozenset(it.split()) for name, it in _OUTSIDE.items()},
        signature=_signature,
        is_by_reference=lambda it: _BY_REFERENCE.match(it) is not None,
        pointer="*",
        is_hidden=lambda it: not it[:1].isupper(),
    ),
    has_aliases=True,
    mappings=frozenset({"map"}),
    closed_packages=frozenset(_CLOSED.split()),
    keywords=frozenset(_KEYWORDS.split()),
    keyed_types=frozenset({"map", "["}),
    predeclared=frozenset(_PREDECLARED.split()),
    globals=frozenset(_GLOBALS.split()),
    standard_members=frozenset(_STANDARD_MEMBERS.split()),
    calls=CallRules(spreads_results=True),
    tests=TestWords(
        skips=frozenset({"Skip", "Skipf", "SkipNow"}),
        asserts=("assert", "require"),
        reports=frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}),
        equals=frozenset({"==", "!=", "Is", "Equal", "DeepEqual", "EqualError", "ErrorIs"}),
        partial=frozenset(
            {
                *("Contains", "HasPrefix", "HasSuffix", "Subset", "ErrorContains", "<", "<=", ">"),
                *(">=", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"),
            }
        ),
        weak=frozenset({"NotNil", "Error", "NoError", "True", "NotEmpty"}),
        closeness=frozenset({"Abs", "InDelta", "InEpsilon"}),
    ),
    silencers=("//nolint", "// nolint", "//lint:ignore", "// #nosec", "//#nosec"),
    test_command=_go_test,
    test_file="_test.go",
    examples="Example",
    test_names=("Test", "Benchmark", "Example", "Fuzz"),
)
