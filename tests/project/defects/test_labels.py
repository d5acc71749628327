from datetime import timedelta

import pytest

from benchpin.measures.history import Commit, CommittedFile
from benchpin.project.defects._features import fixed_files, is_bug_fix
from repositories import START


@pytest.mark.parametrize(
    "subject",
    [
        "Fixed #36111 -- Fixed test --debug-sql crash on Oracle when no query has executed.",
        "fix(build): ensure amd bundles request `require` to be injected (#20861)",
        "[Fix #10586] Fix a false positive for `Style/DoubleNegation`",
        "[12.x] Fix infinite recursion when middleware group referencing itself (#60002)",
        "libssh2: fix return code for EAGAIN",
        "url: connection reuse fixes for starttls",
        "Bugfix: keep the cursor",
        "Work around a regression in 3.2",
        "imap: make sure it does not overflow",
    ],
)
def test_a_commit_that_mends_a_bug_is_known_by_its_subject(subject: str) -> None:
    assert is_bug_fix(subject)


@pytest.mark.parametrize(
    "subject",
    [
        "Add a prefix to names",
        "Fixed typo in release notes.",
        "Fix a typo for CHANGELOG entry",
        "docs: fix link CONTRIBUTE.md link",
        "docs(performance): fix barrel file section (#14983)",
        "fix(docs): wrong heading",
        "test: fix flaky legacy watch failure",
        "ci: fix broken jobs on Ubuntu",
        "Fix failing test",
        "Fix tests on Windows",
        "Fix lint",
        "Fix some docstrings",
        "Apply fixes from StyleCI",
        'Revert "Fix crash"',
        "refactor: remove bug workaround",
        "",
    ],
)
def test_what_mends_no_code_is_no_bug_fix(subject: str) -> None:
    assert not is_bug_fix(subject)


def commit(day: int, subject: str, *paths: str) -> Commit:
    changes = tuple(CommittedFile(path, 1, 0) for path in paths)
    return Commit("0" * 40, START + timedelta(days=day), "Ada", changes, subject)


def test_a_file_is_fixed_when_a_small_bug_fix_of_the_period_touches_it() -> None:
    commits = [
        commit(1, "Fix crash", "before.py"),
        commit(2, "Fix crash", "first.py"),
        commit(3, "Add an option", "other.py"),
        commit(3, "Fix crash everywhere", *(f"{at}.py" for at in range(51))),
        commit(4, "Fix crash", "after.py"),
    ]
    start = START + timedelta(days=2)
    assert fixed_files(commits, start, start + timedelta(days=2)) == {"first.py"}
