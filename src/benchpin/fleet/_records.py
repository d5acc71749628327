"""What was measured of each repository, and when: one small object for each measurement.

Objects are only added, under names that sort by time, so that two processes that measure the same
repository at once lose nothing.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from benchpin.core.calls import Permissions
from benchpin.memory import engines_version

from ._place import RECORD_BYTES, Place, names_in

_FOLDER = "records/"
_ID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Measurements of a repository that are remembered.
_KEPT = 20


class Measurement(msgspec.Struct, frozen=True):
    """One repository at one commit."""

    name: str
    commit: str
    measured_at: datetime
    version: str
    """What its tables depend on besides the commit."""

    @property
    def tables(self) -> str:
        """Where in the place its tables are."""
        return tables_folder(self.version, self.name, self.commit)


def tables_folder(version: str, name: str, commit: str) -> str:
    """Return where in the place the tables of a commit are."""
    return f"tables/{version}/{member_digest(name)}/{commit}/"


def member_digest(name: str) -> str:
    """Return the name of a repository as object names contain it."""
    return hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def tables_version(permissions: Permissions) -> str:
    """Return what tables depend on besides the commit: the engines, and what may be read."""
    rules = [
        [(rule.pattern, sorted(rule.operations)) for rule in layer] for layer in permissions.layers
    ]
    scope = hashlib.blake2b(repr(rules).encode(), digest_size=6).hexdigest() if rules else "all"
    return f"{engines_version()}-{scope}"


def read_records(place: Place, version: str) -> dict[str, list[Measurement]]:
    """Return the measurements of each repository with a version, the newest first.

    Raises:
        StoreFails: when the place cannot be read.
    """
    found: dict[str, list[Measurement]] = {}
    for name in reversed(names_in(place, _FOLDER)):
        folder = name.rpartition("/")[0]
        if len(found.get(folder, ())) < _KEPT:
            read = _decoded(place.get(name, RECORD_BYTES))
            its = [it for it in read if it.version == version and _ID.fullmatch(it.commit)]
            found.setdefault(folder, []).extend(its)
    return {its[0].name: its for its in found.values() if its}


def _decoded(data: bytes | None) -> Iterable[Measurement]:
    try:
        return [msgspec.json.decode(data or b"", type=Measurement)]
    except msgspec.MsgspecError:
        return []


def add_record(place: Place, measurement: Measurement) -> None:
    """Remember a measurement.

    Raises:
        StoreFails: when the place cannot be written.
    """
    moment = measurement.measured_at.astimezone(UTC)
    name = f"{moment:%Y%m%dT%H%M%S%f}-{measurement.commit[:12]}.json"
    folder = f"{_FOLDER}{member_digest(measurement.name)}/"
    place.put(folder + name, msgspec.json.encode(measurement))
