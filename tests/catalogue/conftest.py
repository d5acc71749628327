"""What the tests of the catalogue share: one site to read, and copies of it to write to."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.present.pictures import _vega as vega
from benchpin.present.pictures._vega_worker import DRAWN
from benchpin.system.processes import HelperProcess
from catalogue.arguments import reads_only
from catalogue.site import GUARDED, Site
from loopback import Loopback, whole

Place = tuple[Site, Workbench]
PlaceFor = Callable[[str], Place]


@pytest.fixture(scope="module")
def draw() -> Iterator[Callable[[str, Mapping[str, object]], bytes]]:
    """Give a function that draws in one process: each takes a second to start, and 70 MB."""
    started: list[HelperProcess] = []

    def render(kind: str, spec: Mapping[str, object]) -> bytes:
        if kind == "bundle":
            return b""
        if not started:
            started.append(HelperProcess(vega._WORKER))
            started[0].wait_ready()
        answer = started[0].ask(json.dumps({"kind": kind, "spec": spec, "scale": 1}).encode())
        assert answer is not None
        assert answer.startswith(DRAWN), answer
        return answer[len(DRAWN) :]

    yield render
    for helper in started:
        helper.close()


@pytest.fixture(autouse=True)
def drawn_aside(
    monkeypatch: pytest.MonkeyPatch, draw: Callable[[str, Mapping[str, object]], bytes]
) -> None:
    """Draw all pictures of a module in one process."""
    monkeypatch.setattr(vega, "_render", draw)


@pytest.fixture(scope="session")
def made_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give a site that no test may change, and a server that it can probe."""
    with Loopback(whole()) as server:
        made = Site.made_in(tmp_path_factory.mktemp("catalogue") / "site")
        yield replace(made, base_url=server.url)


@pytest.fixture(scope="session")
def other_site(made_site: Site) -> Site:
    """Return the same site in another folder, so that no memory of the one serves the other."""
    return made_site.copied_to(made_site.root.parent / "other" / made_site.root.name)


@pytest.fixture(scope="module")
def warm(made_site: Site) -> Iterator[Workbench]:
    """Give a workbench that every test may read with; what was measured once is remembered."""
    workbench = made_site.open(made_site.root.with_name("cache"))
    yield workbench
    workbench.close()


@pytest.fixture(scope="module")
def guarded(made_site: Site) -> Iterator[Workbench]:
    """Give one that may not use a folder of the site."""
    workbench = made_site.open(made_site.root.with_name("guarded"), **GUARDED)
    yield workbench
    workbench.close()


@pytest.fixture
def place_for(made_site: Site, warm: Workbench, tmp_path: Path) -> PlaceFor:
    """Return a function that gives a tool a place: that of all if it only reads, or a copy."""

    def give(name: str) -> Place:
        if reads_only(name):
            return made_site, warm
        copy = made_site.copied_to(tmp_path / "site")
        return copy, copy.open(tmp_path / "cache")

    return give


@pytest.fixture
def guarded_place_for(made_site: Site, guarded: Workbench, tmp_path: Path) -> PlaceFor:
    """Return such a function; a folder of the site is denied."""

    def give(name: str) -> Place:
        if reads_only(name):
            return made_site, guarded
        copy = made_site.copied_to(tmp_path / "site")
        return copy, copy.open(tmp_path / "cache", **GUARDED)

    return give
