"""Templates as resources: `template://makefile/rust/cli` is the source of that template."""

from collections.abc import Iterator

from benchpin.core.calls import Bench
from benchpin.core.content import ResourceContents, ResourceEntry, Variables, resource
from benchpin.templates import SCHEME

from ._catalogue import catalogue_of, joined

_SOURCE = "text/x-jinja2"


def _entries(bench: Bench, after: str) -> Iterator[ResourceEntry]:
    for uri, template in catalogue_of(bench).templates.items():
        if uri > after:
            yield ResourceEntry(
                uri=uri,
                name=template.name,
                title=template.name,
                description=template.description,
                mime_type=template.mime_type,
            )


def _complete(_variable: str, prefix: str, bench: Bench) -> list[str]:
    paths = (uri.removeprefix(SCHEME) for uri in catalogue_of(bench).templates)
    return [path for path in paths if path.startswith(prefix)]


@resource(
    "template://{+path}", title="Template", mime_type=_SOURCE, entries=_entries, complete=_complete
)
def template(variables: Variables, bench: Bench) -> ResourceContents:
    """The Jinja2 source of a template, by category, toolchain and variant."""
    catalogue = catalogue_of(bench)
    found = catalogue.find(SCHEME + variables["path"])
    sources = catalogue.sources_of(found)
    if len(sources) == 1:
        return ResourceContents(sources[0][1], _SOURCE)
    return ResourceContents(joined(sources), _SOURCE)
