"""Another distribution adds a toolset, as docs/extending.md says."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import benchpin.toolsets
from benchpin._extensions import GROUP, is_extended
from benchpin.app import Workbench, configure
from benchpin.cli.main import cli
from benchpin.core.errors import ToolsetBroken
from benchpin.server import Kernel
from benchpin.toolsets import added_toolsets, load_toolsets, toolset_problems
from wire import Wire, request

WORDS = Path(__file__).parent.parent / "fixtures" / "distributions"
CODE = (WORDS / "benchpin_words" / "count_words.py").read_text(encoding="utf-8")
PACKAGE = (WORDS / "benchpin_words" / "__init__.py").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> Iterator[None]:
    known = {*sys.modules}
    benchpin.toolsets._others.cache_clear()
    yield
    benchpin.toolsets._others.cache_clear()
    for name in {*sys.modules} - known:
        if name.startswith(("benchpin_words", "made_")):
            del sys.modules[name]


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the distribution of the fixture installed."""
    monkeypatch.syspath_prepend(WORDS)


def install(folder: Path, name: str, **files: str) -> None:
    """Write a distribution with a package `made_NAME`."""
    info = folder / f"{name}-2.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 2.5\n", encoding="utf-8")
    text = f"[{GROUP}]\n{name} = made_{name}:TOOLSET\n"
    (info / "entry_points.txt").write_text(text, encoding="utf-8")
    package = folder / f"made_{name}"
    package.mkdir()
    for module, code in {"__init__": PACKAGE, "count_words": CODE, **files}.items():
        (package / f"{module}.py").write_text(code, encoding="utf-8")


def test_nothing_is_added_by_what_is_installed_here() -> None:
    assert not is_extended()
    assert added_toolsets() == ()


@pytest.mark.usefixtures("words")
async def test_its_tool_is_listed_and_called(workspace: Path) -> None:
    (workspace / "a.txt").write_text("one two three", encoding="utf-8")
    wire = Wire(Kernel(Workbench(configure(root=workspace))))
    await wire.handshake()
    listed = await wire.ask(request("tools/list"))
    [found] = [it for it in listed["result"]["tools"] if it["name"] == "count_words"]
    assert found["description"] == "Count the words of a file, separated by white space"
    assert found["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
    answer = await wire.call("count_words", path="a.txt")
    await wire.close()
    assert answer["result"]["structuredContent"] == {"words": 3}


@pytest.mark.usefixtures("words")
def test_its_tool_is_a_command(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    (workspace / "a.txt").write_text("one two", encoding="utf-8")
    assert CliRunner().invoke(cli, ["count", "words", "a.txt"]).output == "2 words\n"
    helped = CliRunner().invoke(cli, ["--help"]).output
    assert ["count", "words"] in [line.split() for line in helped.splitlines()]
    assert "count_words" in CliRunner().invoke(cli, ["tools"]).output


@pytest.mark.usefixtures("words")
def test_its_tool_is_a_python_call(workspace: Path) -> None:
    (workspace / "a.txt").write_text("one", encoding="utf-8")
    bench = Workbench(configure(root=workspace))
    assert bench.call("count_words", path="a.txt").to_text() == "1 words"
    assert [it.name for it in load_toolsets()][-1] == "benchpin_words"
    assert added_toolsets()[0].distribution == "words 1.0"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"__init__": "import no_such_module"}, "No module named 'no_such_module'"),
        ({"__init__": "raise SystemExit(3)"}, "SystemExit: 3"),
        ({"__init__": "TOOLSET = 3"}, "is no Toolset"),
        ({"__init__": ""}, "has no attribute 'TOOLSET'"),
        ({"count_words": "1 / 0"}, "division by zero"),
        ({"count_words": ""}, "has no Tool called 'count_words'"),
        ({"__init__": PACKAGE.replace("count_words", "read_file")}, "'workspace' has that name"),
        (
            {"__init__": PACKAGE.replace("tools=", "command='analyze',\n    tools=")},
            "analyze: the toolset",
        ),
    ],
)
def test_a_broken_one_is_named_and_left_out(
    files: dict[str, str],
    reason: str,
    tmp_path: Path,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(tmp_path / "site", "broken", **files)
    monkeypatch.syspath_prepend(WORDS)
    monkeypatch.syspath_prepend(tmp_path / "site")
    bench = Workbench(configure(root=workspace))
    assert bench.catalogue.owns("count_words")
    assert [it.name for it in added_toolsets()] == ["benchpin_words"]
    [problem] = toolset_problems()
    assert "the distribution broken 2.5 cannot be loaded" in problem.message
    assert reason in problem.message
    assert "pip uninstall broken" in problem.suggestion


def test_the_second_of_two_with_one_tool_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "copied")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(WORDS)
    assert [it.distribution for it in added_toolsets()] == ["words 1.0"]
    assert "count_words: the toolset 'benchpin_words'" in toolset_problems()[0].message


def test_a_tool_that_breaks_when_it_is_first_called_names_its_distribution(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", "prepared")
    monkeypatch.syspath_prepend(tmp_path / "site")
    [toolset] = added_toolsets()
    prepared = {it: toolset.load_tool(it).definition.to_json() for it in toolset.tools}
    package = tmp_path / "site" / "made_prepared"
    (package / "definitions.json").write_text(json.dumps(prepared), encoding="utf-8")
    (package / "count_words.py").write_text("import no_such_module", encoding="utf-8")
    for name in ("made_prepared", "made_prepared.count_words"):
        del sys.modules[name]
    benchpin.toolsets._others.cache_clear()
    bench = Workbench(configure(root=workspace))
    assert bench.catalogue.owns("count_words")
    with pytest.raises(ToolsetBroken, match=r"prepared 2\.5 cannot be loaded: ModuleNotFound"):
        bench.call("count_words", path="a.txt")


def test_a_distribution_in_the_current_folder_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "hostile")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert not is_extended()
    monkeypatch.syspath_prepend(WORDS)
    assert [it.distribution for it in added_toolsets()] == ["words 1.0"]


@pytest.mark.slow
def test_doctor_reports_what_is_added_and_what_is_broken(tmp_path: Path, workspace: Path) -> None:
    install(tmp_path / "site", "broken", __init__="import no_such_module")
    program = "import sys; from benchpin.cli import main; sys.argv = ['benchpin', 'doctor']; main()"
    ended = subprocess.run(
        (sys.executable, "-c", program),
        cwd=workspace,
        env={"PYTHONPATH": f"{tmp_path / 'site'}:{WORDS}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert "ok   toolset: benchpin_words of words 1.0" in ended.stdout
    assert "note toolset: The toolset 'broken' of the distribution broken 2.5" in ended.stdout
