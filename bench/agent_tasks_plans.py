"""Tasks as an agent gets them, each as fixed calls: for Benchpin, for one script, for the rival.

The rival's calls are generous: where a task can only be done by reading code, it reads nothing but
the files that have the answer, and where `grep` suffices, it uses `grep`.
"""

from collections.abc import Callable
from dataclasses import dataclass

Call = tuple[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Subject:
    """A public repository, and what the tasks ask about it."""

    name: str
    source: str
    tests: str
    manifest: str
    dependency: str
    """A dependency, which an overview must name."""
    central: str
    """A type or function that a map must show."""
    definition: str
    """What `grep -E` finds definitions with."""
    file: str
    function: str
    function_lines: tuple[int, int]
    function_says: str
    used: str
    """A name whose uses are searched."""
    users: tuple[str, ...]
    """Some of the files that use it."""
    complex_files: tuple[str, ...]
    """The files with the most complex functions."""
    complex_names: tuple[str, ...]
    """Those functions; the first is the worst."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question, the calls that answer it, and what the answer must contain."""

    subject: str
    question: str
    calls: list[Call]
    script: str
    rival: list[Call]
    answer: str


SUBJECTS = (
    Subject(
        name="flask",
        source="src",
        tests="tests",
        manifest="pyproject.toml",
        dependency="werkzeug",
        central="class Flask",
        definition=r"^ *(async )?(def|class) ",
        file="src/flask/app.py",
        function="full_dispatch_request",
        function_lines=(992, 1019),
        function_says="finalize_request",
        used="url_for",
        users=(
            "src/flask/app.py",
            "src/flask/helpers.py",
            "src/flask/sansio/app.py",
            "src/flask/views.py",
        ),
        complex_files=("src/flask/sansio/blueprints.py", "src/flask/cli.py", "src/flask/app.py"),
        complex_names=("register", "routes_command", "make_response", "url_for"),
    ),
    Subject(
        name="swr",
        source="src",
        tests="test",
        manifest="package.json",
        dependency="use-sync-external-store",
        central="internalMutate",
        definition=r"^ *(export )?(async )?(function|class|interface|type|const) ",
        file="src/_internal/utils/mutate.ts",
        function="internalMutate",
        function_lines=(41, 120),
        function_says="_key",
        used="serialize",
        users=(
            "src/infinite/index.ts",
            "src/mutation/index.ts",
            "src/_internal/utils/mutate.ts",
            "src/_internal/utils/preload.ts",
        ),
        complex_files=(
            "src/index/use-swr.ts",
            "src/infinite/index.ts",
            "src/_internal/utils/mutate.ts",
        ),
        complex_names=("useSWRHandler", "internalMutate"),
    ),
    Subject(
        name="ripgrep",
        source="crates",
        tests="tests",
        manifest="Cargo.toml",
        dependency="bstr",
        central="HiArgs",
        definition=r"^ *(pub(\([a-z]+\))? )?(fn|struct|enum|trait|impl) ",
        file="crates/core/main.rs",
        function="search_parallel",
        function_lines=(166, 232),
        function_says="build_parallel",
        used="BinaryDetection",
        users=(
            "crates/core/search.rs",
            "crates/printer/src/json.rs",
            "crates/searcher/src/searcher/core.rs",
            "crates/searcher/src/searcher/glue.rs",
        ),
        complex_files=(
            "crates/core/flags/hiargs.rs",
            "crates/ignore/src/dir.rs",
            "crates/globset/src/glob.rs",
            "crates/core/main.rs",
        ),
        complex_names=("from_low_args", "matched_ignore", "parse_star", "run"),
    ),
)


def _shell(command: str) -> Call:
    return "shell", {"command": command}


def _read(*files: str) -> list[Call]:
    return [("read_text_file", {"path": file}) for file in files]


def overview(it: Subject) -> Task:
    """Ask what a repository is."""
    script = (
        'found = bench.call("analyze_repository")\n'
        '[found["commands"], found["entry_points"], [(one["name"], one["version"]) for one in '
        'found["dependencies"]["items"] if one["kind"] == "direct"], '
        'found["structure"]["languages"]]'
    )
    first: list[Call] = [("list_directory", {"path": "."})]
    return Task(
        it.name,
        "What is this project written in, what does it depend on, how are its tests run?",
        [("analyze_repository", {})],
        script,
        [*first, *_read(it.manifest, "README.md")],
        it.dependency,
    )


def important_code(it: Subject) -> Task:
    """Ask where the important code is."""
    return Task(
        it.name,
        "Which are the important types and functions, and where are they?",
        [("map_repository", {"path": it.source})],
        f'bench.call("map_repository", path={it.source!r})["map"]',
        [_shell(f"grep -rnE '{it.definition}' {it.source}")],
        it.central,
    )


def outline(it: Subject) -> Task:
    """Ask what is in a file."""
    script = (
        f'[(one["line"], one["name"]) for one in bench.call("outline_file", path={it.file!r}, '
        'limit=200)["outlines"][0]["symbols"]]'
    )
    return Task(
        it.name,
        f"Which functions does {it.file} have?",
        [("outline_file", {"path": it.file, "limit": 200})],
        script,
        [_shell(f"grep -nE '{it.definition}' {it.file}")],
        it.function,
    )


def one_function(it: Subject) -> Task:
    """Ask what a function does."""
    first, last = it.function_lines
    word, lines = f"{it.function}\\b", {"start_line": first, "end_line": last}
    script = (
        f'at = [one for one in bench.call("outline_file", path={it.file!r}, limit=200)'
        f'["outlines"][0]["symbols"] if one["name"].endswith({it.function!r})][-1]\n'
        f'print(bench.call("read_file", path={it.file!r}, start_line=at["line"], '
        'end_line=at["end_line"])["content"])'
    )
    return Task(
        it.name,
        f"What does {it.function} do?",
        [
            ("search_files", {"pattern": word, "path": it.source}),
            ("read_file", {"path": it.file, **lines}),
        ],
        script,
        [
            _shell(f"grep -rnw '{it.function}' {it.source}"),
            _shell(f"grep -n -A {last - first} '{it.function}' {it.file}"),
        ],
        it.function_says,
    )


def complicated(it: Subject) -> Task:
    """Ask for the most complex functions."""
    script = (
        f'[(one["cyclomatic"], one["file"], one["line"], one["function"]) for one in '
        f'bench.call("analyze_complexity", path={it.source!r}, limit=8)["violations"]]'
    )
    return Task(
        it.name,
        "Which functions are the most complicated?",
        [("analyze_complexity", {"path": it.source, "limit": 8})],
        script,
        _read(*it.complex_files),
        it.complex_names[0],
    )


def uses(it: Subject) -> Task:
    """Ask where a name is used."""
    script = (
        f'[(one["path"], one["line"]) for one in bench.call("search_files", '
        f'pattern={it.used + chr(92) + "b"!r}, path={it.source!r}, max_results=200)["matches"]]'
    )
    return Task(
        it.name,
        f"Where is {it.used} used?",
        [("search_files", {"pattern": f"{it.used}\\b", "path": it.source, "max_results": 200})],
        script,
        [_shell(f"grep -rnw '{it.used}' {it.source}")],
        it.users[-1],
    )


def outlines(it: Subject) -> Task:
    """Ask what is in several files."""
    script = (
        f"{{file: [(one['line'], one['name']) for one in bench.call('outline_file', path=file, "
        f"limit=200)['outlines'][0]['symbols']] for file in {list(it.users)}}}"
    )
    return Task(
        it.name,
        f"Which functions do {', '.join(it.users)} have?",
        [("outline_file", {"path": file, "limit": 200}) for file in it.users],
        script,
        [_shell(f"grep -nE '{it.definition}' {' '.join(it.users)}")],
        it.users[-1],
    )


def untested(it: Subject) -> Task:
    """Ask which complex functions no test names."""
    search = [
        ("search_files", {"pattern": f"\\b{name}\\b", "path": it.tests, "max_results": 1})
        for name in it.complex_names
    ]
    script = (
        f'worst = {{one["function"].split(".")[-1] for one in bench.call("analyze_complexity", '
        f'path={it.source!r}, limit=8)["violations"]}}\n'
        '{name: bool(bench.call("search_files", pattern=r"\\b" + name + r"\\b", '
        f'path={it.tests!r}, max_results=1)["matches"]) for name in sorted(worst) '
        "if name.isidentifier()}"
    )
    names = " ".join(it.complex_names)
    look = f"for it in {names}; do echo $it $(grep -rlw $it {it.tests} | head -1); done"
    return Task(
        it.name,
        "Which of the most complicated functions does no test name?",
        [("analyze_complexity", {"path": it.source, "limit": 8}), *search],
        script,
        [*_read(*it.complex_files), _shell(look)],
        it.complex_names[0],
    )


KINDS: tuple[Callable[[Subject], Task], ...] = (
    overview,
    important_code,
    outline,
    one_function,
    complicated,
    uses,
    outlines,
    untested,
)
TASKS = [kind(subject) for subject in SUBJECTS for kind in KINDS]
