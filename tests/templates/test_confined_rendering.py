"""Templates of one's own that would use up the memory or the time of the server."""

from pathlib import Path

import pytest

from benchpin.templates import TemplateBroken, TemplateCatalogue, Value
from benchpin.templates._catalogue import load_catalogue

VALUES: dict[str, Value] = {"project_name": "star-chart"}
DEFINITION = """
title = "Note"
description = "A note."
mime_type = "text/plain"
version = "1"
uses = ["project_name"]
[[files]]
source = "x.j2"
path = "x.txt"
"""


def catalogue_with(folder: Path, source: str) -> TemplateCatalogue:
    """Return a catalogue with a template of that source, and a good one."""
    for variant, text in (("bad", source), ("good", "{{ project_name | kebab }}")):
        home = folder / "note" / "any" / variant
        home.mkdir(parents=True)
        (home / "x.j2").write_text(text, encoding="utf-8")
        (home / "template.toml").write_text(DEFINITION, encoding="utf-8")
    return load_catalogue((folder,))


BOMBS = (
    "{{ 'a' * 10**9 }}",
    "{{ 10**(10**9) }}",
    "{{ 'a' | center(10**9) }}",
    "{{ 'a'.ljust(10**9) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ ('a' * 10**6) | replace('a', 'a' * 10**6) }}",
    "{{ ([1] * 10**5) | join('a' * 10**5) }}",
    "{{ [1] | batch(10**9, 0) | list | length }}",
    "{{ 1 | round(10**9, 'ceil') }}",
    "{% set r = range(99999) %}{% for a in r %}{% for b in r %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(99) }}",
    "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
    "{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}",
    "{{ " + "-" * 100_000 + "1 }}",
    "{{ 9" + "9" * 6_000 + " }}",
    "{{ 'a' * 5 * 2**20 }}",
)


@pytest.mark.slow
@pytest.mark.parametrize("source", BOMBS, ids=range(len(BOMBS)))
def test_a_template_that_needs_too_much_is_named_and_others_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr("benchpin.templates._rendering.TIME_S", 1)
    catalogue = catalogue_with(tmp_path, source)
    with pytest.raises(TemplateBroken) as caught:
        catalogue.render(catalogue.find("template://note/any/bad"), VALUES)
    assert "template://note/any/bad" in caught.value.message
    [file] = catalogue.render(catalogue.find("template://note/any/good"), VALUES)
    assert file.content == "star-chart"
