"""A snapshot as a file of the project, which other snapshots are compared with."""

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.snapshots import FORMAT, Snapshot, decode_snapshot

MAX_BYTES = 256 << 20


def dump(snapshot: Snapshot) -> bytes:
    """Return the content of the file: the snapshot without call trees, which are most of it."""
    profiles = tuple(
        msgspec.structs.replace(each, profile=msgspec.structs.replace(each.profile, tree=()))
        for each in snapshot.profiles
    )
    return msgspec.structs.replace(snapshot, profiles=profiles).encoded + b"\n"


def load(content: bytes, name: str) -> Snapshot:
    """Read the content of a baseline.

    Raises:
        InvalidParams: when it is none.
    """
    try:
        found = decode_snapshot(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unusable(name, str(error)) from error
    if found.format != FORMAT:
        raise _unusable(name, f"its format is {found.format[:50]!r}, not {FORMAT!r}")
    return found


def _unusable(name: str, problem: str) -> InvalidParams:
    return InvalidParams(
        f"{name} is not a baseline: {problem}",
        suggestion="Write it with update_baseline=true, or name a snapshot of list_runs.",
        data={"path": name},
    )
