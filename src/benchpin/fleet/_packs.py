"""Facts by content in the place of a fleet: packs of about 64 MB, and an index of each.

A pack is records one after the other; its index is a Parquet file with the key, offset, length and
checksum of each. The index is written after its pack, so a pack without one is unfinished, and is
removed after a day. Both are named by the content of the pack, below the version of the engine.
"""

import hashlib
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.store import DECODERS, AnySection, OnDemandSections, Section
from benchpin.system.formats import ParquetColumn, write_parquet
from benchpin.system.zstd import ZstdDecompressor, ZstdError, compress, decompress

from ._answering import Answers, Order, open_memory
from ._place import Place, names_in
from ._steps import BlobFacts, Measured

PACK_BYTES = 64 << 20
_DAY_S = 86_400
UNFINISHED_S = _DAY_S
# How long a pack without an index, and the facts of an engine without a new pack, are kept.
UNUSED_S = 30 * _DAY_S
_DIGEST_BYTES = 16
_NAME = re.compile(f"[0-9a-f]{{{2 * _DIGEST_BYTES}}}")
_RECORD_BYTES = 1 << 25
# The most of one record, packed and unpacked: files over 4 MiB are not measured.
_UNPACKED_BYTES = 1 << 28
_PACK, _INDEX = ".pack", ".parquet"
_COLUMNS = "key, pack, start, length, crc"
_ROWS_OF_INDEX = "SELECT key, start, length, crc FROM facts"
# The limit of one index; a pack of 64 MB has about 10,000.
_MAX_ROWS = 10_000_000
_SCHEMA = "CREATE TABLE facts (key VARCHAR, pack VARCHAR, start BIGINT, length BIGINT, crc BIGINT)"
# What resolving imports and predicting defects need of all files at once.
KEPT: tuple[Section, ...] = ("outline", "links")
# Sections that are held unpacked: a file is asked for several times in a row.
_UNPACKED = 256
_LEVEL = 1


class Where(NamedTuple):
    """Where the facts of a key are."""

    key: str
    pack: str
    start: int
    length: int
    crc: int


class DamagedPack(Exception):
    """A pack that is not what its index says; the argument is its name."""


class Packer:
    """Collects records, and writes a pack whenever there are enough."""

    def __init__(self, place: Place, engine: str, pack_bytes: int = PACK_BYTES) -> None:
        self._place = place
        self._folder = folder_of(engine)
        self._pack_bytes = pack_bytes
        self._records: list[Measured] = []
        self._size = 0
        self.written: list[Where] = []
        """What was written since this was last emptied."""

    def add(self, measured: Iterable[Measured]) -> None:
        """Take records."""
        for blob in measured:
            self._records.append(blob)
            self._size += len(blob.record)
        if self._size >= self._pack_bytes:
            self.flush()

    def flush(self) -> None:
        """Write what was collected."""
        if not self._records:
            return
        body = b"".join(it.record for it in self._records)
        name = hashlib.blake2b(body, digest_size=_DIGEST_BYTES).hexdigest()
        rows: list[Where] = []
        at = 0
        for record in self._records:
            rows.append(Where(record.key, name, at, len(record.record), record.crc))
            at += len(record.record)
        self._place.put(f"{self._folder}{name}{_PACK}", body)
        self._place.put(f"{self._folder}{name}{_INDEX}", _index(rows))
        self.written += rows
        self._records, self._size = [], 0


def _index(rows: Sequence[Where]) -> bytes:
    return write_parquet(
        [
            ParquetColumn("key", "string", [it.key for it in rows]),
            ParquetColumn("pack", "string", [it.pack for it in rows]),
            ParquetColumn("start", "int64", [it.start for it in rows]),
            ParquetColumn("length", "int64", [it.length for it in rows]),
            ParquetColumn("crc", "int64", [it.crc for it in rows]),
        ]
    )


class FactIndex:
    """Which facts are in the place; in a table of DuckDB, which is small for millions of keys."""

    def __init__(self, place: Place, engine: str, cache_folder: Path, job: Job) -> None:
        """Load the indexes; those that were loaded before are in the cache folder.

        Raises:
            DependencyMissing: when the extra is not installed.
            StoreFails: when the place cannot be read.
            TimeLimitExceeded: when the time of the job is up.
        """
        self._place, self._folder = place, folder_of(engine)
        self._database = open_memory()
        self._database.execute(_SCHEMA)
        # A store may come from anybody: its files are read in a process of their own.
        with closing(Answers()) as answers:
            for name in names_in(place, self._folder):
                if name.endswith(_INDEX):
                    self._load(name, cache_folder, answers, job)

    def close(self) -> None:
        """Close the table."""
        self._database.close()

    def _load(self, name: str, cache_folder: Path, answers: Answers, job: Job) -> None:
        pack = PurePosixPath(name).stem
        if _NAME.fullmatch(pack) is None:
            return
        local = self._place.file_of(name, cache_folder)
        order = Order({"facts": [str(local)]}, _ROWS_OF_INDEX, _MAX_ROWS)
        answer = answers.ask(order, job)
        try:
            rows = msgspec.convert([(it[0], pack, *it[1:]) for it in answer.rows], list[Where])
        except msgspec.ValidationError:
            self.forget(pack)
            return
        if answer.problem:
            self.forget(pack)
        else:
            self.add([it for it in rows if it.start >= 0 and 0 < it.length <= _RECORD_BYTES])

    def add(self, rows: Sequence[Where]) -> None:
        """Take rows that were written meanwhile."""
        columns: list[list[str] | list[int]] = [
            [it.key for it in rows],
            [it.pack for it in rows],
            [it.start for it in rows],
            [it.length for it in rows],
            [it.crc for it in rows],
        ]
        self._database.execute(
            "INSERT INTO facts SELECT unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)",
            columns,
        )

    def missing(self, keys: Sequence[str]) -> list[str]:
        """Return the keys without facts, in order."""
        found = self._database.execute(
            "SELECT DISTINCT key FROM facts SEMI JOIN (SELECT unnest(?) AS key) USING (key)",
            [list(keys)],
        ).fetchall()
        known = {key for (key,) in found}
        return [key for key in dict.fromkeys(keys) if key not in known]

    def find(self, keys: Sequence[str]) -> dict[str, Where]:
        rows = self._database.execute(
            f"SELECT {_COLUMNS} FROM facts SEMI JOIN (SELECT unnest(?) AS key) USING (key) "  # noqa: S608 - ours
            "ORDER BY pack DESC",
            [list(keys)],
        ).fetchall()
        return {row[0]: Where(*row) for row in rows}

    def forget(self, pack: str) -> None:
        """Leave a damaged pack out, here and in the place: its blobs are measured again."""
        self._place.delete([f"{self._folder}{pack}{_INDEX}"])
        self._database.execute("DELETE FROM facts WHERE pack = ?", [pack])

    def count(self) -> int:
        """Return how many blobs are known."""
        found = self._database.execute("SELECT count(DISTINCT key) FROM facts").fetchone()
        return int(found[0]) if found else 0


def read_facts(place: Place, engine: str, wanted: Iterable[Where]) -> dict[str, BlobFacts]:
    """Return facts by key.

    Raises:
        DamagedPack: when a pack is gone, cut or changed.
    """
    by_pack: dict[str, list[Where]] = {}
    for row in wanted:
        by_pack.setdefault(row.pack, []).append(row)
    decode = msgspec.msgpack.Decoder(BlobFacts).decode
    found: dict[str, BlobFacts] = {}
    for pack, rows in by_pack.items():
        spans = [(it.start, it.length) for it in rows]
        parts = place.get_parts(f"{folder_of(engine)}{pack}{_PACK}", spans)
        if parts is None:
            raise DamagedPack(pack)
        for row, record in zip(rows, parts, strict=True):
            if zlib.crc32(record) != row.crc:
                raise DamagedPack(pack)
            try:
                found[row.key] = decode(_unpacked(record))
            except (ZstdError, ValueError, RecursionError, EOFError) as error:
                raise DamagedPack(pack) from error
    return found


def _unpacked(record: bytes) -> bytes:
    unpacking = ZstdDecompressor()
    data = unpacking.decompress(record, max_length=_UNPACKED_BYTES)
    if not unpacking.eof:
        raise EOFError
    return data


def collect_garbage(place: Place, engine: str, now_s: float) -> list[str]:
    """Remove what is no longer needed, and return its names.

    That is a pack without an index after a day, and the facts of another engine when it has written
    nothing for 30 days. A process that still counts on any of them measures again what is gone.

    Raises:
        StoreFails: when the place cannot be read or written.
    """
    listed = dict(place.listing("facts/"))
    newest: dict[str, float] = {}
    for name, written_s in listed.items():
        folder = _engine_folder(name)
        newest[folder] = max(written_s, newest.get(folder, 0.0))
    unused = {
        folder
        for folder, written_s in newest.items()
        if folder != folder_of(engine) and now_s - written_s > UNUSED_S
    }
    gone = sorted(
        name
        for name, written_s in listed.items()
        if _engine_folder(name) in unused
        or (now_s - written_s > UNFINISHED_S and _is_unfinished(name, listed))
    )
    place.delete(gone)
    return gone


def _engine_folder(name: str) -> str:
    return folder_of(name.split("/")[1])


def _is_unfinished(name: str, listed: Collection[str]) -> bool:
    return name.endswith(_PACK) and name.removesuffix(_PACK) + _INDEX not in listed


def folder_of(engine: str) -> str:
    """Return the beginning of the names of facts that an engine computed."""
    return f"facts/{engine}/"


# Hold the facts of all files of a repository: packed, and unpacked when they are asked for.
#
# Unpacked, those of 18,000 files take half a gigabyte; packed, a twentieth of that.


class PackedSections:
    """The sections of many files."""

    def __init__(self) -> None:
        self._packed: list[dict[str, bytes]] = []
        self._load = lru_cache(_UNPACKED)(self._unpacked)

    def keep(self, file: FileFacts, sections: Mapping[str, bytes]) -> FileFacts:
        """Return a file whose sections, given as they are stored, are unpacked on demand."""
        load = partial(self._load, len(self._packed))
        self._packed.append({name: compress(sections[name], _LEVEL) for name in KEPT})
        return msgspec.structs.replace(file, sections=OnDemandSections({}, KEPT, load))

    def _unpacked(self, number: int, section: str) -> AnySection:
        return DECODERS[section](decompress(self._packed[number][section]))
