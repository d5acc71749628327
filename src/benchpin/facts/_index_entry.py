"""What the index remembers about one file."""

from weakref import ref

import msgspec

from benchpin.core.calls import Job
from benchpin.facts.store import DECODERS, AnySection, FileStamp
from benchpin.facts.workers import FileResult
from benchpin.workspace.walking import SourceFile

# Sections that stay in memory; the others are bigger than they are useful.
KEPT = frozenset({"outline", "links"})


class Entry(msgspec.Struct, gc=False):
    """What is known of one file."""

    stamp: FileStamp
    sections: dict[str, AnySection] = {}
    problem: str = ""
    """Why it is not tried again as it is."""
    read_for: "ref[Job] | None" = None

    def fits(self, file: SourceFile, job: Job) -> bool:
        """Whether the file is certainly as it was; what a job has read stays so until it ends."""
        stamp = self.stamp
        return (
            stamp.mtime_ns == file.mtime_ns
            and stamp.ctime_ns == file.ctime_ns
            and stamp.size_bytes == file.size_bytes
        ) or (self.read_for is not None and self.read_for() is job)

    def take(self, section: str, data: bytes) -> AnySection | None:
        """Decode a section, and keep it if it is worth its room; None when it is not whole."""
        try:
            value = DECODERS[section](data)
        except msgspec.MsgspecError:
            return None
        if section in KEPT:
            self.sections[section] = value
        return value


def entry_of(item: FileResult, file: SourceFile, job: Job) -> Entry:
    """Return what to remember; a worker that crashed did not report the stamp of the file."""
    seen: FileResult | SourceFile = file if item.is_fatal else item
    stamp = FileStamp(seen.size_bytes, seen.mtime_ns, seen.ctime_ns, item.key)
    return Entry(stamp, problem=item.problem, read_for=ref(job))
