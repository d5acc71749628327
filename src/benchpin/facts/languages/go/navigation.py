"""How names of Go are found."""

import re
from collections.abc import Sequence

from benchpin.facts.code import (
    CallRules,
    Interfaces,
    NamedTest,
    Navigation,
    last_names,
    quoted,
)

from ._signatures import signature

_PREDECLARED = """
    Error String any append bool byte cap clear close comparable complex copy delete error float64
    int int64 len make max min new nil panic print println real recover rune string
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


NAVIGATION = Navigation(
    whole_import=_whole_import,
    methods="package",
    shares_variables=True,
    interfaces=Interfaces(
        kinds=frozenset({"interface"}),
        is_exact=True,
        outside={name: frozenset(it.split()) for name, it in _OUTSIDE.items()},
        signature=signature,
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
    standard_members=frozenset(_STANDARD_MEMBERS.split()),
    calls=CallRules(spreads_results=True),
    test_command=_go_test,
    test_file="_test.go",
    test_names=("Test", "Benchmark", "Example", "Fuzz"),
)
