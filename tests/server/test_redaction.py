import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.server._logs import REDACTED, is_secret, redact, redact_text

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
    "passwd",
    "DB_PASSWD",
    "dbpassword",
    "passphrase",
    "sshPassphrase",
    "ssh-passphrase",
    "privateKey",
    "PRIVATE_KEY",
    "private-key",
    "privatekey",
    "pwd",
    "awsSecretAccessKey",
    "credentials",
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
        "db_password=s3cr3t",
        "PGPASSWORD=s3cr3t psql",
        '{"passphrase": "with blanks s3cr3t"}',
        r"{\"privateKey\": \"s3cr3t\"}",
        "mysql --password s3cr3t",
        "ssh --key-passphrase s3cr3t",
        "https://bob:s3cr3t@example.org/x",
        "https://s3cr3t@example.org/x",
        "https://bob:p@s3cr3t@example.org/x",
        "https://bob:p/s3cr3t@example.org/x",
        "bob:s3cr3t@tcp(127.0.0.1)/x",
        "-----BEGIN RSA PRIVATE KEY-----\ns3cr3t\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_secrets_in_running_text_are_replaced(text: str) -> None:
    shown = redact_text(text)
    assert "s3cr3t" not in shown
    assert REDACTED in shown


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT a FROM t WHERE b = 's3cr3t'", "SELECT a FROM t WHERE b = '?'"),
        ("failed: insert into t values ('s3cr3t', 42)", "failed: insert into t values ('?', 0)"),
        (
            'update users set name = "s3cr3t" where id = 7',
            "update users set name = '?' where id = 0",
        ),
        ("delete from t where card in (4111111)", "delete from t where card in (0)"),
        ("ALTER USER bob IDENTIFIED BY 's3cr3t'", "ALTER USER bob IDENTIFIED BY '?'"),
        ("SELECT 'it''s s3cr3t", "SELECT '?'"),
    ],
)
def test_literals_in_sql_are_replaced(sql: str, shown: str) -> None:
    assert redact_text(sql) == shown


@pytest.mark.parametrize(
    "text",
    [
        "read 42 files in 'src', where it was",
        "https://example.org/@scope/pkg?page=2",
        "select(2) failed",
        "tokens: 5, token_budget=7",
        "git@github.com:org/x.git",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert redact_text(text) == text


def test_what_is_not_secret_stays_as_it_is() -> None:
    message = {"path": "src/main.py", "lines": [1, 2], "note": "tokens are counted"}
    assert redact(message) == message
