"""Render pages from templates; everything that is put into one is escaped."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchpin.core.text import counted, plain

from ._links import Links

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
_MANY_HOURS = 10
_WEIGHT = re.compile(r" [+-]\d[\d.]*")


class Pages:
    """The templates of the pages of one workspace."""

    def __init__(self, project: str, links: Links) -> None:
        """Take the name of the workspace, which every page shows, and where names lead."""
        self._project = plain(project)
        self.links = links

    @cached_property
    def _environment(self) -> "Environment":
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        environment = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(project=self._project, links=self.links, counted=counted)
        environment.filters.update(plain=plain, words=_words, hours=_hours, why=_why)
        return environment

    def render(self, name: str, values: Mapping[str, object]) -> str:
        """Return a page."""
        return self._environment.get_template(name).render(values)


def _words(name: str) -> str:
    """Return the name of a field as words."""
    return name.replace("_", " ")


def _hours(seconds: float) -> str:
    """Return an effort as people say it, in minutes or hours."""
    minutes, hours = round(seconds / 60), seconds / 3600
    if hours < 1:
        return f"{max(1, minutes)} min"
    return f"{hours:.2g} h" if hours < _MANY_HOURS else f"{hours:,.0f} h"


def _why(reason: str) -> str:
    """Return the reason of a prediction without the weights, which its list has."""
    return _WEIGHT.sub("", reason.removeprefix("most in log-odds: "))
