"""Includes of C and C++.

An include in quotes is sought beside the file, one of either kind in folders for headers, and then
by its ending among all files, the nearest first. A header of the standard in angle brackets is the
system's unless a folder for headers has it.
"""

from collections.abc import Iterator

from benchpin.engines.source.facts import Import
from benchpin.engines.source.index import FileFacts

from .project import (
    UNRESOLVED,
    Project,
    Resolution,
    external,
    folder_of,
    found,
    join,
    nearest,
    upwards,
    within,
)

# ISO/IEC 9899:2018 §7.1.2 and POSIX.1-2017, chapter 13.
_STANDARD = frozenset(
    f"{name}.h"
    for name in """
    aio assert complex ctype cpio dirent dlfcn errno fcntl fenv float fmtmsg fnmatch ftw glob grp
    iconv inttypes iso646 langinfo libgen limits locale math monetary mqueue ndbm netdb nl_types
    poll pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar termios tgmath
    threads time trace uchar ulimit unistd utime utmpx wchar wctype wordexp windows
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_HEADER_FOLDERS = ("include", "inc", "src", "lib")


class CResolver:
    """Knows where the includes of C and C++ lead."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return where an include leads."""
        is_quoted = imported.level > 0
        folder = folder_of(file.path)
        path = join("", imported.module)
        beside = join(folder, imported.module) if is_quoted else None
        if beside is not None and beside in self._project.files:
            return found(beside)
        if path is None:
            return UNRESOLVED if beside is None else self._project.elsewhere(beside)
        known = self._project.first(self._places(folder, path))
        if known is None and (is_quoted or path not in _STANDARD):
            choices = nearest(self._project.ending_with(path), file.path)
            known = choices[0] if len(choices) == 1 else None
        if known is not None:
            return found(known)
        if not is_quoted:
            return external(imported.module)
        places = (beside or path, *self._places(folder, path))
        return self._project.elsewhere(*places, *(f"{place}.in" for place in places))

    def _places(self, folder: str, path: str) -> Iterator[str]:
        """Give where a header may lie around a folder, the nearest place first."""
        for outer in upwards(folder):
            for name in _HEADER_FOLDERS:
                yield within(outer, f"{name}/{path}")
            yield within(outer, path)
