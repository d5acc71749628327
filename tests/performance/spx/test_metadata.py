import json

import pytest

from benchpin.performance.formats._spx import SpxMetadata, read_metadata
from benchpin.performance.reading import FaultLog
from spx_kit import metadata_of, read_named

SEARCH = "spx-full-20261115_060740-vm-3470-1025202362"
MIX_04 = "spx-full-20261115_060901-vm-5392-1804289383"
MIX_05 = "spx-full-20261115_060902-vm-5395-1804289383"


def read(text: bytes) -> SpxMetadata:
    metadata = read_metadata(text, FaultLog(limit=0))
    assert metadata is not None
    return metadata


def test_the_metadata_has_a_request_over_http() -> None:
    metadata = read(metadata_of(SEARCH))
    assert metadata.metrics == ("wt", "zm")
    request = metadata.request
    assert (request.method, request.uri, request.host) == ("GET", "/?s", "127.0.0.1:8099")
    assert request.command is None
    assert request.started_at_us == 1_794_722_860_000_000
    assert request.wall_time_ns == 44_380_000
    assert request.recorded_calls == 202


def test_the_metadata_has_a_command() -> None:
    metadata = read(metadata_of(MIX_04))
    assert (metadata.request.command, metadata.request.uri) == ("php/mix.php", None)


def test_what_0_4_calls_the_peak_of_memory_is_not_passed_on() -> None:
    old, new = read_named(MIX_04).request, read_named(MIX_05).request
    assert old is not None
    assert new is not None
    assert (old.peak_memory_bytes, new.peak_memory_bytes) == (None, 662_568)


def test_values_are_dropped_from_uri_and_command() -> None:
    written = {"http_request_uri": "/?s=lorem&page=2", "cli_command_line": "x.php --pass=hunter2"}
    metadata = read(json.dumps(written).encode())
    assert (metadata.request.uri, metadata.request.command) == ("/?s&page", "x.php --pass")


@pytest.mark.parametrize("written", [b"", b"[]", b"{", b'{"exec_ts": "yesterday"}', b"\xff"])
def test_what_is_not_spx_s_json_is_a_fault(written: bytes) -> None:
    faults = FaultLog(limit=1)
    assert read_metadata(written, faults) is None
    assert len(faults) == 1


def test_fields_may_be_missing_and_names_of_metrics_are_plain() -> None:
    metadata = read(json.dumps({"enabled_metrics": ["wt", "<b>\n"]}).encode())
    assert metadata.metrics == ("wt", "metric_2")
    assert metadata.request.started_at_us is None
