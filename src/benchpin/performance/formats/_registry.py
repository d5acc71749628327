"""The registry of artefacts: every format that is recognised and read.

To add one, write a module with a `FORMAT`, or `FORMATS`, and name it in the table below.
"""

import re
from collections.abc import Mapping
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.performance.reading import ArtifactSource, ReadRequest
from benchpin.performance.slowlog import digest_chunks, read_slow_log
from benchpin.performance.values import ArtifactType, SlowLog
from benchpin.system.processes import worker_count

from . import _callgrind as callgrind
from . import _chrome_trace as chrome_trace
from . import _collapsed as collapsed
from . import _cpuprofile as cpuprofile
from . import _digests as digests
from . import _jfr as jfr
from . import _perf_script as perf_script
from . import _plans as plans
from . import _postgres_log as postgres_log
from . import _pprof as pprof
from . import _pstats as pstats
from . import _pyinstrument as pyinstrument
from . import _speedscope as speedscope
from . import _spx as spx
from . import _timings as timings
from . import _xhprof as xhprof
from ._format import ArtifactFormat, Content, FileHead, Problem
from ._source import MAX_UNPACKED_BYTES, with_faults

_QUERY_TIME = re.compile(rb"(?:^|[\n\r\0])#[^\r\n]{0,200}Query_time: *\d")
_FIRST_LINES = re.compile(
    rb"(?:^|\n)(?:# User@Host: |# Time: \d|# administrator command: "
    rb"|Tcp port: \d|Time +Id Command +Argument|[^\n]{1,400}Version: [^\n]{1,400}started with:)"
)


def _fits_slow_log(head: FileHead) -> bool:
    """Whether there is an event, or the first lines of a log; of a packed one only in the head."""
    windows = head.windows() if head.packing == "plain" else [head.content]
    return any(map(_QUERY_TIME.search, windows)) or bool(_FIRST_LINES.search(head.content))


def _read_slow_log(source: ArtifactSource) -> SlowLog:
    file, job = source.file, source.job
    if source.request.version == SLOW_LOG.version("plain"):
        size_bytes = file.seek(0, 2)
        file.seek(0)
        return read_slow_log(file, size_bytes, job, workers=worker_count())
    return with_faults(digest_chunks(source.chunks(MAX_UNPACKED_BYTES), job), source)


SLOW_LOG = ArtifactFormat(
    "mysql-slowlog{packing}-v1",
    "mysql_slow_log",
    _fits_slow_log,
    _read_slow_log,
    SlowLog,
    max_document_bytes=None,
)
# In the order in which they are tried: of those that are alike, the one with clearer marks first.
FORMATS: tuple[ArtifactFormat, ...] = (
    *spx.TEXT_FORMATS,
    *digests.FORMATS,
    speedscope.FORMAT,
    cpuprofile.FORMAT,
    pyinstrument.FORMAT,
    xhprof.FORMAT,
    chrome_trace.FORMAT,
    pstats.FORMAT,
    callgrind.FORMAT,
    jfr.FORMAT,
    perf_script.FORMAT,
    pprof.FORMAT,
    collapsed.FORMAT,
    *postgres_log.FORMATS,
    *plans.FORMATS,
    spx.METADATA_FORMAT,
    *timings.FORMATS,
    SLOW_LOG,
)
# What people call the formats of each type; `{}` stands for their names.
_TITLES: Mapping[ArtifactType, str] = {
    "spx": "SPX 0.4 and 0.5 (.txt.gz, .txt.zst, .txt with .json)",
    "profile": "profiles: {}",
    "mysql_slow_log": "slow logs of MySQL 4.1 to 9, MariaDB and Percona",
    "postgresql_log": "logs of PostgreSQL with durations (text, CSV, JSON)",
    "pg_stat_statements": "pg_stat_statements and MySQL's events_statements_summary_by_digest "
    "(CSV, TSV, JSON)",
    "query_plan": "plans of PostgreSQL, MySQL and MariaDB (EXPLAIN and EXPLAIN ANALYZE in JSON)",
    "ttfb_timings": "timings (collector-v1, csv-v1, curl JSON lines, HAR, hey CSV)",
}


def format_titles() -> list[str]:
    return [
        title.format(", ".join(it.name for it in FORMATS if it.type == kind))
        for kind, title in _TITLES.items()
    ]


def recognise(head: FileHead) -> tuple[ArtifactFormat | None, Problem | None]:
    """Return the format of a file, and what is wrong with it."""
    if head.is_empty:
        return None, Problem("the file is empty")
    for each in FORMATS:
        if (each.is_packable or head.packing == "plain") and (found := each.fits(head)):
            return each, found if isinstance(found, Problem) else None
    if head.packing == "plain":
        return None, Problem("unsupported artifact format")
    if not head.content:
        return None, Problem(f"the {head.packing} data is damaged from its start")
    if any(it.fits(head) for it in timings.FORMATS):
        return None, Problem(f"timings inside {head.packing} data: unpack them first")
    return None, Problem(f"unsupported artifact format inside {head.packing} data")


def format_of(version: str | None) -> ArtifactFormat:
    [found] = [it for it in FORMATS if version in it.versions()]
    return found


def read_artifact(request: ReadRequest, file: BinaryIO, job: Job) -> Content | None:
    return format_of(request.version).read(ArtifactSource(file, request, job))
