import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.server.redaction import REDACTED, is_secret, redact, redact_text

SECRETS = [
    "authorization",
    "Authorization",
    "cookie",
    "Set-Cookie",
    "set_cookie",
    "password",
    "db_password",
    "secret",
    "client-secret",
    "token",
    "authToken",
    "access_token",
    "api_key",
    "apiKey",
    "X-API-Key",
]


@pytest.mark.parametrize("key", SECRETS)
def test_secret_keys_are_recognised_in_every_spelling(key: str) -> None:
    assert is_secret(key)


@pytest.mark.parametrize("key", ["path", "token_budget", "tokens", "cookies_eaten", "keyboard", ""])
def test_other_keys_are_left_alone(key: str) -> None:
    assert not is_secret(key)


@given(
    st.sampled_from(SECRETS),
    st.recursive(
        st.just("s3cr3t"),
        lambda inner: st.lists(inner, min_size=1) | st.dictionaries(st.text(), inner, min_size=1),
    ),
    st.integers(0, 5),
)
def test_no_secret_survives_at_any_depth(key: str, value: object, depth: int) -> None:
    wrapped: object = {key: value}
    for _ in range(depth):
        wrapped = [{"inner": wrapped}]
    assert "s3cr3t" not in repr(redact(wrapped))


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer s3cr3t",
        "GET /?token=s3cr3t&x=1",
        "password = s3cr3t",
        'api_key: "s3cr3t"',
        "curl -H 'bearer s3cr3t'",
    ],
)
def test_secrets_in_running_text_are_replaced(text: str) -> None:
    shown = redact_text(text)
    assert "s3cr3t" not in shown
    assert REDACTED in shown


def test_what_is_not_secret_stays_as_it_is() -> None:
    message = {"path": "src/main.py", "lines": [1, 2], "note": "tokens are counted"}
    assert redact(message) == message
