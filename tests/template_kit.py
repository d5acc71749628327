"""What tests of templates share: every template, good parameters for it, and hostile texts."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import strategies as st

from benchpin.templates import Parameter, Template, TemplateCatalogue
from benchpin.templates._catalogue import load_catalogue
from benchpin.templates.projects import ScaffoldRequest, scaffold

CATALOGUE: TemplateCatalogue = load_catalogue()
EVERYTHING = (
    "project",
    "makefile",
    "readme",
    "gitignore",
    "ci",
    "dockerfile",
    "precommit",
    "license",
    "mcp",
)
VARIANTS = [
    (template.toolchain, template.variant) for template in CATALOGUE.select(category="project")
]
# What the machine that runs the tests can be expected to have.
OLD_ENOUGH = {
    "java-maven": {"java_version": "17"},
    "node": {"node_version": "20"},
    "php-composer": {"php_version": "8.2"},
    "python-uv": {"python_version": "3.11"},
}
HOSTILE = (
    "",
    " ",
    "'",
    '"',
    "\\",
    "'; touch /tmp/pwned; '",
    '"; touch /tmp/pwned; "',
    "$(touch /tmp/pwned)",
    "`touch /tmp/pwned`",
    "${HOME} $HOME %PATH%",
    "${{ secrets.TOKEN }}",
    "{{ 7 * 7 }}",
    "{% raw %}{% endraw %}{# x #}",
    "*/ int x; /*",
    "?> <b>x</b> <?php",
    "--> <x/> <!--",
    ']]> & &amp; <a href="x">',
    "# not a comment // nor this",
    "a: b, [c], {d}: - e",
    "trailing \\",
    "\\u000a\\n\\x41 \\",
    "??/ ??= trigraph",
    "100 % %s %d",
    "naïve ☃ \U0001f600 é",
    '"""',
    "'''",
    "1. - + = > # * _ ~ | !",
)

_OF_AN_OUTER_MAKE = frozenset({"MAKEFLAGS", "MAKELEVEL", "MFLAGS"})


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(HOSTILE)
"""Whatever a string can hold."""
one_line = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=40
) | st.sampled_from(HOSTILE)
"""Whatever a parameter can hold, and more."""


def values_for(parameter: Parameter) -> st.SearchStrategy[str | int | bool]:
    """Return values of a parameter, most of which are valid."""
    if parameter.type == "boolean":
        return st.booleans()
    if parameter.type == "integer":
        return st.integers(parameter.minimum, parameter.maximum)
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    if parameter.pattern is not None:
        return st.from_regex(rf"(?a:{parameter.pattern})", fullmatch=True)
    return one_line


def example_parameters(template: Template) -> dict[str, str | int | bool | None]:
    """Return the examples of a template's parameters."""
    return {it.name: it.example for it in template.parameters}


def make_project(folder: Path, toolchain: str, variant: str, **parameters: object) -> Path:
    """Write a whole project, every category of it."""
    names = [it for it in EVERYTHING if it != "dockerfile" or variant != "library"]
    given = {"project_name": "star-chart", **OLD_ENOUGH.get(toolchain, {}), **parameters}
    made = scaffold(CATALOGUE, ScaffoldRequest(toolchain, names, given, variant))
    home = folder / toolchain / variant
    for file in made.files:  # plainly: hundreds of them would wait for the disk otherwise
        place = home / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.content, encoding="utf-8")
        place.chmod(0o755 if file.is_executable else 0o644)
    return home


def program(name: str) -> str:
    """Return where a program is, or skip the test."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command: str | Path, folder: Path, text: str | None = None, **environment: str) -> str:
    """Run a program, which must succeed, and return what it says; no make around it has a say."""
    own = {name: it for name, it in os.environ.items() if name not in _OF_AN_OUTER_MAKE}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**own, **environment},
        input=text,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
