"""Which tests ran some lines, if the last data file of coverage.py says so.

It does when coverage.py ran with `dynamic_context = test_function`, or pytest with
`--cov-context=test`. No other report names tests.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.facts import May
from benchpin.workspace.files import Unreadable, read_regular

from ._contents import MAX_BYTES, DamagedReport, LineBudget
from ._database import read_contexts

_DATA_FILE = ".coverage"


def contexts_of(
    root: Path, may: May, wanted: Mapping[str, Sequence[range]], job: Job
) -> frozenset[str]:
    """Return the contexts that ran some lines of files; none if there is no such data.

    `may` says whether a path may be read.

    Raises:
        Cancelled: when the job was cancelled.
        TimeLimitExceeded: when the time is up.
    """
    if not may(_DATA_FILE):
        return frozenset()
    try:
        data, _ = read_regular(os.fsencode(root), _DATA_FILE, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return frozenset()
        lines_of = _by_name(root, wanted)
        return frozenset(
            read_contexts(
                data,
                lambda path, line: any(line in it for it in lines_of.get(path, ())),
                LineBudget(job),
            )
        )
    except (Unreadable, DamagedReport):
        return frozenset()


def _by_name(root: Path, wanted: Mapping[str, Sequence[range]]) -> dict[str, Sequence[range]]:
    """Return what is wanted by absolute and by relative path: coverage.py writes either."""
    absolute = {f"{root}/{path}": lines for path, lines in wanted.items()}
    return {**absolute, **wanted}
