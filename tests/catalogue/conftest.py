"""What the tests of the catalogue share: one site to read, and copies of it to write to."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.present.pictures import _vega as vega
from benchpin.present.pictures import _vega_worker as vega_worker
from catalogue.arguments import reads_only
from catalogue.site import GUARDED, Site
from loopback import Loopback, whole

Place = tuple[Site, Workbench]
PlaceFor = Callable[[str], Place]


@pytest.fixture(autouse=True)
def drawn_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw pictures in this process: the program that draws them takes a second to start."""

    def render(kind: str, spec: Mapping[str, object]) -> bytes:
        return b"" if kind == "bundle" else vega_worker.render(kind, dict(spec), 1)

    monkeypatch.setattr(vega, "_render", render)


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
