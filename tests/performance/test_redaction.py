"""Secrets are taken out of URLs, headers, messages and command lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.performance.reading import redact_command, redact_headers, redact_text, redact_url


@pytest.mark.parametrize(
    ("url", "redacted"),
    [
        ("http://host/", "http://host/"),
        ("http://bob:s3cret@host:8080/a?x=1&y=2#z", "http://host:8080/a?x&y"),
        ("https://bob@host", "https://host"),
        ("http://a@b:c@host/", "http://host/"),
        ("//bob:s3cret@host/a", "//host/a"),
        ("bob:s3cret@host/a@b", "host/a@b"),
        ("http://bob:s3/cret@host/", "http://[REDACTED]"),
        ("http://bob:s3?cret@host/", "http://[REDACTED]"),
        ("http://bob:s3#cret@host/", "http://[REDACTED]"),
        ("http://[::1]:80/?q=1", "http://[::1]:80/?q"),
        ("/?p=50", "/?p"),
        ("/?s=x", "/?s"),
        ("/?ids[]=1&ids[]=2&a=", "/?ids[]&a"),
        ("/?a=1?b=2", "/?a"),
        ("/?=1&&", "/"),
        ("/?", "/"),
        ("/a;jsessionid=ABC/b;v=1?x=y", "/a;jsessionid/b;v?x"),
        ("/@user/post", "/@user/post"),
        ("/?" + "A" * 100, "/??"),
        ("/?bob@example.org&a=1", "/??&a"),
        ("", ""),
    ],
)
def test_a_url_loses_userinfo_values_and_fragment(url: str, redacted: str) -> None:
    assert redact_url(url) == redacted
    assert redact_url(redacted) == redacted


def test_values_and_userinfo_stay_when_asked_for() -> None:
    url = "http://bob:s3cret@host/?a=1#f"
    assert redact_url(url, strip_query=False) == "http://host/?a=1"
    assert redact_url(url, strip_userinfo=False) == "http://bob:s3cret@host/?a"


@given(st.text(max_size=200))
def test_no_text_breaks_redaction(text: str) -> None:
    redact_url(text)
    redact_text(text)
    redact_command(text)


@given(st.text(alphabet="abc:/@?#[]%\\;=&", max_size=30))
def test_a_value_is_never_left_in_a_query(prefix: str) -> None:
    assert "SECRET" not in redact_url("http://host/" + prefix.replace("?", "") + "?k=SECRET")


def test_a_message_loses_the_secrets_of_its_urls() -> None:
    message = "GET https://bob:s3cret@host/x?token=abc failed, then smtp bob:s3cret@mail"
    assert redact_text(message) == "GET https://host/x?token failed, then smtp mail"
    assert len(redact_text("x" * 1000)) == 300


def test_a_command_line_keeps_the_program_and_names_of_options() -> None:
    command = "bin/console app:import --user=bob --password s3cret -v customers.csv"
    assert redact_command(command) == "bin/console ? --user --password ? ? ?"
    assert redact_command("") == ""


def test_values_of_secret_headers_are_hidden() -> None:
    assert redact_headers({"X-Request-Id": "1", "X-Api-Key": "k"}) == {
        "x-request-id": "1",
        "x-api-key": "[REDACTED]",
    }
