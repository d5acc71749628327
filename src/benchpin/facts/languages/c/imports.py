"""Includes of C and C++.

An include in quotes is looked up beside the file. Either kind is then looked up in header folders,
and as the end of any path, the nearest file first. A standard header in angle brackets is external
unless a header folder contains it.
"""

from collections.abc import Iterator

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    LEAVES_WORKSPACE,
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    join,
    nearest,
    unresolved,
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
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_HEADER_FOLDERS = ("include", "inc", "src", "lib")


class CResolver:
    """Resolves the includes of C and C++."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
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
            return LEAVES_WORKSPACE if beside is None else self._project.elsewhere(beside)
        choices = self._choices(file.path, path, is_quoted=is_quoted)
        if len(choices) == 1:
            return found(choices[0])
        if not is_quoted or path in _STANDARD:
            return external(imported.module)
        candidates = (beside or path, *self._candidates(folder, path))
        missing = self._project.elsewhere(*candidates, *(f"{path}.in" for path in candidates))
        if choices and missing.status == "unresolved":
            return unresolved(f"{len(choices)} files of that name are equally near")
        return missing

    def _choices(self, including: str, path: str, *, is_quoted: bool) -> list[str]:
        """Return the file in a header folder, or else the nearest files whose path ends so."""
        known = self._project.first(self._candidates(folder_of(including), path))
        if known is not None:
            return [known]
        if not is_quoted and path in _STANDARD:
            return []
        return nearest(self._project.ending_with(path), including)

    def _candidates(self, folder: str, path: str) -> Iterator[str]:
        """Yield where a header may be, from a folder upwards."""
        for outer in upwards(folder):
            for name in _HEADER_FOLDERS:
                yield within(outer, f"{name}/{path}")
            yield within(outer, path)


RESOLVER: MakeResolver = CResolver
