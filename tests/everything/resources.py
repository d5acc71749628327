"""The resources that the conformance suite reads and watches."""

import json

from benchpin.core.calls import Bench
from benchpin.core.content import ResourceContents, Variables, resource

from ._samples import PNG


@resource("test://static-text", title="Static text", mime_type="text/plain")
def static_text(_variables: Variables, _bench: Bench) -> ResourceContents:
    """A text that never changes."""
    return ResourceContents("This is the content of the static text resource.", "text/plain")


@resource("test://static-binary", title="Static picture", mime_type="image/png")
def static_binary(_variables: Variables, _bench: Bench) -> ResourceContents:
    """A picture that never changes."""
    return ResourceContents(PNG, "image/png")


@resource("test://template/{id}/data", title="Data by id", mime_type="application/json")
def template_data(variables: Variables, _bench: Bench) -> ResourceContents:
    """What belongs to an id."""
    asked = variables["id"]
    data = {"id": asked, "templateTest": True, "data": f"Data for ID: {asked}"}
    return ResourceContents(json.dumps(data), "application/json")


@resource("test://watched-resource", title="Watched text", mime_type="text/plain")
def watched_resource(_variables: Variables, _bench: Bench) -> ResourceContents:
    """A text that clients subscribe to."""
    return ResourceContents("Watched resource content", "text/plain")
