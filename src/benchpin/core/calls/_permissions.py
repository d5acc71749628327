"""Which files may be read and written, by glob.

A rule without operations is a denial. A denial wins over every other rule, and denies a folder with
everything in it. As soon as there is any rule, only what a rule allows is permitted; if all
rules are denials, everything is refused. A pattern without a slash matches the name at any depth;
one with a slash matches from the root. A slash at the end matches the folder and everything in it,
`**` any number of folders.
"""

import fnmatch
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import PurePosixPath


class Operation(StrEnum):
    """An operation on a file."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Rule:
    """The operations allowed on files that match a pattern."""

    pattern: str
    operations: frozenset[Operation]

    @property
    def is_denial(self) -> bool:
        """Whether the rule denies everything."""
        return not self.operations


DEFAULT_DENIALS = tuple(
    Rule(pattern, frozenset())
    for pattern in """
    .git/ .env* *.pem *.key *.p12 *.pfx id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh/ .gnupg/ .netrc
    .pypirc .git-credentials
    """.split()  # noqa: SIM905 - easier to read as a table
)

_DENIED_NAME = re.compile(
    "|".join(fnmatch.translate(rule.pattern.rstrip("/")) for rule in DEFAULT_DENIALS), re.IGNORECASE
).match
# Benchpin's settings and prompts in the root: readable like any file, never written by tools.
_OWN_NAME = re.compile(r"benchpin\.(toml|ya?ml)|\.benchpin", re.IGNORECASE).fullmatch


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a path may not be used, and what would change that."""

    reason: str
    suggestion: str


_FINAL = "Choose another file; built-in denials cannot be changed."


@dataclass(frozen=True)
class Permissions:
    """Layers of rules; every layer must allow an operation."""

    layers: tuple[tuple[Rule, ...], ...] = ()

    @cached_property
    def denials(self) -> tuple[Rule, ...]:
        """All denials, the built-in ones first."""
        return (
            *DEFAULT_DENIALS,
            *(rule for layer in self.layers for rule in layer if rule.is_denial),
        )

    def denied_by(
        self, path: PurePosixPath, operation: Operation, *, is_folder: bool = False
    ) -> Denial | None:
        """Return why an operation on a path, relative to the workspace, is denied; None if allowed.

        Folders are checked against denials only; they need no rule that allows them.
        """
        for rule in self.denials:
            if covers(rule.pattern, path):
                return _denied(rule)
        if operation is Operation.WRITE and is_own_file(path):
            return Denial("it belongs to the settings and prompts of Benchpin", _FINAL)
        if not is_folder and not all(_allows(layer, path, operation) for layer in self.layers):
            return _not_allowed(operation)
        return None

    def may(self, path: str, operation: Operation) -> bool:
        """Whether an operation on a file is allowed; fast if there are only built-in rules."""
        if not self.layers and not _has_denied_name(path):
            return operation is Operation.READ or not is_own_file(PurePosixPath(path))
        return self.denied_by(PurePosixPath(path), operation) is None

    def may_read(self, path: str) -> bool:
        """Whether a file may be read; asked for every file at every call."""
        if not self.layers and not _has_denied_name(path):
            return True
        return self.denied_by(PurePosixPath(path), Operation.READ) is None

    def narrowed(self, rules: Iterable[Rule]) -> "Permissions":
        """Return these permissions with one more layer of rules."""
        added = tuple(rules)
        return Permissions((*self.layers, added)) if added else self


def only_denies(rules: Collection[Rule]) -> bool:
    """Whether the rules deny everything, which is usually a mistake."""
    return bool(rules) and all(rule.is_denial for rule in rules)


def is_own_file(path: PurePosixPath) -> bool:
    """Whether a path, relative to the workspace, belongs to Benchpin's settings and prompts."""
    return bool(path.parts) and _OWN_NAME(path.parts[0]) is not None


def _allows(layer: tuple[Rule, ...], path: PurePosixPath, operation: Operation) -> bool:
    return any(operation in rule.operations and matches(rule.pattern, path) for rule in layer)


def _denied(rule: Rule) -> Denial:
    if rule in DEFAULT_DENIALS:
        return Denial(f"the built-in rule for {rule.pattern!r} denies it", _FINAL)
    suggestion = "Choose another file, or ask the operator to change that rule."
    return Denial(f"the rule for {rule.pattern!r} denies it", suggestion)


def _not_allowed(operation: Operation) -> Denial:
    operations = '["read"]' if operation is Operation.READ else '["read", "write"]'
    return Denial(
        f"no rule allows to {operation} it, and rules are an allow-list",
        "Choose another file, or ask the operator to add a rule to resource_permissions, such as "
        f'{{ pattern = "**", operations = {operations} }}; denials win over it.',
    )


# Asked for every file of every listing: a lookup takes 0.1 µs, the regular expression 3 µs.
@lru_cache(maxsize=1 << 16)
def _has_denied_name(path: str) -> bool:
    return any(map(_DENIED_NAME, path.split("/")))


def matches(pattern: str, path: PurePosixPath) -> bool:
    """Whether a glob matches a path; case is ignored, as on macOS and Windows."""
    steps = _steps(pattern)
    return len(steps) in _walk(steps, path)[-1]


def covers(pattern: str, path: PurePosixPath) -> bool:
    """Whether a glob matches a path or a folder above it."""
    steps = _steps(pattern)
    if len(steps) > 1 and steps[0] is None and (name := steps[1]) and not any(steps[2:]):
        return any(map(name.match, path.parts))  # fast path: most denials are one name at any depth
    trail = _walk(steps, path)
    return any(len(steps) in reached for reached in trail[1:] or trail)


# One name; None is `**`, any number of names.
_Step = re.Pattern[str] | None


@lru_cache(maxsize=1024)
def _steps(pattern: str) -> tuple[_Step, ...]:
    names = [name for name in pattern.split("/") if name not in {"", "."}]
    steps = [
        None if name == "**" else re.compile(fnmatch.translate(name), re.IGNORECASE)
        for name in names
    ]
    if len(names) > 1 and names[-1] == "**":
        steps.insert(-1, _ANY_NAME)  # `src/**` is everything in src, but not src itself
    if names and "/" not in pattern.rstrip("/"):
        steps.insert(0, None)
    if names and pattern.endswith("/"):
        steps.append(None)
    return tuple(steps)


_ANY_NAME = re.compile(".*", re.DOTALL)


def _walk(steps: tuple[_Step, ...], path: PurePosixPath) -> list[set[int]]:
    """Return, after each name, the numbers of steps that can be matched; without backtracking."""
    trail = [_skipped(steps, {0})]
    for name in path.parts:
        taken = {
            at if step is None else at + 1
            for at in trail[-1]
            if at < len(steps) and ((step := steps[at]) is None or step.match(name))
        }
        trail.append(_skipped(steps, taken))
    return trail


def _skipped(steps: tuple[_Step, ...], reached: set[int]) -> set[int]:
    """Add the positions after steps that match no name at all."""
    for at, step in enumerate(steps):
        if step is None and at in reached:
            reached.add(at + 1)
    return reached
