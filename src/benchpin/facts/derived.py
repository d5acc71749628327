"""Facts that a measure derives from one file alone: computed in the workers, kept by content.

    FILE_DEBT = FileFact[float, Debt](
        "benchpin.measures.debt:FILE_DEBT", Debt, _debt_in, ("outline", "comments"), float
    )
    by_path = FILE_DEBT.of(selection, files, 0.5)

The name says where the fact is declared, so that a worker can import it. It is computed on all
cores: when a file is parsed, for facts that were expected or asked for before, else from what the
cache has of the file. Values are rows of the cache of facts, by the content of the file, the option
and the version of all measures; a file that its function fails on has an empty row, and no value.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from benchpin.facts.store import AnySection, Encoded, Section, derived_key, place_of
from benchpin.facts.workers import FactOrder, are_many

from ._file_facts import FileFacts

if TYPE_CHECKING:  # a worker that imports a fact does without what reads files for a call
    from ._index import SourceIndex
    from ._selection import FileSelection

Option = TypeVar("Option")
T = TypeVar("T")

# Files whose values are read at a time: memory stays bounded, and a query has 500 keys at most.
_CHUNK = 500
# The value of a file that the function fails on, so that it is not tried again.
_NO_VALUE = b""
# What a function raises on a file that it was not made for; anything else ends the worker.
_FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError)


@dataclass(frozen=True)
class FileFact(Encoded[T], Generic[Option, T]):
    """A value of each file: a pure function of its facts and an option."""

    name: str
    """Where it is declared, such as `benchpin.measures.debt:FILE_DEBT`."""
    type: Any  # of a value; as in `Encoded`
    compute: Callable[[FileFacts, Option], T]
    sections: tuple[Section, ...] = ("outline",)
    """What it is computed from."""
    option_type: Any = None
    has_path: bool = False
    """Whether it depends on the path too; else the file that it is computed from has none."""

    def of(
        self, selection: "FileSelection", files: Sequence[FileFacts], option: Option
    ) -> dict[str, T]:
        """Return the value of each file, by path, in the order of `files`; see `each`."""
        return {file.path: value for file, value in self.each(selection, files, option)}

    def each(
        self, selection: "FileSelection", files: Sequence[FileFacts], option: Option
    ) -> Iterator[tuple[FileFacts, T]]:
        """Yield files with their values, in their order; a part of them is in memory at a time.

        The files may come without facts. Those that are out of time, or that the function fails
        on, are left out.

        Raises:
            Cancelled: when the job was cancelled.
            FactsGone: when the cache lost the facts of a file that has changed.
        """
        order = self.order(option, is_fresh=selection.is_fresh)
        index = selection.index
        selection.expect(order)  # many new files are then measured where they are parsed
        keys = [self.key_of(it.key, it.path) for it in files]
        known = () if order.is_fresh else index.cache.derived_keys(order.place, keys)
        # Files in another state are few, and not where a worker would read them.
        to_make = [
            file
            for file, key in zip(files, keys, strict=True)
            if key not in known and file.path not in selection.replaced
        ]
        made: dict[str, bytes] = {}
        if are_many(to_make):
            made = index.derive(order, to_make, selection.job, selection.query.workers)
            order = msgspec.structs.replace(order, is_fresh=False)
        for start in range(0, len(files), _CHUNK):
            some = files[start : start + _CHUNK]
            yield from self._chunk(index, order, some, made, selection)

    def _chunk(
        self,
        index: "SourceIndex",
        order: FactOrder,
        files: Sequence[FileFacts],
        made: dict[str, bytes],
        selection: "FileSelection",
    ) -> Iterator[tuple[FileFacts, T]]:
        """Yield some files with their values: from the cache, or computed here."""
        keys = [self.key_of(it.key, it.path) for it in files]
        known = {} if order.is_fresh else index.cache.load_derived(order.place, keys)
        here: dict[bytes, bytes] = {}
        late = 0
        for file, key in zip(files, keys, strict=True):
            data = made.get(file.path, known.get(key))
            value = self.decode(data)
            if value is None and data != _NO_VALUE:
                selection.job.check()  # only here: rows of the cache take no time
                if selection.job.is_expired:
                    late += 1
                    continue
                data = known[key] = here[key] = self.made(self._stripped(file, index), order.option)
                value = self.decode(data)
            if value is not None:
                yield file, value[0]
        if here:
            index.cache.save_derived((order.place, *row) for row in here.items())
        if late:
            selection.job.leave_out(f"{late} of {len(files)} files")

    def _stripped(self, file: FileFacts, index: "SourceIndex") -> FileFacts:
        """Return a file with what it may be computed from, and nothing else."""
        sections: dict[str, AnySection] = {
            it: file.sections[it] if it in file.sections else index.section(file, it)
            for it in self.sections
        }
        path = file.path if self.has_path else ""
        return FileFacts(path, file.language, file.size_bytes, sections, file.key)

    def made(self, file: FileFacts, option: bytes) -> bytes:
        """Return the encoded value of a file; `_NO_VALUE` where there is none."""
        try:
            value = self.compute(file, self._option_decoder.decode(option))
        except (*_FAILURES, TypeError, ValueError):
            return _NO_VALUE
        return self.encode(value) or _NO_VALUE

    def order(self, option: Option, *, is_fresh: bool = False) -> FactOrder:
        """Return the order that is sent to workers."""
        encoded = _encode(option)
        return FactOrder(self.name, encoded, place_of(self.name, encoded), is_fresh)

    def key_of(self, key: bytes, path: str) -> bytes:
        """Return the key of the value of a file."""
        return derived_key(key, path if self.has_path else None)

    @cached_property
    def _option_decoder(self) -> "msgspec.msgpack.Decoder[Any]":
        return msgspec.msgpack.Decoder(self.option_type)


_encode = msgspec.msgpack.Encoder(order="deterministic").encode
