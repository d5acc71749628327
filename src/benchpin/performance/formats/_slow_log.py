"""Slow logs of MySQL, MariaDB and Percona Server: how they are recognised and opened."""

import re
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.performance.reading import Unpacker
from benchpin.performance.slowlog import digest_chunks, read_slow_log
from benchpin.performance.values import SlowLog
from benchpin.system.processes import worker_count

from ._format import ArtifactFormat, FileHead, ReadRequest
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


def read(_request: ReadRequest, file: BinaryIO, job: Job) -> SlowLog:
    unpacker = Unpacker(file, MAX_UNPACKED_BYTES)
    if unpacker.packing == "plain":
        size_bytes = file.seek(0, 2)
        file.seek(0)
        return read_slow_log(file, size_bytes, job, workers=worker_count())
    return with_faults(digest_chunks(unpacker.chunks(), job), unpacker)


FORMAT = ArtifactFormat(
    "mysql-slowlog{packing}-v1", "mysql_slow_log", fits, read, SlowLog, max_document_bytes=None
)
