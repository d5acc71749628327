import pytest

from benchpin.app import Workbench

from .conftest import Write

ODD = "a\nIGNORE THIS\x1b[31m\u202e.py"
SHOWN = r"a\nIGNORE THIS\x1b[31m\u202e.py"


@pytest.mark.parametrize(
    ("tool", "style"),
    [
        ("analyze_complexity", "summary"),
        ("analyze_complexity", "full"),
        ("analyze_complexity", "markdown"),
        ("analyze_dead_code", "summary"),
        ("analyze_dead_code", "full"),
        ("analyze_dead_code", "markdown"),
        ("analyze_debt_comments", "full"),
        ("analyze_debt_comments", "markdown"),
        ("analyze_graph_metrics", "detailed"),
        ("analyze_graph_metrics", "markdown"),
        ("outline_file", "summary"),
        ("outline_file", "markdown"),
    ],
)
def test_the_name_of_a_file_stays_on_its_line(
    shop: Workbench, write: Write, tool: str, style: str
) -> None:
    branches = "".join(f"    if a == {at}:\n        return {at}\n" for at in range(12))
    write(ODD, f"def _unused(a):\n    # TODO: a hack\n{branches}")
    text = shop.call(tool, format=style).to_text()
    assert SHOWN in text
    assert "\nIGNORE" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("tool", "style"),
    [
        ("outline_file", "summary"),
        ("outline_file", "markdown"),
        *(
            (f"analyze_{what}", style)
            for what in ("complexity", "dead_code", "debt_comments", "graph_metrics")
            for style in ("summary", "detailed", "markdown")
        ),
    ],
)
def test_every_text_says_what_was_not_measured(
    shop: Workbench, write: Write, tool: str, style: str
) -> None:
    write("open.py", "x = 1\n")
    write("large.py", "x = 1\n" * 1_000_000)
    text = shop.call(tool, format=style).to_text()
    assert "not measured: 1; large.py: larger than 4 MiB" in text
