"""Keys and passwords that must not be handed on.

Each rule looks for the shape that its issuer documents. A match that says of itself that it is an
example is let pass; the value itself is never repeated.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_EXAMPLE = re.compile(
    r"(?i)example|sample|dummy|fake|placeholder|changeme|your[_-]?|xxxx|\*\*\*|\.\.\.|<|\$\{|\{\{"
    r"|1234567890|abcdefgh|deadbeef|redacted|secret_?key$|^test"
)
_LEAST_BITS = 3.7
"""Entropy in bits a character: words stay below, random letters and digits above."""
_WELL_KNOWN_JWT = "eyJzdWIiOiIxMjM0NTY3ODkwIi"
_MOST = 20


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _is_random(found: re.Match[str]) -> bool:
    value = found["value"]
    has_both = any(it.isdigit() for it in value) and any(it.isalpha() for it in value)
    is_example = _EXAMPLE.search(value) or _EXAMPLE.search(found[0][:40])
    return has_both and not is_example and _entropy(value) >= _LEAST_BITS


def _is_no_example(found: re.Match[str]) -> bool:
    return not _EXAMPLE.search(found["value"])


def _is_password(found: re.Match[str]) -> bool:
    value, host = found["value"], found["host"]
    is_local = re.match(r"(?i)(?:localhost|127\.|0\.0\.0\.0|\[?::1|example\.|host\b|db\b)", host)
    is_word = value.isalpha() and value.lower() == value
    return not (is_local or is_word or _EXAMPLE.search(value) or _EXAMPLE.search(host))


def _is_real_token(found: re.Match[str]) -> bool:
    return _WELL_KNOWN_JWT not in found["value"] and not _EXAMPLE.search(found["value"])


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    needles: tuple[str, ...]
    """One of these stands in every match; looked for first, because that is quick."""
    pattern: re.Pattern[str]
    is_real: Callable[[re.Match[str]], bool] = _is_no_example


_RULES = (
    _Rule(
        "private key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----"
            r"(?P<value>(?:\s|\\n|\\r|[\"'+,])*(?:[\w-]+: [^\n]*\n\s*)*[A-Za-z0-9+/=]{40})"
        ),
        lambda _found: True,
    ),
    _Rule(
        "AWS access key",
        ("AKIA", "ASIA"),
        re.compile(r"(?<![A-Z0-9])(?P<value>(?:AKIA|ASIA)[A-Z2-7]{16})(?![A-Z0-9])"),
    ),
    _Rule(
        "AWS secret key",
        ("aws_secret", "AWS_SECRET", "SecretAccessKey", "secretAccessKey"),
        re.compile(
            r"(?i)(?:aws_secret_access_key|secretaccesskey)[\"']?\s*[:=]\s*[\"']?"
            r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    _Rule(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"\b(?P<value>gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,251})\b"),
    ),
    _Rule("GitLab token", ("glpat-",), re.compile(r"\b(?P<value>glpat-[A-Za-z0-9_-]{20,})")),
    _Rule(
        "Slack token",
        ("xox",),
        re.compile(r"\b(?P<value>xox[abeoprs]-(?:\d+-)+[A-Za-z0-9-]{10,})"),
    ),
    _Rule(
        "Slack webhook",
        ("hooks.slack.com/services/",),
        re.compile(r"hooks\.slack\.com/services/(?P<value>T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/\w{20,})"),
    ),
    _Rule("Google API key", ("AIza",), re.compile(r"\b(?P<value>AIza[A-Za-z0-9_-]{35})\b")),
    _Rule(
        "Stripe key",
        ("sk_live_", "rk_live_"),
        re.compile(r"\b(?P<value>[sr]k_live_[A-Za-z0-9]{16,})\b"),
    ),
    _Rule(
        "OpenAI or Anthropic key",
        ("sk-ant-", "sk-proj-", "T3BlbkFJ"),
        re.compile(r"\b(?P<value>sk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,})"),
        _is_random,
    ),
    _Rule("npm token", ("npm_",), re.compile(r"\b(?P<value>npm_[A-Za-z0-9]{36})\b"), _is_random),
    _Rule("SendGrid key", ("SG.",), re.compile(r"\b(?P<value>SG\.[\w-]{22}\.[\w-]{43})(?![\w-])")),
    _Rule(
        "JSON Web Token",
        ("eyJ",),
        re.compile(r"(?<![\w-])(?P<value>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,})"),
        _is_real_token,
    ),
    _Rule(
        "password in a URL",
        ("://",),
        re.compile(
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:@/'\"`<>\\]{1,100}:(?P<value>[^\s:@/'\"`<>\\]{6,100})"
            r"@(?P<host>[\w.\[\]:-]+)"
        ),
        _is_password,
    ),
    _Rule(
        "random value in an assignment",
        ("key", "Key", "KEY", "secret", "Secret", "SECRET", "token", "Token", "TOKEN", "passw"),
        re.compile(
            r"(?i)\b\w{0,40}(?:api_?key|secret|auth_?token|access_?token|passw(?:or)?d|private_?key)"
            r"\w{0,20}[\"']?\s{0,4}(?:=|:|=>)\s{0,4}[\"'](?P<value>[A-Za-z0-9+/_=-]{24,200})[\"']"
        ),
        _is_random,
    ),
)


def find_secrets(text: str) -> tuple[tuple[int, str], ...]:
    """Return the lines with a secret and what it is, the first twenty."""
    found: set[tuple[int, str]] = set()
    for rule in _RULES:
        if any(needle in text for needle in rule.needles):
            for match in rule.pattern.finditer(text):
                if rule.is_real(match):
                    found.add((text.count("\n", 0, match.start("value")) + 1, rule.name))
                if len(found) >= _MOST:
                    break
    return tuple(sorted(found))
