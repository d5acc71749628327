"""Every tool without the extras: it answers with what it has, or says what to install."""

import sys
from collections.abc import Iterator

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import DependencyMissing
from benchpin.system.processes._surroundings import MODULES
from catalogue.arguments import EVERY_TOOL, arguments_of, reads_only
from catalogue.conftest import PlaceFor
from catalogue.site import Site

HIDDEN = tuple(module for modules in MODULES.values() for module in modules)
REFUSED = {
    "analyze_duplicates": "measures",
    "analyze_name_similarity": "measures",
    "find_across": "fleet",
    "measure_fleet": "fleet",
    "query_fleet": "fleet",
    "report_fleet": "fleet",
    "rewrite_structure": "structure",
    "search_structure": "structure",
}
"""Tools that are nothing without an extra."""


@pytest.fixture(scope="module")
def light_bench(made_site: Site) -> Iterator[Workbench]:
    """Give a workbench that remembers nothing of those that have the extras."""
    workbench = made_site.open(made_site.root.with_name("light"))
    yield workbench
    workbench.close()


@pytest.fixture(autouse=True)
def _light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the libraries of all extras; None is Python's mark for a module that is not there."""
    for module in HIDDEN:
        monkeypatch.setitem(sys.modules, module, None)


@EVERY_TOOL
def test_a_tool_answers_or_names_the_extra(
    made_site: Site, light_bench: Workbench, place_for: PlaceFor, name: str
) -> None:
    site, bench = (made_site, light_bench) if reads_only(name) else place_for(name)
    arguments = arguments_of(name, site)
    if name not in REFUSED:
        assert bench.call(name, **arguments).to_text()
        return
    with pytest.raises(DependencyMissing) as refused:
        bench.call(name, **arguments)
    assert refused.value.suggestion == f"Install it: pip install 'benchpin[{REFUSED[name]}]'"


@pytest.mark.parametrize("name", ["analyze_comprehensive", "analyze_deep_context"])
def test_a_report_says_what_was_not_measured(light_bench: Workbench, name: str) -> None:
    text = light_bench.call(name).to_text()
    assert (
        "duplicates (The search for duplicates needs benchpin[measures], which is not inst" in text
    )
