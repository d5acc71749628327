"""How likely the files of a repository are to need a bug fix.

The weights are those of `analyze_defect_probability`. Duplicates are not known here; they weigh
nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, TokenKind
from benchpin.facts.imports import Resolution
from benchpin.measures.debt_gradient import Coupling
from benchpin.measures.history import History, HistoryReader
from benchpin.project.defects import (
    LOOKBACK,
    ProjectDefects,
    Surroundings,
    newest_moment,
    predict,
    shared_knowledge,
    without_history,
)
from benchpin.workspace.git import Repository
from benchpin.workspace.git_objects import COMMIT_OPTIONS

# How far back from its newest commit the changes of a repository are counted.
PERIOD = timedelta(days=365)
MIN_TOKENS = 50
_DIGEST_BYTES = 12
_LITERAL = b"\x01"


def read_changes(repository: Repository | None, job: Job) -> History:
    """Return the commits that defects are predicted from, and those of the period.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    if repository is None:
        return History((), frozenset())
    newest = HistoryReader(repository, options=("-1", *COMMIT_OPTIONS))
    newest.read(None, job)
    moment = newest_moment(repository, job)
    # The newest commit may be a merge, which is not listed, long after all others.
    since = min([moment - LOOKBACK, *(it.time - PERIOD for it in newest.finish(None).commits)])
    reader = HistoryReader(repository)
    reader.read(since, job)
    return reader.finish(None)


def coupling_of(resolved: Mapping[str, Sequence[Resolution]]) -> dict[str, Coupling]:
    """Return how many files each one imports, and how many import it."""
    pairs = {
        (path, target)
        for path, found in resolved.items()
        for it in found
        for target in it.files
        if target != path
    }
    uses = Counter(path for path, _ in pairs)
    users = Counter(target for _, target in pairs)
    return {path: Coupling(uses[path], users[path]) for path in resolved}


def predict_risk(
    files: Sequence[FileFacts],
    coupling: Mapping[str, Coupling],
    history: History,
    repository: Repository | None,
    paths: Collection[str],
    job: Job,
) -> ProjectDefects:
    """Predict for files with `outline` and `links`; `paths` are those of all code.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    known = (
        without_history("it is not under version control")
        if repository is None
        else shared_knowledge(history, repository, paths, job.missing, job)
    )
    return predict(files, Surroundings(None, coupling), known, None)


def basis_of(found: ProjectDefects) -> str:
    """Return what the risk is known by, or why there is none."""
    if not found.files:
        return "no file of its product"
    return f"code alone: {found.lacks_history}" if found.lacks_history else "code and history"


# A number for what a function does, whatever its names are: equal ones are renamed clones.
#
# Every word of a function counts but comments: operators and keywords as they are, literals as one,
# names by the order of their first use. Functions under 50 words are too short to say anything.


def fingerprints_of(file: FileFacts) -> Iterator[str]:
    """Yield the fingerprint of each function of a file, empty for a short one."""
    tokens = file.tokens
    stream = tokens.indices()
    fixed = [
        text if kind == TokenKind.OPERATOR else _LITERAL if kind == TokenKind.LITERAL else None
        for text, kind in zip(tokens.texts, tokens.kinds, strict=True)
    ]
    for function in file.outline.functions:
        span = stream[function.first_token : function.last_token]
        if len(span) < MIN_TOKENS:
            yield ""
            continue
        names: dict[int, bytes] = {}
        words = [fixed[at] or names.setdefault(at, b"%d" % len(names)) for at in span]
        text = file.language.encode() + b"\0" + b"\0".join(words)
        yield hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()
