import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import everything
from benchpin.core.tools import Example, Toolset
from everything.echo import echo

TOOL = '''
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, tool
from benchpin.core.results import Result

class NoParams(Params):
    pass

class Done(Result):
    def to_text(self) -> str:
        return "done"

@tool(title="Sew", effect=Effect.READ)
def {name}(_params: NoParams, _bench: Bench) -> Done:
    """Sew."""
    return Done()
'''


def _toolset(package: str, *tools: str, resources: tuple[str, ...] = ()) -> Toolset:
    return Toolset(
        package=package,
        title="Made",
        description="Made for a test.",
        tools=tools,
        resources=resources,
        prompts=resources,
        example=Example(tools[0] if tools else "none"),
    )


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of an importable package."""
    folder = tmp_path / "sewing_kit"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for module in [name for name in sys.modules if name.partition(".")[0] == "sewing_kit"]:
        del sys.modules[module]


def test_a_toolset_is_called_as_its_package() -> None:
    assert everything.TOOLSET.name == "everything"
    assert _toolset("benchpin.toolsets.made", "sew").name == "made"


def test_a_tool_is_loaded_by_name() -> None:
    assert everything.TOOLSET.load_tool("echo") is echo


def test_a_toolset_without_resources_and_prompts_loads_none() -> None:
    bare = _toolset("no.such.package", "sew")
    assert bare.load_resources() == ()
    assert bare.load_prompts() == ()


def test_a_tool_without_a_module_is_an_import_error() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"everything\.sew"):
        _toolset("everything", "sew").load_tool("sew")


@pytest.mark.parametrize("source", ["", "sew = 5", "def sew(): ...", TOOL.format(name="knit")])
def test_a_module_without_its_tool_is_refused(package: Path, source: str) -> None:
    (package / "sew.py").write_text(source, encoding="utf-8")
    with pytest.raises(TypeError, match=r"sewing_kit\.sew has no Tool called 'sew'"):
        _toolset("sewing_kit", "sew").load_tool("sew")


def test_a_tool_that_goes_by_another_name_is_refused(package: Path) -> None:
    source = TOOL.format(name="knit") + "\nsew = knit\n"
    (package / "sew.py").write_text(source, encoding="utf-8")
    with pytest.raises(TypeError, match="'sew'"):
        _toolset("sewing_kit", "sew").load_tool("sew")


def test_resources_and_prompts_that_are_something_else_are_refused(package: Path) -> None:
    for module in ("resources", "prompts"):
        (package / f"{module}.py").write_text("thread = 5", encoding="utf-8")
    toolset = _toolset("sewing_kit", resources=("thread",))
    with pytest.raises(TypeError, match="has no Resource called 'thread'"):
        toolset.load_resources()
    with pytest.raises(TypeError, match="has no Prompt called 'thread'"):
        toolset.load_prompts()
