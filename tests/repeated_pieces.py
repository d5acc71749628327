"""Readers of foreign text, each with pieces of its grammar that are repeated to attack it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath

from benchpin.comments._sidecar import recover_objects
from benchpin.core.calls import Permissions
from benchpin.core.content import read_prompt
from benchpin.core.errors import BenchpinError, ConfigError
from benchpin.core.text import path_of
from benchpin.facts.languages import detect_language
from benchpin.facts.preprocessor import mask
from benchpin.measures.debt._sentences import read_sentences
from benchpin.measures.names import split_identifier
from benchpin.performance.reading import redact_text
from benchpin.performance.slowlog import _events as events
from benchpin.performance.slowlog import fingerprint, redact_sql
from benchpin.project.bridges._scan import FileText
from benchpin.repository import identify
from benchpin.repository.documents._documents import slug
from benchpin.repository.manifests import read_manifest
from benchpin.repository.packing import find_secrets, redact
from benchpin.run.tests import ProjectView, RunnerOutput, UnreadableReport
from benchpin.run.tests._runners import RUNNERS
from benchpin.system.formats import NotToml, parse_object, parse_toml
from benchpin.templates._parameters import compile_pattern
from benchpin.workspace.git import read_settings
from benchpin.workspace.walking import read_rules
from worst_shapes import read_collapsed

Reader = Callable[[str], object]


def manifest(path: str) -> Reader:
    return lambda text: read_manifest(path, text.encode())


def toml(text: str) -> object:
    try:
        return parse_toml(text)
    except NotToml as error:
        return error


def run_of(name: str) -> Reader:
    runner = next(it for it in RUNNERS if it.name == name)

    def read(text: str) -> object:
        project = ProjectView(Path("/nowhere"), PurePosixPath(), Permissions())
        try:
            return runner.read(RunnerOutput(text, text, 1, [("a", text)]), project)
        except UnreadableReport as error:
            return error

    return read


def ignored(text: str) -> object:
    rules = read_rules(text.encode())
    state = rules.top
    for _ in range(50):
        state = state.enter("a")
    return state


def prompt(text: str) -> object:
    try:
        return read_prompt("stem", text)
    except ConfigError as error:
        return error


def uri(text: str) -> object:
    try:
        return path_of(text)
    except BenchpinError as error:
        return error


def log_piece(text: str) -> object:
    piece = text.encode()
    end, head_at, _ = events.split_head(piece)
    return (
        events.read_body(piece, end),
        events.read_head(piece[head_at:]),
        events.is_head(piece),
        events.is_preamble_line(piece),
        events.scans_all(piece),
        events.FAST.match(piece),
    )


def sql(text: str) -> object:
    return fingerprint(text.encode()), redact_sql(text.encode())


def secrets(text: str) -> object:
    return find_secrets(text, "a.env"), redact(text, "a.env")


def code(language: str) -> Reader:
    return lambda text: FileText("a", language, text.encode()).bare


CASES: list[tuple[str, Reader, str, tuple[str, ...], str]] = [
    # name, reader, start, pieces, tail
    ("collapsed stacks", read_collapsed, "", ("a;", "a;b 1\n"), "a 1\nb;c 1\n"),
    (
        "pytest report",
        run_of("pytest"),
        '<testsuite><testcase name="a" file="a.py"><failure>',
        ("a.py:1: in a\n", "a:", "E   a\n", "<a>", "\n", "&#10;"),
        "</failure></testcase></testsuite>",
    ),
    (
        "pytest cases",
        run_of("pytest"),
        "<testsuite>",
        ('<testcase name="a"><failure>a.py:1: x</failure></testcase>', "<error/>"),
        "</testsuite>",
    ),
    (
        "unittest",
        run_of("unittest"),
        "",
        ("=" * 70 + "\nFAIL: a (b)\n", '  File "a", line 1\n', "-" * 70 + "\n", "FAIL: "),
        "Ran 1 test in 1s\n",
    ),
    (
        "go test",
        run_of("go"),
        "",
        (
            '{"Action":"fail","Package":"a","Test":"b/c"}\n',
            '{"Action":"output","Package":"a","Output":"a.go:1: x\\n"}\n',
            "FAIL\ta [build failed]\n",
            "# a\na.go:1:1: x\n",
        ),
        '{"Action":"fail","Package":"a"}\n',
    ),
    (
        "cargo test",
        run_of("cargo"),
        "\nfailures:\n",
        ("---- a stdout ----\n", "a.rs:1:1: ", "error: a\n --> a.rs:1:1\n", "\nfailures:\n"),
        "test result: FAILED. 1 passed; 1 failed; 0 ignored\n",
    ),
    ("maven output", run_of("maven"), "", ("[ERROR] /a.java:[1,1] x\n", "/a.java:", "\n"), "x"),
    (
        "maven report",
        run_of("maven"),
        "<testsuite><testcase><failure>",
        ("\tat a.b.C.d(C.java:1)\n", "at ", "a"),
        "</failure></testcase></testsuite>",
    ),
    (
        "jest report",
        run_of("jest"),
        '{"testResults":[{"assertionResults":[{"status":"failed","failureMessages":["',
        (" at a (/a.js:1:1)\\n", "/a:1:", "\\u001b[1m", "("),
        '"]}]}]}',
    ),
    (
        "tsconfig",
        lambda it: parse_object(it.encode()),
        "{,",
        ("/**/", " ", "//\n", '"\\"', ",", "/*", '\\"', "/**/ "),
        "x",
    ),
    (
        "git config",
        lambda it: list(read_settings(it.encode())),
        "",
        ("[a", "[ ", "[a ", '[a "', 'a="\\\n', "a=\\\n", '"', 'a = "b\\"'),
        "x",
    ),
    (
        "git config head",
        lambda it: list(read_settings(it.encode())),
        "[",
        ("a", " ", "a ", "."),
        "x",
    ),
    ("gitignore", ignored, "", ("a/", "*a", "**/", "[a", "a\n", "!a/b\n", "*/"), "b"),
    ("toml", toml, "", ('"', '"""', '\\"', "'''", "a.", '"\\"', "[a]\n"), "\\"),
    (
        "Gemfile",
        manifest("Gemfile"),
        "",
        (
            "gem ",
            "gem  (",
            " ",
            "gem 'a', ",
            "group ",
            "group :a do\n",
            ":group => ",
            "group: [",
            " do ",
        ),
        "x",
    ),
    ("Gemfile group", manifest("Gemfile"), "group ", (" ", "a ", " d", " do"), "x"),
    (
        "gemspec",
        manifest("a.gemspec"),
        "s.executables = [",
        ("%w[", "'a", ".add_dependency ", " "),
        "x",
    ),
    (
        "gradle",
        manifest("build.gradle"),
        "",
        ("kapt", "implementation ", "id ", "libs.", "'a:", " ", "id 'a' ", "/*", "//"),
        "x",
    ),
    (
        "gradle settings",
        manifest("settings.gradle"),
        "",
        ("\n", "include ", "rootProject.name ", "'a"),
        "x",
    ),
    ("maven", manifest("pom.xml"), "", ("<a>", "<!--", "<dependency>", "&"), "x"),
    (
        "cmake",
        manifest("CMakeLists.txt"),
        "project(",
        ('"', '\\"', "(", "#[[", "#[=", "project(", "a ", "1..."),
        "x",
    ),
    ("cargo", manifest("Cargo.toml"), "", ("[a.b]\n", '"\\"', "a=1\n", "[[a]]\n"), "x"),
    ("go.mod", manifest("go.mod"), "require ", ("a v1 // ", " ", "//", "v", "a v", "(\n"), "x"),
    (
        "requirements",
        manifest("requirements.txt"),
        "",
        ("a", "a[", " ", "a==", "a;", "-r ", "a,", "\\\n"),
        "!",
    ),
    ("package.json", manifest("package.json"), "", ("{", "[", '"a":', '{"scripts":'), "x"),
    ("pyproject", manifest("pyproject.toml"), "", ("[a.b]\n", "a.", '"'), "x"),
    ("heading", slug, "", ("{#a", " ", "<", "#", " {#a"), "x"),
    (
        "licence",
        partial(identify, "LICENSE"),
        "",
        ("copyright ", " ", "\n", "(c) ", "the ", "MIT License\n"),
        "x",
    ),
    (
        "secrets",
        secrets,
        "",
        (
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\na: ",
            "token=",
            "a://b:",
            "eyJaaaaaaaaaaaa.",
            "xoxb-1-",
            "key",
            "secret : ",
            "a",
        ),
        "!",
    ),
    (
        "slow log",
        log_piece,
        " 1.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0\n",
        (
            "a",
            "# a: b\n",
            "#\n",
            "# explain: ",
            ", Version: ",
            ". started with:",
            "use ",
            "use a;",
            "SET ",
            "timestamp=1,",
            "User@Host: ",
            "User: ",
            "\n",
            "A: \n# A: ",
            "a, Version: b. started with:\n",
            "Tcp port: 1\n",
        ),
        "x",
    ),
    (
        "statement",
        sql,
        "select 1 order by ",
        (
            "a ",
            "a",
            "\v",
            " asc",
            "\v asc",
            "'",
            "\\'",
            "''",
            "/*",
            "/*/",
            "--",
            "--a",
            "-- ",
            "-",
            "+",
            "0x",
            "`",
            "#",
            "in(",
            "in (,",
            "1.",
            "union ",
            '\\"',
        ),
        "'",
    ),
    (
        "insert",
        sql,
        "insert into a values ",
        ("(1", "(1),", "values (", "values", ") ,", ")", " ", "(1), ("),
        "x",
    ),
    (
        "union",
        sql,
        "",
        ("select ", "select a union ", "select 1 union all ", " union select b"),
        "x",
    ),
    (
        "header",
        lambda it: detect_language("a.h", it[:8192].encode),
        "",
        ("public\n", "#if __cplusplus\n", '\\"', "/*", "#if ", " ", "using a "),
        "x",
    ),
    (
        "shebang",
        lambda it: detect_language("a", it.encode),
        "#!",
        ("/", "env ", "-a ", "a=b ", " "),
        "!",
    ),
    (
        "preprocessor",
        lambda it: mask(it.encode()),
        "",
        (
            "#if /**/",
            "#a /*",
            "/*",
            '\\"',
            " A(",
            " a(b) ",
            "class A ",
            ") A ",
            "UNUSED",
            "a UNUSED",
            "A_",
            "\\\n",
            "#if 0\n",
            "(",
        ),
        "x",
    ),
    ("c", code("c"), "", ('\\"', "/*", "'\\", '"'), "x"),
    ("javascript", code("javascript"), "", ("\\`", "`", "\\'", "/*"), "x"),
    ("python", code("python"), "", ('"""', "'''", '\\"""', "\\'"), "\\"),
    (
        "sidecar",
        lambda it: recover_objects(it.encode()),
        "",
        ('{"a":', '\\"', '"\\', "{}", "}", '"'),
        "x",
    ),
    (
        "debt",
        read_sentences,
        "",
        ("TODO ", "TODO: ", "*", "--", "`", "<code>", "a. ", "[", "!"),
        "x",
    ),
    ("identifier", split_identifier, "", ("A", "a", "Aa", "1", "_"), "!"),
    ("prompt", prompt, "---\n", ("---\n", " ", "\n", "{{", "a: "), "x"),
    ("uri", uri, "file:///", ("%2", "a/", "../", "%"), "x"),
    ("url", redact_text, "", ("a", "a:", "://", "a@"), " "),
    ("parameter", lambda it: compile_pattern("(a+)+(b|b)*").fullmatch(it), "", ("a", "b"), "!"),
]
