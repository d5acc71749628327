"""What a measure found in each file, kept by content: after an edit, only that file is measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import GenericAlias
from typing import Any, Generic, TypeVar

from benchpin.facts import FileFacts, FileSelection
from benchpin.facts.store import Section, content_digest

from ._reductions import Reduction, remember

T = TypeVar("T")
Values = dict[str, tuple[bytes, T]]


@dataclass(frozen=True)
class FileMeasure(Generic[T]):
    """A value of each file, which depends on its path, its content and an option alone."""

    name: str
    type: Any  # of a value; as in `Reduction`
    measure: Callable[[Sequence[FileFacts], FileSelection, float], Mapping[str, T]]
    """Returns the value of each file by path, less those for which there is no time."""
    sections: tuple[Section, ...] = ()
    """The facts that it needs besides those that the files come with."""
    on_demand: tuple[Section, ...] = ()
    """Those that are loaded when they are asked for."""

    @cached_property
    def _kept(self) -> Reduction[Values[T]]:
        pair = GenericAlias(tuple, (bytes, self.type))
        return Reduction(self.name, GenericAlias(dict, (str, pair)))

    def of(
        self, selection: FileSelection, files: Sequence[FileFacts], option: float = 0
    ) -> dict[str, T]:
        """Return the value of each file, by path, in the order of `files`."""

        def update(before: Values[T]) -> Values[T]:
            known = {
                file.path: found
                for file in files
                if (found := before.get(file.path)) is not None and found[0] == file.key
            }
            made = self._measure([it for it in files if it.path not in known], selection, option)
            known |= {file.path: (file.key, made[file.path]) for file in files if file.path in made}
            return {file.path: known[file.path] for file in files if file.path in known}

        found = remember(
            selection.session,
            selection.job,
            self._kept,
            (content_digest(files), option),
            lambda: update({}),
            update=update,
            slot=(option, selection.query.start),
            is_fresh=selection.is_fresh,
        )
        return {path: value for path, (_, value) in found.items()}

    def _measure(
        self, files: Sequence[FileFacts], selection: FileSelection, option: float
    ) -> Mapping[str, T]:
        if files and (self.sections or self.on_demand):
            changed = selection.only(file.path for file in files)
            files = changed.read(*self.sections, on_demand=self.on_demand).files
        return self.measure(files, selection, option)
