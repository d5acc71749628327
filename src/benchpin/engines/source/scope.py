"""What a walk leaves out, and why: all the rules in force in one folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .detect import is_generated_file, is_vendored_folder
from .ignore import Rules, read_globs


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What to leave out.

    Patterns are globs: without a slash a name at any depth, with one a path from the root or from
    where the walk starts. One that fits a folder speaks for all that is in it.
    """

    include_patterns: tuple[str, ...] = ()
    exclude_patterns: tuple[str, ...] = ()
    max_depth: int | None = None
    """How deep a file may lie; 1 is right in the folder where the walk starts."""
    include_ignored: bool = False
    include_hidden: bool = True
    """Whether to look at names with a dot in front; `.git` is never looked at."""
    include_vendored: bool = False


_Test = tuple[str, Callable[[str], bool]]
"""A reason to leave out a name, and when it holds."""


class Scope:
    """The rules of one folder; never changed."""

    def __init__(
        self,
        options: WalkOptions,
        ignore: Rules,
        exclude: Rules,
        include: Rules,
        *,
        is_included: bool,
    ) -> None:
        """Put rules together; `is_included` means that all in the folder is asked for."""
        self.options = options
        self.ignore = ignore
        self.exclude = exclude
        self.include = include
        self.is_included = is_included
        self._is_steady = is_included and not (ignore.is_moving or exclude.is_moving)
        self._file_tests = tuple(self._tests_of_files())
        self._folder_tests = tuple(self._tests_of_folders())

    def _tests_of_files(self) -> Iterator[_Test]:
        """Give the tests that a file can fail, in the order in which they count."""
        if not self.options.include_hidden:
            yield "hidden", _is_hidden
        if not self.ignore.is_blank:
            yield "ignored", self.ignore.match_file
        if not self.exclude.is_blank:
            yield "excluded", self.exclude.match_file
        if not self.is_included:
            yield "not included", lambda name: not self.include.match_file(name)
        if not self.options.include_vendored:
            yield "generated", is_generated_file

    def _tests_of_folders(self) -> Iterator[_Test]:
        if not self.options.include_hidden:
            yield "hidden", _is_hidden
        if not self.ignore.is_blank:
            yield "ignored", self.ignore.match_folder
        if not self.exclude.is_blank:
            yield "excluded", self.exclude.match_folder
        if not self.options.include_vendored:
            yield "vendored", is_vendored_folder

    @classmethod
    def at(cls, way: tuple[str, ...], options: WalkOptions, ignore: Rules) -> "Scope":
        """Return the rules of the folder where a walk starts, so many steps from the root."""
        excluding = read_globs(options.exclude_patterns)
        including = read_globs(options.include_patterns)
        exclude, include = Rules().joined_by(excluding), Rules().joined_by(including)
        is_included = not options.include_patterns
        for name in way:
            is_included = is_included or include.match_folder(name)
            exclude, include = exclude.enter(name), include.enter(name)
        if way:
            exclude, include = exclude.joined_by(excluding), include.joined_by(including)
        ignore = Rules() if options.include_ignored else ignore
        return cls(options, ignore, exclude, include, is_included=is_included)

    def with_ignore(self, ignore: Rules) -> "Scope":
        """Return the same with other rules of git."""
        is_included = self.is_included
        return Scope(self.options, ignore, self.exclude, self.include, is_included=is_included)

    def enter(self, name: str) -> "Scope":
        """Return the rules of a folder in this one."""
        if self._is_steady:
            return self
        ignore = self.ignore.enter(name)
        exclude = self.exclude.enter(name)
        include = self.include.enter(name)
        is_included = self.is_included or self.include.match_folder(name)
        before = (self.ignore, self.exclude, self.include, self.is_included)
        if before == (ignore, exclude, include, is_included):
            return self
        return Scope(self.options, ignore, exclude, include, is_included=is_included)

    @property
    def is_futile(self) -> bool:
        """Whether nothing in the folder can be asked for."""
        return not self.is_included and self.include.is_blank

    def against_file(self, name: str) -> str:
        """Say why a file is left out; nothing when it is not."""
        for reason, is_against in self._file_tests:
            if is_against(name):
                return reason
        return ""

    def against_folder(self, name: str) -> str:
        """Say why a folder is left out; nothing when it is not."""
        for reason, is_against in self._folder_tests:
            if is_against(name):
                return reason
        return ""


def _is_hidden(name: str) -> bool:
    return name.startswith(".")
