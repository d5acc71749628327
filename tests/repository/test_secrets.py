import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.repository.packing import find_secrets, redact

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
def test_harmless_text_is_accepted(text: str) -> None:
    assert find_secrets(text, "src/config.py") == ()


@pytest.mark.parametrize("path", ["docs/config.rst", "README.md", "tests/test_login.py"])
def test_random_values_in_manuals_and_tests_are_examples(path: str) -> None:
    assert find_secrets(SECRETS["random value in an assignment"], path) == ()
    assert find_secrets(SECRETS["Stripe key"], path) != ()


LONG = (LETTERS + LETTERS)[:40]
HEX = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/a.py", "postgres://ada:S3cr3tPw9@db.acme.io/x"),
        ("src/a.py", "postgres://ada:S3cr3tPw9@localhost:5432/x"),
        ("src/a.py", "redis://:S3cr3tPw9@cache.acme.io"),
        ("app.ini", f"[x]\napi_key = {LONG}\n"),
        ("app.yaml", f"x:\n  api_key: {LONG}\n"),
        ("app.yml", f"environment:\n  - API_KEY={LONG}"),
        ("app.properties", f"service.api.key={LONG}"),
        (".env", f"API_KEY={LONG}"),
        (".env.production", f"STRIPE_TOKEN={LONG}"),
        ("deploy.sh", f"export API_KEY={LONG}\n"),
        ("deploy.sh", f"docker run -e API_KEY={LONG} image\n"),
        ("Dockerfile", f"ENV API_KEY={LONG}\n"),
        ("Dockerfile", f"ENV API_KEY {LONG}\n"),
        ("a.py", f'access_key = "{LONG}"'),
        ("a.js", f"const accessKey = '{LONG}'"),
        ("a.ts", f"const apiKey: string = '{LONG}'"),
        ("a.rs", f'const API_KEY: &str = "{LONG}";'),
        ("a.py", f'encryption_key = "{LONG}"'),
        ("a.py", f'token = "{LONG}"'),
        ("a.json", f'{{"token": "{LONG}"}}'),
        ("a.go", f'apiKey := "{LONG}"'),
        ("a.py", f'os.environ["API_KEY"] = "{LONG}"'),
        ("a.h", f'#define API_KEY "{LONG}"'),
        ("a.php", f"define('API_KEY','{LONG}');"),
        ("a.cs", f'ApiKey = @"{LONG}";'),
        ("a.py", f'client_secret = "{HEX}"'),
        ("a.py", "xapp-" + f"1-A012BCD3EFG-1234509876-{HEX}"),
        ("a.py", "glrt-" + LETTERS[:20]),
        ("a.py", "gldt-" + LETTERS[:20]),
        ("a.py", "ya29." + LONG),
    ],
)
def test_a_secret_is_found_however_it_is_written(path: str, text: str) -> None:
    assert len(find_secrets(text, path)) == 1
    assert "[REDACTED]" in redact(text, path)
    assert find_secrets(redact(text, path), path) == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app.yaml", "secretName: kubernetes-dashboard-certs-v2"),
        ("app.yaml", "token_path: /var/run/secrets/serviceaccount/token2"),
        ("ci.yml", "token: ${{ secrets.DEPLOYMENT_ACCESS_TOKEN }}"),
        ("a.sh", "API_KEY=$(cat /run/secrets/key)"),
        ("a.py", f"token = {LONG}"),
        ("a.py", 'token_type = "urn:ietf:params:oauth:token-type:jwt"'),
        ("a.go", 'dsn := "postgres://%s:%(password)s@db.acme.io/"'),
        ("a.sh", "curl https://ada:$PASSWORD@acme.io/"),
        ("a.py", f'EXAMPLE_API_KEY = "{LONG}"'),
        ("a.sh", "export TOKEN=d41d8cd98f00b204e9800998ecf8427e"),
        ("a.c", "redis://default:PASSWORD@localhost:6379/0"),
        ("tests/test_db.py", "postgres://ada:S3cr3tPw9@localhost:5432/x"),
    ],
)
def test_text_that_only_resembles_a_secret_is_accepted(path: str, text: str) -> None:
    assert find_secrets(text, path) == ()
    assert redact(text, path) == text


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    find_secrets(text, "a.py")
