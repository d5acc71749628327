"""Which commits fixed a bug, by their subjects."""

import re
from collections.abc import Iterable
from datetime import datetime

from benchpin.measures.churn import MAX_FILES_TOGETHER
from benchpin.measures.history import Commit

_FIXES = re.compile(
    r"""\b(?:
      (?:bug|hot)?fix(?:e[sd]|ing|up)? | bugs? | regressions? | crash(?:e[sd]|ing)?
    | segfaults? | deadlocks? | defects? | overflows? | misbehaviou?rs?
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_BUG = (
    r"typos?|spelling|grammar|wording|docs?|docblocks?|documentation|docstrings?|readme|changelog"
    r"|comments?|lint(?:er|ing|s)?|whitespaces?|indent(?:ation|ing)?|format(?:ting)?|code\ style"
    r"|style|cs|phpdocs?|links?|licen[cs]es?|copyright|tests|specs|ci|build|warnings?|imports?"
    r"|flak[ey]y?|eslint|rubocop|clippy|flake8|ruff|mypy|phpstan|offen[cs]es?|release\ notes"
)
_FIXES_NO_BUG = re.compile(
    rf"""
      \btypos?\b
    | ^\W*(?:docs?|style|tests?|ci|chore|build|refactor|release|lint|changelog|readme)\b[^:\s]*:
    | \bfix(?:e[sd]|ing)?(?:\s+(?:an?|the|some|more|all|minor|small|broken|failing))*
      \s+(?:(?:{_NO_BUG})\b(?!/)|(?:test|spec)(?:\W*$|\s+(?:fail|case|suite|on|in|for)))
    | \bfixes\s+from\b | \bfix\((?:docs?|tests?|ci|lint|changelog|readme)\)
    | ^(?:revert|merge|bump|release)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_bug_fix(subject: str) -> bool:
    """Whether a commit fixed a bug, by its subject; typos, tests and warnings are no bugs."""
    return _FIXES.search(subject) is not None and _FIXES_NO_BUG.search(subject) is None


def is_small(commit: Commit) -> bool:
    """Whether a commit is evidence about each of its files; one of hundreds of files is not."""
    return len(commit.files) <= MAX_FILES_TOGETHER


def fixed_files(commits: Iterable[Commit], since: datetime, until: datetime) -> frozenset[str]:
    """Return the files that a bug fix touched in a period, by their newest paths."""
    return frozenset(
        file.path
        for commit in commits
        if since <= commit.time < until and is_small(commit) and is_bug_fix(commit.subject)
        for file in commit.files
    )
