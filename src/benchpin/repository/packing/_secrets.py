"""Find keys and passwords that must not be passed on.

Each rule looks for the format that the issuer documents. Values that look like examples do not
count; a value is never repeated.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Protocol, cast

from benchpin.repository import is_documentation
from benchpin.workspace.walking import is_product_path

_EXAMPLE = re.compile(
    r"(?i)example|sample|dummy|fake|placeholder|changeme|your[_-]?|xxxx|\*\*\*|\.\.\.|<|\$\{|\{\{"
    r"|1234567890|abcdefgh|deadbeef|d41d8cd98f00b204|redacted|secret_?key$|^test"
)
_VARIABLE = re.compile(r"\$\w+|%\w|%?[({]\w*[)}]s?|[$#][({].*[)}]")
_LOCAL = re.compile(r"(?i)(?:localhost|127\.|0\.0\.0\.0|\[?::1|host\b|db\b)")
_USER_INFO = re.compile(r"://(?!git@)[^\s/@'\"]*(?:@[^\s/@'\"]*)*@")
_WORD_END = re.compile(r"[\w.-]*\Z")
_HEX = re.compile(r"(?i)[0-9a-f-]{32,}")
# Entropy in bits per character: words are below, random letters and digits above.
_MIN_ENTROPY_BITS = 3.7
# Lower, because hex digits have at most 4 bits.
_MIN_HEX_ENTROPY_BITS = 3.0
# A random value has a part of at least this length with digits.
_MIN_MIXED_CHARS = 8
# The payload of the example on jwt.io, which many documents repeat.
_WELL_KNOWN_JWT = "eyJzdWIiOiIxMjM0NTY3ODkwIi"
_MAX_FINDINGS = 20
_WINDOW = 1 << 14
# A text is searched in windows, so that other threads get the interpreter in between; a match
# begins in the window, and is decided by this many characters after it.
_MAX_LINE_CHARS = 1 << 13
REDACTED = "[REDACTED]"
_CREDENTIALS_IN_URL = (
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:@/'\"`<>\\]{0,100}:(?P<value>[^\s:@/'\"`<>\\]{6,100})"
    r"@(?P<host>[\w.\[\]:-]+)"
)
_NAME = (
    r"(?:(?:api|access|account|auth|encryption|master|private|signing)[_.-]?key"
    r"|secret|token|passw(?:or)?d)[\w.-]{0,20}"
)
_VALUE = r"(?P<value>[A-Za-z0-9+/_=-]{24,200})"
# Files in which values need no quotes.
_WITHOUT_QUOTES = re.compile(
    r"(?i)(?:^|/)(?:[^/]*\.(?:ini|cfg|conf|ya?ml|properties|env|sh|bash|zsh|fish|service)"
    r"|\.env(?:\.[^/]*)?|\.npmrc|\.pypirc|[^/]*Dockerfile[^/]*|Containerfile)$"
)


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _is_random(found: re.Match[str]) -> bool:
    value = found["value"]
    has_both = any(it.isdigit() for it in value) and any(it.isalpha() for it in value)
    is_example = _EXAMPLE.search(value) or _EXAMPLE.search(_named(found))
    least = _MIN_HEX_ENTROPY_BITS if _HEX.fullmatch(value) else _MIN_ENTROPY_BITS
    return has_both and not is_example and _entropy(value) >= least


def _named(found: re.Match[str]) -> str:
    """Return the name that a value is assigned to, and the start of the value."""
    begin = _WORD_END.search(found.string, max(0, found.start() - 40), found.start())
    return found.string[begin.start() if begin else found.start() : found.start() + 40]


def _is_random_and_bare(found: re.Match[str]) -> bool:
    """Whether an unquoted value is random; paths and names are words with separators."""
    parts = re.split(r"[-_/+=]", found["value"])
    is_mixed = any(len(it) >= _MIN_MIXED_CHARS and not it.isalpha() for it in parts)
    return is_mixed and _is_random(found)


def _is_no_example(found: re.Match[str]) -> bool:
    return not _EXAMPLE.search(found["value"])


def _is_password(found: re.Match[str]) -> bool:
    value = found["value"]
    is_word = value.isalpha() and value in {value.lower(), value.upper()}
    is_filled_in = is_word or _VARIABLE.fullmatch(value) or _EXAMPLE.search(value)
    return not (is_filled_in or _EXAMPLE.search(found["host"]))


def _is_remote_password(found: re.Match[str]) -> bool:
    return _is_password(found) and not _LOCAL.match(found["host"])


def _is_real_token(found: re.Match[str]) -> bool:
    return _WELL_KNOWN_JWT not in found["value"] and not _EXAMPLE.search(found["value"])


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    pattern: re.Pattern[str]
    is_real: Callable[[re.Match[str]], bool]


def _rule(
    name: str, pattern: str, is_real: Callable[[re.Match[str]], bool] = _is_no_example
) -> _Rule:
    return _Rule(name, re.compile(pattern), is_real)


_RULES = (
    _rule(
        "private key",
        r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<value>(?:\s|\\n|\\r|[\"'+,]){0,99}"
        r"(?:[\w-]{1,60}: [^\n]{0,200}\n\s{0,8}){0,8}+[A-Za-z0-9+/=]{40})",
        lambda _found: True,
    ),
    _rule("AWS access key", r"(?<![A-Z0-9])(?P<value>(?:AKIA|ASIA)[A-Z2-7]{16})(?![A-Z0-9])"),
    _rule(
        "AWS secret key",
        r"(?i)(?:aws_secret_access_key|secretaccesskey)[\"']?\s*[:=]\s*[\"']?"
        r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _rule(
        "GitHub token",
        r"\b(?P<value>gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,251})\b",
    ),
    _rule(
        "GitLab token",
        r"\b(?P<value>gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|soat|oas)-[A-Za-z0-9_-]{20,})",
    ),
    _rule(
        "Slack token",
        r"\b(?P<value>xox[abeoprs]-(?:\d+-)+[A-Za-z0-9-]{10,}"
        r"|xapp-\d-[A-Z0-9]+-\d+-[A-Za-z0-9]{10,})",
    ),
    _rule(
        "Slack webhook",
        r"hooks\.slack\.com/services/(?P<value>T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/\w{20,})",
    ),
    _rule("Google API key", r"\b(?P<value>AIza[A-Za-z0-9_-]{35})\b"),
    _rule("Google access token", r"\b(?P<value>ya29\.[A-Za-z0-9_-]{30,})"),
    _rule("Stripe key", r"\b(?P<value>[sr]k_live_[A-Za-z0-9]{16,})\b"),
    _rule(
        "OpenAI or Anthropic key", r"\b(?P<value>sk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,})", _is_random
    ),
    _rule("npm token", r"\b(?P<value>npm_[A-Za-z0-9]{36})\b", _is_random),
    _rule("SendGrid key", r"\b(?P<value>SG\.[\w-]{22}\.[\w-]{43})(?![\w-])"),
    _rule(
        "JSON Web Token",
        r"(?<![\w-])(?P<value>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,})",
        _is_real_token,
    ),
    _rule("password in a URL", _CREDENTIALS_IN_URL, _is_remote_password),
)
_LOCAL_PASSWORD = _rule("password in a URL", _CREDENTIALS_IN_URL, _is_password)
_QUOTED = _rule(
    "random value in an assignment",
    rf"(?i){_NAME}(?:[\"']\s?,|\s|[\"']?\]?(?:\s?:\s?&?[\w' ]{{1,20}})?"
    rf"\s{{0,20}}(?::=|=>|=|:))\s{{0,20}}@?[\"'`]{_VALUE}[\"'`]",
    _is_random,
)
_BARE = _rule(
    "random value in an assignment",
    rf"(?i){_NAME}(?:[ \t]{{0,20}}[:=]|[ \t])[ \t]{{0,20}}{_VALUE}(?=[\"']?(?:[\s;&]|\Z))",
    _is_random_and_bare,
)


def find_secrets(text: str, path: str) -> tuple[tuple[int, str], ...]:
    """Return the line and kind of the first twenty secrets.

    Documents and tests often have values that look random, so there only known formats count.
    """
    found: set[tuple[int, str]] = set()
    line = at = 0
    for rule, match in _matches(text, path):
        start = match.start("value")
        if start < at:  # the next rule
            line = at = 0
        line, at = line + text.count("\n", at, start), start
        found.add((line + 1, rule.name))
        if len(found) >= _MAX_FINDINGS:
            break
    return tuple(sorted(found))


def redact(text: str, path: str) -> str:
    """Return a text with every secret in it replaced; each value also where it is repeated."""
    spans = sorted(match.span("value") for _, match in _matches(text, path))
    values = islice({text[start:end] for start, end in spans}, _MAX_FINDINGS)
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            parts += (text[at:start], REDACTED)
        at = max(at, end)
    redacted = "".join((*parts, text[at:]))
    for value in values:
        redacted = redacted.replace(value, REDACTED)
    return redacted


def without_user(text: str) -> str:
    """Remove users and passwords from URLs; `git@` stays, because it is public."""
    return _USER_INFO.sub("://", text)


def _matches(text: str, path: str) -> Iterator[tuple[_Rule, re.Match[str]]]:
    data = text.encode(errors="replace")
    by_format, by_look = _triggers()
    is_lenient = is_documentation(path) or not is_product_path(path)
    rules: list[_Rule] = []
    if by_format.search(data) is not None:
        rules += _RULES if is_lenient else (*_RULES, _LOCAL_PASSWORD)
    if not is_lenient and by_look.search(data) is not None:
        rules += (_QUOTED, _BARE) if _WITHOUT_QUOTES.search(path) else (_QUOTED,)
    for rule in rules:
        yield from ((rule, it) for it in _found(rule.pattern, text) if rule.is_real(it))


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what `finditer` does, in calls that are short."""
    at = 0
    while at < len(text):
        window_end = at + _WINDOW
        end = window_end + _MAX_LINE_CHARS
        match = pattern.search(text, at, end)
        if match is not None and match.end() == end < len(text):
            start = match.start()
            match = pattern.match(text, start)  # as it is without the end of the window
            if match is None:
                at = start + 1
                continue
        if match is None or match.start() >= window_end:
            at = window_end
        else:
            yield match
            at = match.end()


class _Trigger(Protocol):
    def search(self, text: bytes) -> object: ...


@cache
def _triggers() -> tuple[_Trigger, _Trigger]:
    """Return filters that every text with a secret passes, and few others: by format, by look.

    RE2 searches for all formats at once, ten times as fast as the rules one by one.
    """
    import re2  # noqa: PLC0415 - loaded when used

    by_format = re2.compile(
        rb"""PRIVATE KEY(?: BLOCK)?-----|(?:AKIA|ASIA)[A-Z2-7]{16}|gh[pousr]_[A-Za-z0-9]{36}"""
        rb"""|github_pat_\w|gl[a-z]{2,5}-[\w-]{20}|xox[abeoprs]-\d|xapp-\d|AIza[\w-]{35}|ya29\."""
        rb"""|hooks\.slack\.com/services/T"""
        rb"""|[sr]k_live_\w|sk-[\w-]{40}|npm_[A-Za-z0-9]{36}|SG\.[\w-]{22}\.|eyJ[\w-]{10,}\.eyJ"""
        rb"""|://[^\s:@/'"`<>\\]*:[^\s:@/'"`<>\\]{6,}@|(?i:secret_?access_?key)"""
    )
    by_look = re2.compile(
        rb"""(?i:key|secret|token|passwo?r?d)[\w.-]*["']?\]?(?:\s?:\s?&?[\w' ]+)?\s*"""
        rb"""(?::=|=>|[:=,]|\s)\s*@?["'`]?[\w+/=-]{24}"""
    )
    return cast("_Trigger", by_format), cast("_Trigger", by_look)
