import os
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.errors import BenchpinError, InvalidParams, InvalidPath
from benchpin.core.text import file_uri, path_of, sendable

_BYTES = st.binary(min_size=1).filter(lambda it: b"\0" not in it and b"/" not in it)
_NAMES = _BYTES | st.sampled_from([b"localhost", b"LocalHost", b"a b", b"100%", b"%41", b"a@b:c?#"])


@given(st.lists(_NAMES.filter(lambda it: it != b"." and b".." not in it), min_size=1))
def test_every_name_has_a_uri_that_leads_back(names: list[bytes]) -> None:
    path = os.fsdecode(b"/".join(names))
    uri = file_uri(path)
    assert uri.isascii()
    assert path_of(uri).removeprefix("./") == path


@given(st.text())
def test_no_text_is_a_crash(text: str) -> None:
    with suppress(BenchpinError):
        assert isinstance(path_of(f"file://{text}"), str)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file://src/main.py", "src/main.py"),
        ("file:///home/me/main.py", "/home/me/main.py"),
        ("file://localhost/home/me/main.py", "/home/me/main.py"),
        ("file://LOCALHOST/home", "/home"),
        ("file://localhost", "localhost"),
        ("file://./localhost/a", "./localhost/a"),
        ("file://example.com/a", "example.com/a"),
        ("file://src/a:b@c", "src/a:b@c"),
        ("file://a%3Ab%40c", "a:b@c"),
        ("file://a%2520b", "a%20b"),
        ("file://grüße.txt", "grüße.txt"),
        ("file://caf%E9.txt", "caf\udce9.txt"),
    ],
)
def test_a_uri_means_a_path(uri: str, path: str) -> None:
    assert path_of(uri) == path


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("file://a.txt?x=1", "a query"),
        ("file:///a.txt#top", "a fragment"),
        ("file://me@host/a.txt", "a user"),
        ("file://me:secret@host/a.txt", "a user"),
        ("file://host:80/a.txt", "a port"),
        ("file://C:/a.txt", "a drive"),
        ("file://[::1]/a.txt", "a port"),
        ("file://localhost:80/a.txt", "a port"),
        ("file://100%.txt", "two hexadecimal digits"),
        ("file://a%2", "two hexadecimal digits"),
        ("file://\ud83d", "lone surrogate"),
    ],
)
def test_a_uri_that_says_more_than_a_path_is_refused(uri: str, problem: str) -> None:
    with pytest.raises(InvalidParams, match=problem):
        path_of(uri)


@pytest.mark.parametrize("uri", ["file://../a", "file://a/%2e%2e/b", "file://a\\..\\b"])
def test_a_uri_does_not_go_up(uri: str) -> None:
    with pytest.raises(InvalidPath, match="contains"):
        path_of(uri)


def test_only_a_name_that_is_no_utf_8_is_sent_as_its_uri() -> None:
    assert sendable("grüße 100%.txt") == "grüße 100%.txt"
    assert sendable("src/caf\udce9 1.txt") == "file://src/caf%E9%201.txt"
