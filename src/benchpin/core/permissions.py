"""Which files may be read and written, by glob.

A rule with no operations is a denial, and a denial wins whatever the order of the rules.
Where rules are given they are an allow-list. A pattern without a slash is matched against the
name at any depth.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import PurePosixPath


class Operation(StrEnum):
    """What is done with a file."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Rule:
    """What may be done with the files that a pattern matches."""

    pattern: str
    operations: frozenset[Operation]

    @property
    def is_denial(self) -> bool:
        """Whether the rule forbids."""
        return not self.operations


DEFAULT_DENIALS = tuple(
    Rule(pattern, frozenset())
    for pattern in (
        ".git/",
        ".env*",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
        "id_rsa*",
        "id_dsa*",
        "id_ecdsa*",
        "id_ed25519*",
        ".ssh/",
        ".gnupg/",
        ".netrc",
        ".pypirc",
        ".git-credentials",
    )
)


@dataclass(frozen=True)
class Permissions:
    """Layers of rules, each of which must agree."""

    layers: tuple[tuple[Rule, ...], ...] = ()

    @cached_property
    def denials(self) -> tuple[Rule, ...]:
        """Every rule that forbids, the built-in ones first."""
        return (
            *DEFAULT_DENIALS,
            *(rule for layer in self.layers for rule in layer if rule.is_denial),
        )

    def denied_by(self, path: PurePosixPath, operation: Operation) -> str | None:
        """Return why the path, relative to the workspace, may not be used so; None when it may."""
        for rule in self.denials:
            if matches(rule.pattern, path):
                return f"the rule for {rule.pattern!r} forbids it"
        for layer in self.layers:
            allowing = [rule for rule in layer if not rule.is_denial]
            if allowing and not any(
                operation in rule.operations and matches(rule.pattern, path) for rule in allowing
            ):
                return f"no rule allows to {operation} it"
        return None

    def narrowed(self, rules: Iterable[Rule]) -> "Permissions":
        """Return these permissions with one more layer that must agree."""
        added = tuple(rules)
        return Permissions((*self.layers, added)) if added else self


def matches(pattern: str, path: PurePosixPath) -> bool:
    """Whether a glob matches a path; upper and lower case are one, as on macOS and Windows."""
    return _compiled(pattern).fullmatch(str(path)) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    body = pattern.removeprefix("./").removeprefix("/")
    anchored = "/" in body.rstrip("/")
    if body.endswith("/"):
        body = body.rstrip("/") + "{/**}"
    prefix = "" if anchored else "(?:.*/)?"
    return re.compile(prefix + "".join(_pieces(body)), re.IGNORECASE | re.DOTALL)


_TOKEN = re.compile(r"\{/\*\*\}|/\*\*/|^\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]]+\]|.", re.DOTALL)
_WILD = {
    "{/**}": "(?:/.*)?",
    "/**/": "/(?:.*/)?",
    "**/": "(?:.*/)?",
    "/**": "/.*",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
}


def _pieces(glob: str) -> Iterable[str]:
    for token in _TOKEN.findall(glob):
        if token in _WILD:
            yield _WILD[token]
        elif token.startswith("[") and len(token) > 1:
            negation, members = ("^", token[2:-1]) if token.startswith("[!") else ("", token[1:-1])
            yield f"[{negation}{members.replace(chr(92), chr(92) * 2)}]"
        else:
            yield re.escape(token)
