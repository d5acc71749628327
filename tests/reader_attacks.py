"""Files that are made to hold a reader, and the tools through which they get there.

Each is a repeated piece of the grammar that the reader knows. What they may cost is the same for
all: the server answers pings, and the time limit, the end of its input and signals end the work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from worst_shapes import SHAPES

MEGABYTE = 1 << 20

Arguments = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
Calls = tuple[tuple[str, Arguments], ...]
Content = bytes | Callable[[], bytes]  # made when it is written: all of it takes 600 MB


def repeated(piece: str, *, start: str = "", tail: str = "", size: int = MEGABYTE) -> Content:
    """Return what makes a file of `size` bytes that is mostly one piece."""
    count = (size - len(start) - len(tail)) // len(piece)
    return lambda: bytes(f"{start}{piece * count}{tail}", "utf-8")


@dataclass(frozen=True, slots=True)
class Attack:
    """Files of a workspace, and the calls that read them."""

    name: str
    calls: Calls
    files: Mapping[str, Content] = field(default_factory=dict)


SURVEY: Calls = (("analyze_repository", {"path": ".", "depth": "deep"}),)
DOCUMENTS: Calls = (("check_links", {}), ("check_documentation", {}))
PACK: Calls = (("pack_repository", {}), ("map_repository", {}))
CODE: Calls = (
    ("analyze_complexity", {}),
    ("analyze_dead_code", {}),
    ("analyze_duplicates", {}),
    ("analyze_debt_comments", {"strict": True}),
    ("analyze_graph_metrics", {}),
    ("analyze_name_similarity", {"query": "read"}),
    ("outline_file", {}),
    ("quality_gate", {"coverage_threshold": 10}),
)
WALK: Calls = (
    ("list_directory", {"recursive": True}),
    ("search_files", {"pattern": "a", "search_type": "content"}),
    ("analyze_complexity", {}),
)
COMMENTS: Calls = (
    ("get_file_comments", {"filePath": "a.py"}),
    ("search_comments", {"query": "a"}),
    ("reanchor_comments", {"dryRun": True}),
)
IMPORT: Calls = (("import_code_comments", {"dryRun": True}),)
EVENT = b"# Query_time: 1.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0\n"
PY = {"a.py": b"import b\n\n\ndef read(path):\n    # TODO: close it\n    return path\n"}
TS = {"src/a.ts": b"import { b } from './b';\nexport function read() { return b; }\n"}


def perf(name: str) -> Calls:
    artifact = {"artifacts": [{"path": name}]}
    return (("validate_artifacts", artifact), ("ingest_artifacts", artifact))


def manifest(path: str, *pieces: str, start: str = "", tail: str = "") -> list[Attack]:
    return [
        Attack(f"{path} {piece!r}", SURVEY, {path: repeated(piece, start=start, tail=tail)})
        for piece in pieces
    ]


NAMED = [
    Attack(
        "tsconfig with comments",
        CODE[:5] + SURVEY,
        {**TS, "tsconfig.json": b"{," + b"/**/" * 44 + b"x"},
    ),
    Attack(
        "tsconfig with a megabyte of comments",
        (("analyze_graph_metrics", {}), ("analyze_dead_code", {})),
        {**TS, "tsconfig.json": repeated("/**/", start="{,", tail="x")},
    ),
    Attack(
        "README with npm and blanks",
        SURVEY + DOCUMENTS + PACK,
        {"README.md": b"# A\n\n```sh\nnpm" + b" " * 300_000 + b"x\n```\n"},
    ),
    Attack(
        "README with npm and blanks outside code",
        SURVEY + DOCUMENTS,
        {"README.md": b"npm" + b" " * 300_000 + b"x"},
    ),
    Attack(
        "slow log with ORDER BY",
        perf("slow.log"),
        {"slow.log": EVENT + b"select 1 order by " + b"a " * 300_000 + b"'\n;\n"},
    ),
    Attack(
        "slow log with one long word",
        perf("slow.log"),
        {"slow.log": EVENT + b"select " + b"a" * 600_000 + b";\n"},
    ),
    *(
        Attack(f"{name} {title}", perf("a"), {"a": partial(SHAPES[name][title], pieces)})
        for name, title, pieces in (
            ("speedscope", "frames that never close", 120_000),
            ("pprof", "one deep sample", 1_000_000),
        )
    ),
    Attack(
        "git config with a long head",
        WALK + SURVEY,
        {
            **PY,
            ".git/HEAD": b"ref: refs/heads/main\n",
            ".git/config": b"[" + b"a " * 250_000 + b"x",
        },
    ),
    Attack("Gemfile with groups", SURVEY, {"Gemfile": b"group " + b" " * 300_000 + b"x"}),
    Attack(
        "gitignore with one deep pattern",
        WALK + SURVEY + PACK,
        {**PY, ".gitignore": b"a/" * 400_000 + b"b", "a/a/a/b": b"x"},
    ),
]
RULES = [
    Attack(f"{name} {piece!r}", WALK, {**PY, name: repeated(piece), "a/a/a/b": b"x"})
    for name in (".gitignore",)
    for piece in ("a\n", "a/\n", "*a\n", "**/a\n", "[a-z]\n", "!a\n", "a*a*a*b\n", "a/b/c\n", "[a")
]
ATTRIBUTES = [
    Attack(f".gitattributes {piece!r}", SURVEY, {**PY, ".gitattributes": repeated(piece)})
    for piece in (
        "*a*a*a*a linguist-generated\n",
        "[a linguist-vendored\n",
        "a linguist-x ",
        "**/",
        "a linguist-x=",
    )
] + [
    Attack(
        f"CODEOWNERS {piece!r}",
        SURVEY + DOCUMENTS,
        {**PY, "CODEOWNERS": repeated(piece), ".github/CODEOWNERS": repeated(piece)},
    )
    for piece in ("* @a\n", "a/", "*")
]
MANIFESTS = [
    *manifest("package.json", "[", '{"a":', start='{"dependencies":'),
    *manifest("package.json", '"a":"1",', start='{"dependencies":{', tail='"b":"1"}}'),
    *manifest("package-lock.json", '"a":{"version":"1"},', start='{"packages":{', tail='"b":{}}}'),
    *manifest("pyproject.toml", "[a.b]\n", "a.", '"', "[[a]]\n"),
    *manifest("pyproject.toml", '"a",', start="[project]\ndependencies=[", tail="]"),
    *manifest("poetry.lock", "[[package]]\n"),
    *manifest("Cargo.toml", "[a.b]\n", "a.b=1\n", "[[bin]]\n"),
    *manifest("Cargo.lock", '[[package]]\nname="a"\n'),
    *manifest("go.mod", "require a v1 // ", "(\n", "require a v1\n", " "),
    *manifest("go.sum", "a v1 h1:a=\n"),
    *manifest("requirements.txt", "a==1\n", "a[", "-r a\n", "a,", "\\\n"),
    *manifest("Gemfile", "gem 'a', ", "group :a do\n", "gem 'a'\n", " do "),
    *manifest("Gemfile.lock", "    a (1)\n"),
    *manifest("a.gemspec", ".add_dependency 'a'\n", "%w[", start="s.executables = ["),
    *manifest("build.gradle", "implementation 'a:b:1'\n", "/*", "libs.", "id 'a' "),
    *manifest("pom.xml", "<dependency>", "<!--", "&", "<a>"),
    *manifest("CMakeLists.txt", "find_package(a)\n", "project(", "#[[", '"'),
    *manifest("composer.json", '"a/b":"1",', start='{"require":{', tail='"c/d":"1"}}'),
    *manifest("composer.lock", "[", start='{"packages":'),
    *manifest("pnpm-workspace.yaml", "- a\n", "[", "a: ", "&a *a ", start="packages:\n"),
    *manifest("Makefile", "a:\n", "a ", ".PHONY: a \\\n", "a"),
    *manifest("LICENSE", "copyright (c) ", "MIT License\n", " "),
    *manifest("Dockerfile", "RUN a\\\n", "FROM a\n"),
]
MARKDOWN = [
    Attack(
        f"Markdown {piece!r}",
        DOCUMENTS + SURVEY,
        {"README.md": repeated(piece), "docs/guide.md": repeated(piece)},
    )
    for piece in (
        "[",
        "![",
        "[a](",
        "[a](b) ",
        "[a]: b\n",
        "*",
        "**a ",
        "`",
        "`a ",
        "<",
        "<a ",
        "<!--",
        "> ",
        "- ",
        "# a\n",
        "|a",
        "|a|b|\n|-|-|\n",
        "\\",
        "&amp;",
        "a\n===\n",
        "http://a ",
        "[^a]",
        "<a href='b'>",
        "~~~\n",
        "    a\n",
        "\t",
        "1. ",
        "_a_",
        "@a ",
        "{#a}",
    )
]
SOURCES = [
    Attack(f"{name} {piece!r}", CODE, {name: repeated(piece)})
    for name, pieces in {
        "a.py": ("(", "a.", "if a:\n", "# TODO: a\n", "'''", "def f(): pass\n", "lambda:", "a=1;"),
        "a.js": ("(", "{", "`${", "a=>", "/*", "if(a)", "[", "function f(){}\n"),
        "a.ts": ("<", "a<", "import a from 'a'\n"),
        "a.kt": ("(", "{", '"$', "a<", "fun f() {}\n"),
        "a.c": ("(", "#if 0\n", "*", "int f() {}\n", "/*"),
        "a.h": ("public\n", "#if __cplusplus\n", "using a "),
        "a.rb": ("<<a\n", "#{", "def f\n"),
        "a.php": ("<?php ", "<<<a\n"),
        "a.sh": ("<<a\n", "$(", "${"),
        "a.rs": ("(", "r#", "!"),
        "a.swift": ("(", "\\(", "#if "),
        "a.scala": ("(", "{", 's"$'),
        "a.cs": ("(", '$"{', "#if a\n"),
        "a.java": ("(", "@a", "a<"),
        "a.go": ("(", "func f() {}\n"),
        **dict.fromkeys(("a.lua", "a.zig", "a.dart", "a.ex"), ("(", "{", "a.", "[[", "fn f() {")),
        "a.vue": ("<template>{{", "<a>", "<a v-if='", "<!--", "<script>\n", "</a>"),
        "a.svelte": ("{", "{#if a}", "<a b={`${", "{'/[", "{/if}", "<a {"),
    }.items()
    for piece in pieces
]
BRIDGES = [
    Attack(
        f"bridge {name} {piece!r}",
        (("analyze_dead_code", {}), ("analyze_graph_metrics", {})),
        {
            name: repeated(piece, size=4 * MEGABYTE - 1024),
            "lib.rs": b'#[no_mangle]\npub extern "C" fn a() {}\n',
            "b.c": b"int a(void) { return 1; }\n",
        },
    )
    for name, pieces in {
        "a.py": ("ctypes.CDLL('a')\n", "ffi.cdef('", 'cdef("""', "lib.a()\n"),
        "a.c": (
            "PyMethodDef a[] = {",
            '{"a", a, 1},',
            "JNIEXPORT void JNICALL Java_a(",
            'extern "C" {',
        ),
        "a.rs": (
            "#[pyfunction]\nfn a() {}\n",
            "#[no_mangle] ",
            "m.add_function(wrap_pyfunction!(a",
        ),
        "a.js": ("require('./a.node').a()\n", "instance.exports.a", "instance.exports."),
        "a.go": ('// #include "a.h"\nimport "C"\n', "C.a()\n", "//export a\n"),
        "a.java": ("native void a();\n", "System.loadLibrary("),
    }.items()
    for piece in pieces
]
COVERAGE = [
    Attack(
        f"{name} {piece!r}",
        (("quality_gate", {"coverage_threshold": 10}),),
        {**PY, name: repeated(piece, start=start, size=8 * MEGABYTE)},
    )
    for name, start, pieces in (
        ("lcov.info", "SF:a.py\n", ("DA:1,1\n", "SF:a.py\n", "DA:", "9", "SF:a/")),
        (
            "coverage.xml",
            "<coverage>",
            ("<a>", "<line number='1' hits='1'/>", "&#65;", "<!--", "<a b='c'/>"),
        ),
        (
            "coverage.xml",
            '<?xml version="1.0"?><!DOCTYPE a [',
            ('<!ENTITY a "b">', "<!ATTLIST a b CDATA 'c'>"),
        ),
        (".coverage", "SQLite format 3\0", ("a", "\0")),
    )
    for piece in pieces
]
PROFILES = (
    [
        Attack(f"slow log {piece!r}", perf("slow.log"), {"slow.log": repeated(piece, start=start)})
        for start, pieces in (
            (
                EVENT.decode() + "select ",
                (
                    "--",
                    "-",
                    "'",
                    "/*",
                    "(",
                    "in(1,",
                    "+",
                    "0x",
                    "`",
                    "1.",
                    "union select ",
                    "#\n",
                    "a.b,",
                ),
            ),
            (
                "",
                (
                    "# Query_time: 1\n;\n",
                    "# User@Host: a\n",
                    "# a: b\n",
                    "use a;\n",
                    "SET timestamp=1;\n",
                    "# Time: 1\n",
                    "token=",
                ),
            ),
        )
        for piece in pieces
    ]
    + [
        Attack(
            f"timings {piece!r}",
            perf("timings.json"),
            {"timings.json": repeated(piece, start=start)},
        )
        for start, pieces in (
            ("", ("[", '{"a":', "9", '"', "1e9,", "[1,")),
            ('{"samples":[', ('{"url":"a","ttfb_ms":1},', '{"url":"a",')),
        )
        for piece in pieces
    ]
    + [
        Attack(
            f"SPX {piece!r}",
            perf("spx-full-1.txt"),
            {
                "spx-full-1.txt": repeated(piece, start="[events]\n"),
                "spx-full-1.json": b'{"exec_ts":1,"enabled_metrics":["wt"]}',
            },
        )
        for piece in ("0 1 1\n", "0 1 ", "[functions]\n", "9", "a\n")
    ]
)
SIDECARS = [
    Attack(
        f"sidecar {piece!r}",
        COMMENTS,
        {**PY, "a.py.comments": repeated(piece, start=start, size=8 * MEGABYTE)},
    )
    for start, piece in (
        ("", "{"),
        ("", "["),
        ("", '{"a":'),
        ("", '"\\"'),
        ("", '{"id":"a"}'),
        ('{"version":"1.0.0","comments":[', '{"id":"a","line":1,"text":"b","tag":"NOTE"},'),
        ('{"version":', "9"),
    )
]
TEXTS = [
    Attack(
        f"secrets {piece!r}",
        (*PACK, ("search_files", {"pattern": "(a+)+$"})),
        {"a.env.txt": repeated(piece), "a.py": repeated(piece, start="x = '")},
    )
    for piece in (
        "token=",
        "a",
        "-----BEGIN PRIVATE KEY-----\n",
        "eyJaaaaaaaaaaaa.",
        "a://b:",
        "secret : ",
        "key",
        "AKIA",
        "\n",
        "é",
        "<|endoftext|>",
    )
]
_BY_FORMAT = (NAMED, RULES, ATTRIBUTES, MANIFESTS, MARKDOWN, SOURCES, BRIDGES, COVERAGE, PROFILES)
ATTACKS = [attack for some in (*_BY_FORMAT, SIDECARS, TEXTS) for attack in some]
