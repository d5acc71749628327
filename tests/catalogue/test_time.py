"""Out of time or cancelled, a tool says so, or it was done before; and nothing remembers it."""

from pathlib import Path

import pytest

from benchpin.core.errors import Cancelled, TimeLimitExceeded
from catalogue.arguments import EVERY_OTHER, EVERY_READER, EVERY_TOOL, arguments_of
from catalogue.clocks import CancelledJob, call, ending_after, looks_of, spread
from catalogue.conftest import PlaceFor
from catalogue.saying import said
from catalogue.site import Site


@pytest.mark.slow
@EVERY_READER
def test_what_is_late_is_whole_or_marked_and_not_remembered(
    made_site: Site, other_site: Site, tmp_path: Path, name: str
) -> None:
    arguments = arguments_of(name, made_site)
    fresh = other_site.open(tmp_path / "fresh")
    looks = looks_of(fresh, name, arguments)
    whole = said(fresh.call(name, **arguments), other_site)
    for number in spread(looks):
        bench = made_site.open(tmp_path / str(number))
        try:
            late = call(bench, name, arguments, ending_after(number))
        except TimeLimitExceeded:
            pass
        else:
            assert late.partial == bool(late.missing)
            assert late.partial or said(late, made_site) == whole, (
                f"after {number} of {looks} looks"
            )
        again = said(bench.call(name, **arguments), made_site)
        assert again == whole, f"remembered after {number} of {looks} looks"
        bench.close()


@pytest.mark.slow
@EVERY_OTHER
def test_who_changes_something_ends_in_time_or_says_so(
    made_site: Site, tmp_path: Path, name: str
) -> None:
    for number in (0, 1, 5, 20):
        site = made_site.copied_to(tmp_path / str(number) / "site")
        bench = site.open(tmp_path / "cache")
        try:
            result = call(bench, name, arguments_of(name, site), ending_after(number))
        except TimeLimitExceeded:
            continue
        assert result.partial == bool(result.missing)


@EVERY_TOOL
def test_a_cancelled_call_ends_so_or_was_done(place_for: PlaceFor, name: str) -> None:
    site, bench = place_for(name)
    arguments = arguments_of(name, site)
    for checks in (0, 1, 5):
        try:
            result = call(bench, name, arguments, CancelledJob(checks))
        except Cancelled:
            continue
        assert not result.partial
        break  # it was done before it was cancelled, and some things can be done but once
