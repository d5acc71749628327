import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Bench
from benchpin.core.content import Resource, ResourceContents, Variables, resource


def _resource(uri: str) -> Resource:
    @resource(uri, title="Thing", mime_type="text/plain")
    def thing(variables: Variables, _bench: Bench) -> ResourceContents:
        """The content
        behind the URI.
        """
        return ResourceContents(str(dict(variables)), "text/plain")

    return thing


@pytest.mark.parametrize(
    ("template", "uri", "variables"),
    [
        ("about://benchpin", "about://benchpin", {}),
        ("about://benchpin", "about://benchpin/", None),
        ("about://benchpin", "about://benchpinX", None),
        ("about://bench.pin", "about://benchXpin", None),
        # One segment.
        ("result://{id}", "result://abc", {"id": "abc"}),
        ("result://{id}", "result://", None),
        ("result://{id}", "result://a/b", None),
        ("result://{id}", "result://a/", None),
        ("result://{id}", "xresult://a", None),
        ("result://{id}", "result://a b?c#d", {"id": "a b?c#d"}),
        ("result://{id}", "result://a\n", {"id": "a\n"}),
        ("result://{id}/{page}", "result://abc/2", {"id": "abc", "page": "2"}),
        ("result://{id}/{page}", "result://abc", None),
        ("result://{id}/{page}", "result://abc//2", None),
        ("result://{id}.json", "result://a.json", {"id": "a"}),
        ("result://{id}.json", "result://aXjson", None),
        # The rest.
        ("file:///{+path}", "file:///a", {"path": "a"}),
        ("file:///{+path}", "file:///a/b/c.py", {"path": "a/b/c.py"}),
        ("file:///{+path}", "file:///", {"path": ""}),
        ("file:///{+path}", "file:////etc/passwd", {"path": "/etc/passwd"}),
        ("x://{kind}/{+path}", "x://a/b/c", {"kind": "a", "path": "b/c"}),
        ("x://{+path}/end", "x://a/b/end", {"path": "a/b"}),
    ],
)
def test_uris_are_matched_by_segment_or_to_the_end(
    template: str, uri: str, variables: dict[str, str] | None
) -> None:
    assert _resource(template).match(uri) == variables


@given(first=st.text(min_size=1).filter(lambda text: "/" not in text), rest=st.text(min_size=1))
def test_what_was_put_in_comes_out(first: str, rest: str) -> None:
    found = _resource("x://{first}/{+rest}").match(f"x://{first}/{rest}")
    assert found == {"first": first, "rest": rest}


def test_a_resource_with_a_blank_in_its_uri_is_a_family() -> None:
    assert _resource("x://{id}").is_template
    assert _resource("x://{+id}").is_template
    assert not _resource("x://id").is_template


def test_everything_a_resource_is_comes_from_its_function(bench: Bench) -> None:
    thing = _resource("x://{id}")
    assert (thing.uri, thing.name, thing.title) == ("x://{id}", "thing", "Thing")
    assert thing.description == "The content behind the URI."
    assert thing.mime_type == "text/plain"
    assert (thing.entries, thing.complete, thing.concerns, thing.write) == (None,) * 4
    assert thing.read({"id": "5"}, bench) == ResourceContents("{'id': '5'}", "text/plain")
