"""What a measure found in each file, kept by content: after an edit, only that file is measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchpin.facts import FileFacts, FileSelection
from benchpin.facts.store import content_digest

from ._reductions import Reduction, remember

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileValues(Generic[T]):
    """The value of each file, by path, with the key of its content."""

    by_path: dict[str, tuple[bytes, T]]


def values_of_files(
    selection: FileSelection,
    reduction: Reduction[FileValues[T]],
    files: Sequence[FileFacts],
    option: float,
    measure: Callable[[Sequence[FileFacts]], Mapping[str, T]],
) -> dict[str, T]:
    """Return the value of each file, by path, in the order of `files`.

    `measure` is called for the files that are not known with the same content and option; it
    leaves out those for which there is no time. A value may depend on the path of its file, and on
    no other file.
    """

    def update(before: FileValues[T]) -> FileValues[T]:
        known = {
            file.path: found
            for file in files
            if (found := before.by_path.get(file.path)) is not None and found[0] == file.key
        }
        made = measure([file for file in files if file.path not in known])
        known |= {file.path: (file.key, made[file.path]) for file in files if file.path in made}
        return FileValues({file.path: known[file.path] for file in files if file.path in known})

    found = remember(
        selection.session,
        selection.job,
        reduction,
        (content_digest(files), option),
        lambda: update(FileValues({})),
        update=update,
        slot=(option, selection.query.start),
        is_fresh=selection.is_fresh,
    )
    return {path: value for path, (_, value) in found.by_path.items()}
