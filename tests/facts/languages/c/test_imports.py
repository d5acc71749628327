import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("path", "module", "level", "expected"),
    [
        ("src/a.c", "a.h", 1, ("src/a.h",)),
        ("src/a.c", "../lib/b.h", 1, ("lib/b.h",)),
        ("src/a.c", "proj/api.h", 1, ("include/proj/api.h",)),
        ("src/a.c", "proj/api.h", 0, ("include/proj/api.h",)),
        ("src/a.c", "far.h", 1, ("deps/x/far.h",)),
        ("src/a.c", "far.h", 0, ("deps/x/far.h",)),
        ("src/a.c", "twice.h", 1, "unresolved"),
        ("deps/x/far.h", "twice.h", 1, ("deps/x/in/twice.h",)),
        ("src/a.c", "string.h", 0, "external string.h"),
        ("src/a.c", "stdio.h", 1, "external stdio.h"),
        ("src/a.c", "openssl/ssl.h", 0, "external openssl/ssl.h"),
        ("src/a.c", "config.h", 1, "outside"),
        ("src/a.c", "missing.h", 1, "unresolved"),
    ],
)
def test_an_include_leads_to(
    path: str, module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    paths = ["src/a.c", "src/a.h", "lib/b.h", "include/proj/api.h", "deps/x/far.h", "os/string.h"]
    paths += ["deps/x/in/twice.h", "deps/y/twice.h"]
    files = [made(it, "c") for it in paths]
    imported = Import(module, (), 1, level)
    assert import_outcome(files, path, "c", imported, {"src/config.h.in": ""}) == expected
