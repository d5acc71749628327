"""What a terminal shows fits its width, for every command; what a pipe gets is whole."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.core.text import folded, shortened, width_of
from command_kit import FILE, GIVEN, every_command, wide_project
from waiting import WAIT_S

Run = Callable[..., Result]
# What these print is the content of something, which a terminal shows as it is.
VERBATIM = {"show file", "show result", "run command", "run python", "run script"}
# What these print is a document for programs or for people elsewhere.
VERBATIM |= {"template generate", "comments export", "perf flamegraph", "show pack", "fleet report"}
ONE_WORD = ("", "explore", "review", "gate", "tools", "doctor", "install --print", "no-such-thing")
IN_ONE_PROCESS = """
import sys
from benchpin.cli.main import cli
for line in open(sys.argv[1], encoding="utf-8"):
    arguments = line.rstrip("\\n").split("\\t")
    print("\\x1e" + line, end="", flush=True)
    try:
        cli.main(arguments, prog_name="benchpin")
    except SystemExit:
        pass
    sys.stdout.flush()
    sys.stderr.flush()
"""


def _every_command() -> list[list[str]]:
    wrong = ["analyze complexity --top 5", "comments move a.py x b.py", "find text a --include b"]
    chosen = [*ONE_WORD, *wrong, "analyze .", *every_command()]
    return [[*it.split(), *GIVEN.get(it, [])] for it in chosen]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wide_project(tmp_path_factory.mktemp("wide") / "project")


def _in_terminal(columns: int, project: Path, commands: list[list[str]]) -> dict[str, list[str]]:
    """Return the lines that each command shows in a terminal."""
    listing = project.parent / f"commands-{columns}.txt"
    listing.write_text("".join("\t".join(it) + "\n" for it in commands), encoding="utf-8")
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    hidden = {"COLUMNS", "LINES", "NO_COLOR"}
    environment = {key: it for key, it in os.environ.items() if key not in hidden}
    with subprocess.Popen(
        (sys.executable, "-c", IN_ONE_PROCESS, str(listing)),
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=project,
        env={**environment, "TERM": "xterm-256color"},
    ) as child:
        os.close(follower)
        shown = b""
        while part := _read(leader):
            shown += part
        child.wait(WAIT_S)
    os.close(leader)
    # A progress bar draws over itself, where a command takes long: what is left of such a line is
    # after its last return.
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode().replace("\r\n", "\n"))
    parts = [[line.rpartition("\r")[2] for line in it.split("\n")] for it in text.split("\x1e")[1:]]
    return {" ".join(lines[0].split("\t")): lines[1:] for lines in parts}


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65_536)
    except OSError:  # Linux says so when the other end is closed
        return b""


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_every_command_fits_the_width_of_a_terminal(columns: int, project: Path) -> None:
    shown = _in_terminal(columns, project, _every_command())
    assert len(shown) > 60
    too_wide = [
        f"{command}: {line}"
        for command, lines in shown.items()
        if " ".join(command.split()[:2]) not in VERBATIM
        for line in lines
        if width_of(line) > columns and not _may_be_wide(line)
    ]
    assert too_wide == []
    assert not [it for it, lines in shown.items() if any("Traceback" in line for line in lines)]


def _may_be_wide(line: str) -> bool:
    """Whether it is one word, such as a path, or is typed or applied elsewhere."""
    is_word = len(line.split()) == 1
    return (
        is_word or line.lstrip().startswith(("run: ", "benchpin ")) or line[:1] in {"+", "-", " "}
    )


@pytest.mark.slow
def test_a_terminal_is_shown_no_markup(project: Path) -> None:
    commands = [
        ["analyze", "deep-context"],
        ["perf", "ingest", "stacks.txt"],
        ["perf", "report"],
        ["fleet", "measure", "."],
        ["fleet", "report"],
    ]
    shown = _in_terminal(100, project, commands)
    report = shown["perf report"]
    assert "What to do first" in shown["analyze deep-context"]
    assert any(line.endswith(".html") for line in report[report.index("Wrote:") :])
    assert any("1 repository" in line for line in shown["fleet report"])
    marked = [
        line for lines in shown.values() for line in lines if re.match(r"#+ |\||<|\*\*|- `", line)
    ]
    assert marked == []


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.md", "# Complexity"),
        ("a.html", "<!doctype html>"),
        ("a.csv", "severity,"),
        ("a.json", "{"),
        ("a.sarif", "{"),
        ("a.xml", "<?xml"),
        ("a.txt", "2 functions"),
        ("a.unknown", "2 functions"),
    ],
)
def test_the_format_follows_the_name_of_the_file(
    run: Run, project: Path, tmp_path: Path, name: str, beginning: str
) -> None:
    file = tmp_path / name
    ended = run("analyze", "complexity", "--root", str(project), "--output", str(file))
    assert ended.exit_code == 0, ended.stderr
    assert file.read_text(encoding="utf-8").startswith(beginning)


def test_a_format_that_was_typed_wins_over_the_name_of_the_file(
    run: Run, project: Path, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    options = ("--root", str(project), "--output", str(file), "--format", "csv")
    assert run("analyze", "complexity", *options).exit_code == 0
    assert file.read_text(encoding="utf-8").startswith("severity,")


def test_a_pipe_gets_whole_lines(run: Run, project: Path) -> None:
    shown = run("analyze", "complexity", "--root", str(project)).stdout
    assert f"{FILE}:5" in shown
    assert "…" not in shown


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("src/a.py:1", 10, "src/a.py:1"),
        ("src/werkzeug/routing/matcher.py:75", 28, "src/werkzeug/…/matcher.py:75"),
        ("tests/test_data_structures.py:53", 20, "…ta_structures.py:53"),
        ("MutableMultiDict.test_interface", 16, "Mutable…nterface"),
        ("说明文件/说明.md", 12, "说…/说明.md"),
    ],
)
def test_a_name_is_shortened_in_the_middle(text: str, width: int, expected: str) -> None:
    assert shortened(text, width) == expected
    assert width_of(shortened(text, width)) <= width


def test_lines_are_folded_between_words_and_diffs_are_not() -> None:
    text = f"{'word ' * 20}\n@@ -1 +1 @@\n+{'word ' * 20}\n\n  7: {'word ' * 20}"
    lines = folded(text, 40).split("\n")
    assert lines[0] == " ".join(["word"] * 8)
    assert lines[1].startswith("  word")
    assert f"+{'word ' * 20}" in lines
    assert lines[-1].startswith("     word")
