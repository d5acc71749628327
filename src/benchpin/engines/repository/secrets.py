"""Keys and passwords that must not be handed on.

Each rule looks for the shape that its issuer documents. A match that says of itself that it is an
example is let pass; the value itself is never repeated.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from benchpin.engines.source.testing import is_test_path

from .kinds import is_documentation

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
    pattern: re.Pattern[str]
    is_real: Callable[[re.Match[str]], bool] = _is_no_example


_RULES = (  # the last one goes by looks alone
    _Rule(
        "private key",
        re.compile(
            r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----"
            r"(?P<value>(?:\s|\\n|\\r|[\"'+,])*(?:[\w-]+: [^\n]*\n\s*)*[A-Za-z0-9+/=]{40})"
        ),
        lambda _found: True,
    ),
    _Rule(
        "AWS access key",
        re.compile(r"(?<![A-Z0-9])(?P<value>(?:AKIA|ASIA)[A-Z2-7]{16})(?![A-Z0-9])"),
    ),
    _Rule(
        "AWS secret key",
        re.compile(
            r"(?i)(?:aws_secret_access_key|secretaccesskey)[\"']?\s*[:=]\s*[\"']?"
            r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    _Rule(
        "GitHub token",
        re.compile(r"\b(?P<value>gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,251})\b"),
    ),
    _Rule("GitLab token", re.compile(r"\b(?P<value>glpat-[A-Za-z0-9_-]{20,})")),
    _Rule(
        "Slack token",
        re.compile(r"\b(?P<value>xox[abeoprs]-(?:\d+-)+[A-Za-z0-9-]{10,})"),
    ),
    _Rule(
        "Slack webhook",
        re.compile(r"hooks\.slack\.com/services/(?P<value>T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/\w{20,})"),
    ),
    _Rule("Google API key", re.compile(r"\b(?P<value>AIza[A-Za-z0-9_-]{35})\b")),
    _Rule(
        "Stripe key",
        re.compile(r"\b(?P<value>[sr]k_live_[A-Za-z0-9]{16,})\b"),
    ),
    _Rule(
        "OpenAI or Anthropic key",
        re.compile(r"\b(?P<value>sk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,})"),
        _is_random,
    ),
    _Rule("npm token", re.compile(r"\b(?P<value>npm_[A-Za-z0-9]{36})\b"), _is_random),
    _Rule("SendGrid key", re.compile(r"\b(?P<value>SG\.[\w-]{22}\.[\w-]{43})(?![\w-])")),
    _Rule(
        "JSON Web Token",
        re.compile(r"(?<![\w-])(?P<value>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,})"),
        _is_real_token,
    ),
    _Rule(
        "password in a URL",
        re.compile(
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:@/'\"`<>\\]{1,100}:(?P<value>[^\s:@/'\"`<>\\]{6,100})"
            r"@(?P<host>[\w.\[\]:-]+)"
        ),
        _is_password,
    ),
    _Rule(
        "random value in an assignment",
        re.compile(
            r"(?i)\b\w{0,40}(?:api_?key|secret|auth_?token|access_?token|passw(?:or)?d|private_?key)"
            r"\w{0,20}[\"']?\s{0,4}(?:=|:|=>)\s{0,4}[\"'](?P<value>[A-Za-z0-9+/_=-]{24,200})[\"']"
        ),
        _is_random,
    ),
)


def find_secrets(text: str, path: str) -> tuple[tuple[int, str], ...]:
    """Return the lines with a secret and what it is, the first twenty.

    Values that merely look random are common in manuals and tests, and are not looked for there.
    """
    found: set[tuple[int, str]] = set()
    is_lenient = is_documentation(path) or is_test_path(path)
    if _trigger().search(text.encode(errors="replace")) is None:
        return ()
    for rule in _RULES[:-1] if is_lenient else _RULES:
        for match in rule.pattern.finditer(text):
            if rule.is_real(match):
                found.add((text.count("\n", 0, match.start("value")) + 1, rule.name))
            if len(found) >= _MOST:
                break
    return tuple(sorted(found))


class _Trigger(Protocol):
    def search(self, text: bytes) -> object: ...


@cache
def _trigger() -> _Trigger:
    """Return what matches in every text with a secret, and in few others.

    RE2 looks for all of them at once, ten times as fast as the rules one by one.
    """
    import re2  # noqa: PLC0415 - loaded when used

    return cast(
        "_Trigger",
        re2.compile(
            rb"""PRIVATE KEY(?: BLOCK)?-----|(?:AKIA|ASIA)[A-Z2-7]{16}|gh[pousr]_[A-Za-z0-9]{36}"""
            rb"""|github_pat_\w|glpat-\w|xox[abeoprs]-\d|hooks\.slack\.com/services/T|AIza[\w-]{35}"""
            rb"""|[sr]k_live_\w|sk-[\w-]{40}|npm_[A-Za-z0-9]{36}|SG\.[\w-]{22}\.|eyJ[\w-]{10,}\.eyJ"""
            rb"""|://[^\s:@/'"`<>\\]+:[^\s:@/'"`<>\\]{6,}@|(?i:secret_?access_?key)"""
            rb"""|(?i:key|secret|token|passwo?r?d)\w*["']?\s*(?:=|:|=>)\s*["'][\w+/=-]{24}"""
        ),
    )
