"""What docs/templates.md says is so."""

import re
from pathlib import Path

import pytest

from benchpin.templates._catalogue import load_catalogue
from benchpin.templates._definitions import PARAMETER_KEYS, TemplateDefinition
from benchpin.templates._quoting import FILTERS, LITERALS, format_of

PAGE = (Path(__file__).parents[2] / "docs/templates.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_works(tmp_path: Path) -> None:
    home = tmp_path / "service/python-uv/web"
    home.mkdir(parents=True)
    (home / "template.toml").write_text(block("toml"), encoding="utf-8")
    (home / "service.toml.j2").write_text(block("jinja"), encoding="utf-8")
    catalogue = load_catalogue((tmp_path,))
    template = catalogue.find("template://service/python-uv/web")
    assert template.name == "Python web service"
    given = {"project_name": "star-chart", "team": "night-sky"}
    values, problems = catalogue.check(template, given)
    assert not problems
    [file] = catalogue.render(template, values)
    assert str(file.path) == "deploy/star-chart.toml"
    assert file.content == (
        'name = "star-chart"\nport = 8000\nteam = "night-sky"\n'
        'url = "https://star-chart.example.org"\n'
    )


@pytest.mark.parametrize("name", sorted({*LITERALS, *FILTERS}))
def test_every_filter_is_documented(name: str) -> None:
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize(
    "name", [*TemplateDefinition.__struct_fields__, *sorted(PARAMETER_KEYS)], ids=str
)
def test_every_key_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE or f"`{name}.NAME`" in PAGE


def test_the_table_of_formats_is_right() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
    formats = {name: (files, shown) for name, files, shown in rows if name in LITERALS}
    assert set(formats) == set(LITERALS)
    for name, (files, shown) in formats.items():
        literal = re.search(r"`(.+?)`(,|$)", shown.strip())
        if literal is not None and name != "workflow":
            assert LITERALS[name]('it\'s "x"') == literal[1]
        for file in re.findall(r"`([^`*]+)`", files):
            assert name in {format_of(file), format_of(f"x{file}")}
