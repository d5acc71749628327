import json
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchpin.templates import RenderedFile, Template, TemplateBroken, TemplateCatalogue, Value
from benchpin.templates._catalogue import load_catalogue
from benchpin.templates._parameters import check_parameters
from benchpin.templates._quoting import format_of
from benchpin.templates._rendering import Renderer
from template_kit import CATALOGUE, HOSTILE, example_parameters, values_for

EVERY = list(CATALOGUE.templates.values())
SAMPLE = [it for it in EVERY if it.variant in {"cli", "web", "mit", "codex", "vscode"}]


def rendered(template: Template, **given: object) -> list[RenderedFile]:
    values, problems = check_parameters(template.parameters, example_parameters(template) | given)
    assert not problems
    return CATALOGUE.render(template, values)


@pytest.mark.parametrize("template", EVERY, ids=lambda it: it.uri)
def test_the_examples_of_every_template_render(template: Template) -> None:
    for file in rendered(template):
        assert not file.content or file.content.endswith("\n")
        assert "\n\n\n" not in file.content or file.path.endswith(".py")
        assert not any(line != line.rstrip() for line in file.content.splitlines())
        parsed(file)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_parameters_that_validate_render_and_twice_alike(data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(EVERY), label="template")
    chosen = {it.name: values_for(it) for it in template.parameters}
    given = data.draw(st.fixed_dictionaries({}, optional=chosen), label="parameters")
    values, problems = check_parameters(
        template.parameters, {"project_name": "a", **given}, known=["project_name"]
    )
    if not problems:
        files = CATALOGUE.render(template, values)
        assert files == CATALOGUE.render(template, values)
        for file in files:
            parsed(file)


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
def test_no_text_breaks_out_of_any_template(text: str) -> None:
    """What parses has the same shape, whatever the text is."""
    for template in SAMPLE:
        texts = {
            it.name: text
            for it in template.parameters
            if it.name in {"description", "author", "root"} and text == text.strip()
        }
        if not texts:
            continue
        for plain, hostile in zip(rendered(template), rendered(template, **texts), strict=True):
            assert plain.content.count("\n") == hostile.content.count("\n")
            assert shape(parsed(plain)) == shape(parsed(hostile))


def test_a_directive_in_a_value_is_never_run() -> None:
    template = CATALOGUE.find("template://project/python-uv/cli")
    files = {str(it.path): it for it in rendered(template, description="{{ 7 * 7 }}{% x %}")}
    manifest = tomllib.loads(files["pyproject.toml"].content)
    assert manifest["project"]["description"] == "{{ 7 * 7 }}{% x %}"


def parsed(file: RenderedFile) -> object:
    """Read a file with a parser of its language, where Python has one."""
    match format_of(str(file.path)):
        case "json":
            return json.loads(file.content)
        case "toml":
            return tomllib.loads(file.content)
        case "yaml" | "workflow":
            return yaml.safe_load(file.content)
        case "xml":
            return ET.fromstring(file.content)  # noqa: S314 - ours
        case "python":
            return compile(file.content, str(file.path), "exec").co_names
    return None


def shape(value: object) -> object:
    """Return what a document is like, whatever its strings say."""
    if isinstance(value, dict):
        return {str(key): shape(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [shape(inner) for inner in value]
    if isinstance(value, ET.Element):
        return [value.tag, *(shape(inner) for inner in value)]
    return type(value)


def own(folder: Path, source: str, path: str = "x.toml", extra: str = "") -> TemplateCatalogue:
    """Return a catalogue with one template of our own."""
    home = folder / "note" / "any" / "plain"
    home.mkdir(parents=True)
    (home / "x.j2").write_text(source, encoding="utf-8")
    (home / "template.toml").write_text(
        f"""
title = "Note"
description = "A note."
mime_type = "text/plain"
version = "1"
uses = ["project_name"]
[parameters.text]
description = "What it says."
default = "x"
{extra}
[[files]]
source = "x.j2"
path = "{path}"
""",
        encoding="utf-8",
    )
    return load_catalogue((folder,))


def rendered_own(catalogue: TemplateCatalogue, text: str) -> RenderedFile:
    """Render it in this process, which is faster than in a worker."""
    template = catalogue.find("template://note/any/plain")
    renderer = Renderer(catalogue.sources[template.origin], catalogue.toolchains)
    values: dict[str, Value] = {"project_name": "a", "text": text}
    [file] = renderer.render(template, values, frozenset({"note"}))
    return file


WAYS = (
    "text",
    "text | safe",
    "'' ~ text",
    "(project_name | kebab)[:0] ~ text",
    "text | trim | string",
    "('%s' | comment) % text",
    "('x' | kebab).join(['', ''])[:0] + text",
    "[text] | join",
    "('{}' | comment).format(text)",
    "('{x}' | comment).format_map({'x': text})",
    "text | replace('q', 'q')",
)


@pytest.mark.parametrize("way", WAYS)
def test_a_value_is_quoted_however_it_is_reached(tmp_path: Path, way: str) -> None:
    catalogue = own(tmp_path, f"x = {{{{ {way} }}}}\n")
    file = rendered_own(catalogue, '" = [table]')
    assert tomllib.loads(file.content) == {"x": '" = [table]'}


def test_a_value_is_quoted_for_its_file_unasked(tmp_path: Path) -> None:
    catalogue = own(tmp_path, "x = {{ text }}\ny = {{ text ~ '!' }}\nz = {{ text | safe }}\n")
    file = rendered_own(catalogue, '" = [table]')
    assert tomllib.loads(file.content) == {
        "x": '" = [table]',
        "y": '" = [table]!',
        "z": '" = [table]',
    }


@pytest.mark.parametrize(
    "source",
    [
        "{{ missing }}",
        "{{ text.__class__.__mro__ }}",
        "{{ ''.__class__.__base__.__subclasses__() }}",
        "{% for x in range(999999999) %}x{% endfor %}",
        "{{ text | word }}",
        "{{ [1] }}",
        "{% if %}",
        "{% include '../../parameters.toml' %}",
        "{{ 1 / 0 }}",
        "{% include 'note/any/plain/x.j2' %}",
    ],
)
def test_a_template_that_cannot_be_rendered_says_so(tmp_path: Path, source: str) -> None:
    catalogue = own(tmp_path, source)
    with pytest.raises(TemplateBroken) as caught:
        rendered_own(catalogue, "not a word")
    assert "template://note/any/plain" in caught.value.message


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("x.toml", 'x = "{{ text }}"'),
        ("x.sh", 'echo "Hello, {{ text }}!"'),
        ("x.sh", "echo '{{ text }}'"),
        ("x.sh", 'echo "{{ project_name | kebab }} {{ text | sh }}"'),
        ("x.yml", "x: \"{{ 'a' ~ text }}\""),
        ("Dockerfile", 'LABEL x="{{ text }}"'),
    ],
)
def test_a_value_in_quotes_of_the_template_is_refused(
    tmp_path: Path, path: str, source: str
) -> None:
    catalogue = own(tmp_path, source, path)
    with pytest.raises(TemplateBroken, match="line 1: values already have quotes"):
        rendered_own(catalogue, "b")


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("x.toml", 'x = "src/{{ text | snake }}" # {{ text }}', 'x = "src/b" # "b"'),
        ("x.xml", '<a b="{{ text }}"/>', '<a b="b"/>'),
        ("x.md", 'the "{{ text }}"', 'the "b"'),
        ("x.toml", 'x = ["a", {{ text }}]', 'x = ["a", "b"]'),
    ],
)
def test_quotes_that_belong_there_are_left_alone(
    tmp_path: Path, path: str, source: str, expected: str
) -> None:
    catalogue = own(tmp_path, source, path)
    file = rendered_own(catalogue, "b")
    assert file.content == expected


@pytest.mark.parametrize(
    "path", ["../x", "/x", "a//b", "{{ text }}", "a/../../b", "a b", "{{ 'x' ~ text }}"]
)
def test_a_path_that_leaves_the_project_is_refused(tmp_path: Path, path: str) -> None:
    catalogue = own(tmp_path, "x", path)
    with pytest.raises(TemplateBroken):
        rendered_own(catalogue, "../up")


@pytest.mark.parametrize("template", EVERY, ids=lambda it: it.uri)
def test_a_project_name_is_required_only_where_it_is_used(template: Template) -> None:
    def made(name: str) -> list[tuple[str, str]]:
        given = {**example_parameters(template), "project_name": name}
        values, problems = CATALOGUE.check(template, given)
        assert not problems
        return [(it.path, it.content) for it in CATALOGUE.render(template, values)]

    is_used = made("star-chart") != made("moon-map")
    assert is_used == any(it.required for it in template.parameters if it.name == "project_name")
