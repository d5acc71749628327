"""Artefacts are recognised by their content."""

import gzip
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.performance.reading import Validation, validate
from benchpin.performance.reading._validation import with_pairs
from benchpin.system import zstd
from long_texts import Long, whole

TIMINGS = Path(__file__).parents[1] / "fixtures" / "performance" / "timings"
SPX_04 = b"[events]\n0 1 0 0 0\n1 1 12 12 392\n1 0 20 19 392\n0 0 30 29 392\n[functions]\nmain\nf\n"
SPX_05 = b"[events]\n|0|a0|a0\n1f|1|12|\n-1|8|7\n-r2|10|10\n[functions]\n:0:main\n/a.php:3:f\n"
METADATA = {
    "key": "spx-full-20261115_060901-vm-1-2",
    "exec_ts": 1794722941,
    "cli_command_line": "a.php",
    "http_request_uri": "n/a",
    "wall_time_ms": 5836,
    "enabled_metrics": ["wt", "zm"],
}
EVENT = b"# Query_time: 0.000123  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1\nselect 1;\n"
BANNER = (
    b"/usr/sbin/mariadbd, Version: 10.11.19-MariaDB (Debian 12). started with:\n"
    b"Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\n"
    b"Time                 Id Command    Argument\n"
)


def recognised(content: bytes, name: str = "") -> Validation:
    return validate(io.BytesIO(content), name)


@pytest.mark.parametrize(
    ("content", "version"),
    [
        (SPX_04, "spx-text-v1"),
        (gzip.compress(SPX_04, mtime=0), "spx-text-gz-v1"),
        (gzip.compress(SPX_04 * 10_000, mtime=0)[:900], "spx-text-gz-v1"),
        (gzip.compress(SPX_05, mtime=0), "spx-text-gz-v2"),
        (zstd.compress(SPX_05), "spx-text-zst-v2"),
        (zstd.compress(SPX_05 * 10_000)[:-9], "spx-text-zst-v2"),
        (SPX_05, "spx-text-v2"),
        (json.dumps(METADATA).encode(), "spx-json-v2"),
        (json.dumps({**METADATA, "custom_metadata_str": "x" * 99_999}).encode(), "spx-json-v2"),
    ],
)
def test_spx_is_recognised_by_content(content: bytes, version: str) -> None:
    assert recognised(content) == Validation("", True, "spx", version)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("collector_v1.json", "collector-v1"),
        ("csv_v1.csv", "csv-v1"),
        ("curl_json.ndjson", "curl-json"),
        ("hey_p50.csv", "hey-csv"),
        ("wordpress_two_pages.har", "har"),
    ],
)
def test_timings_are_recognised_by_content(name: str, version: str) -> None:
    content = (TIMINGS / name).read_bytes()
    found = recognised(content, "misleading.txt.gz")
    assert found == Validation("misleading.txt.gz", True, "ttfb_timings", version)


@pytest.mark.parametrize(
    "content",
    [
        EVENT,
        BANNER,
        BANNER + EVENT,
        b"# Time: 2026-11-15T06:46:03.6Z\n# User@Host: a[a] @ localhost []\n" + EVENT,
        b"# Time: 261115  6:46:03\r\n# User@Host: a[a] @  []\r\n",
        b"# User@Host: a[a] @ localhost []  Id: 3\n# Schema: x  Query_time: 1.0  Lock_time: 0\n",
        Long(b"('lorem ipsum'),\n", 600_000, b"insert into t values\n", b";\n" + EVENT),
        bytes(5000) + EVENT,
        b"x" * (64 * 1024 - 9) + b"\n" + EVENT,
    ],
    ids=["event", "banner", "both", "header", "crlf", "schema", "literal", "nul", "seam"],
)
def test_a_slow_log_is_recognised_even_when_its_first_event_is_far_down(
    content: bytes | Long[bytes],
) -> None:
    assert recognised(whole(content)) == Validation("", True, "mysql_slow_log", "mysql-slowlog-v1")


@pytest.mark.parametrize(
    ("content", "name", "kind", "error"),
    [
        (b"", "slow.log", None, "the file is empty"),
        (
            b"",
            "spx-full-20261115_064608-vm-3470-1.txt.gz",
            "spx",
            "the SPX text is empty: the process hung or was killed",
        ),
        (b"hello\n", "", None, "unsupported artifact format"),
        (b"{}", "", None, "unsupported artifact format"),
        (b"# Query_time is a field of slow logs\n", "", None, "unsupported artifact format"),
        (b"\x1f\x8bjunk", "", None, "the gzip data is damaged from its start"),
        (b"\x28\xb5\x2f\xfdjunk", "", None, "the zstd data is damaged from its start"),
        (
            gzip.compress(b"hello", mtime=0),
            "",
            None,
            "unsupported artifact format inside gzip data",
        ),
        (
            gzip.compress(b"url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb\n", mtime=0),
            "",
            None,
            "timings inside gzip data: unpack them first",
        ),
        (b"[events]\n[functions]\n", "", "spx", "no SPX event follows [events]"),
        (
            json.dumps(METADATA).encode()[:-30],
            "",
            "spx",
            "the SPX metadata lacks enabled_metrics",
        ),
    ],
)
def test_what_cannot_be_used_says_why(
    content: bytes, name: str, kind: str | None, error: str
) -> None:
    found = recognised(content, name)
    assert (found.ok, found.detected_type, found.errors) == (False, kind, (error,))


def test_metadata_that_was_cut_after_its_metrics_is_damaged() -> None:
    found = recognised(json.dumps(METADATA).encode()[:-1])
    assert (found.ok, found.detected_version) == (False, "spx-json-v2")
    assert found.errors[0].startswith("the SPX metadata is damaged: ")


def test_damage_further_down_does_not_hide_what_a_profile_is() -> None:
    lines = b"".join(b"%d 1 %d %d\n" % (it * 7919 % 1000, it * 31, it * it) for it in range(9000))
    packed = bytearray(gzip.compress(b"[events]\n" + lines, mtime=0))
    packed[5000:5050] = bytes(50)
    assert recognised(bytes(packed)) == Validation("", True, "spx", "spx-text-gz-v1")


def test_halves_of_a_report_know_of_each_other() -> None:
    metadata = recognised(json.dumps(METADATA).encode())
    text = recognised(gzip.compress(SPX_04, mtime=0))
    found = with_pairs(
        {
            "/a/one.json": metadata,
            "/a/one.txt.gz": text,
            "/a/two.json": metadata,
            "/b/two.txt.gz": text,
            "/a/slow.log": recognised(EVENT),
        }
    )
    assert {path: it.metadata for path, it in found.items()} == {
        "/a/one.json": {"pair_status": "paired"},
        "/a/one.txt.gz": {"pair_status": "paired"},
        "/a/two.json": {"pair_status": "missing_text"},
        "/b/two.txt.gz": {"pair_status": "missing_metadata"},
        "/a/slow.log": {},
    }


def test_a_half_that_lies_beside_counts_when_it_is_looked_for() -> None:
    found = {"/a/x.json": recognised(json.dumps(METADATA).encode())}
    paired = with_pairs(found, exists={"/a/x.txt.zst"}.__contains__)
    assert paired["/a/x.json"].metadata == {"pair_status": "paired"}


def test_a_bomb_is_unpacked_no_further_than_its_head() -> None:
    for pack in (gzip.compress, zstd.compress):
        assert recognised(pack(bytes(50 << 20))).errors[0].startswith("unsupported artifact format")


def test_only_the_beginning_of_a_large_file_is_read() -> None:
    class Endless(io.RawIOBase):
        served = 0

        def read(self, size: int = -1, /) -> bytes:
            self.served += size
            return b"x" * size

    endless = Endless()
    assert not validate(endless).ok  # type: ignore[arg-type]  # all that is asked of it is read()
    assert endless.served < 20 << 20


STARTS = [
    b"",
    b"{",
    b'{"log":',
    b'{"requests": [',
    b"[events]\n",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
]


@given(st.sampled_from(STARTS), st.binary(max_size=500))
def test_no_bytes_break_detection(start: bytes, content: bytes) -> None:
    recognised(start + content)
    recognised(gzip.compress(start + content, mtime=0))


def test_random_bytes_are_nothing() -> None:
    assert not recognised(os.urandom(100_000)).ok
