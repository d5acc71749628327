"""Slow logs of MySQL, MariaDB and Percona Server: how they are recognised and opened."""

import re

from benchpin.performance.reading import ArtifactSource
from benchpin.performance.slowlog import digest_chunks, read_slow_log
from benchpin.performance.values import SlowLog
from benchpin.system.processes import worker_count

from ._format import ArtifactFormat, FileHead
from ._source import MAX_UNPACKED_BYTES, with_faults

_QUERY_TIME = re.compile(rb"(?:^|[\n\r\0])#[^\r\n]{0,200}Query_time: *\d")
_FIRST_LINES = re.compile(
    rb"(?:^|\n)(?:# User@Host: |# Time: \d|# administrator command: "
    rb"|Tcp port: \d|Time +Id Command +Argument|[^\n]{1,400}Version: [^\n]{1,400}started with:)"
)


def fits(head: FileHead) -> bool:
    """Whether there is an event, or the first lines of a log; of a packed one only in the head."""
    windows = head.windows() if head.packing == "plain" else [head.content]
    return any(map(_QUERY_TIME.search, windows)) or bool(_FIRST_LINES.search(head.content))


def read(source: ArtifactSource) -> SlowLog:
    file, job = source.file, source.job
    if source.request.version == FORMAT.version("plain"):
        size_bytes = file.seek(0, 2)
        file.seek(0)
        return read_slow_log(file, size_bytes, job, workers=worker_count())
    return with_faults(digest_chunks(source.chunks(MAX_UNPACKED_BYTES), job), source)


FORMAT = ArtifactFormat(
    "mysql-slowlog{packing}-v1", "mysql_slow_log", fits, read, SlowLog, max_document_bytes=None
)
