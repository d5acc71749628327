import json

import pytest

from benchpin.engines.profiles.model import Fault
from benchpin.engines.profiles.spx import Metadata, read_metadata
from spx_kit import metadata_of, read_named

SEARCH = "spx-full-20261115_060740-vm-3470-1025202362"
MIX_04 = "spx-full-20261115_060901-vm-5392-1804289383"
MIX_05 = "spx-full-20261115_060902-vm-5395-1804289383"


def test_a_request_over_http_is_told() -> None:
    told = read_metadata(metadata_of(SEARCH))
    assert isinstance(told, Metadata)
    assert told.metrics == ("wt", "zm")
    request = told.request
    assert (request.method, request.uri, request.host) == ("GET", "/?s", "127.0.0.1:8099")
    assert request.command is None
    assert request.started_at_us == 1_794_722_860_000_000
    assert request.wall_time_ns == 44_380_000
    assert request.recorded_calls == 202


def test_a_command_is_told() -> None:
    told = read_metadata(metadata_of(MIX_04))
    assert isinstance(told, Metadata)
    assert (told.request.command, told.request.uri) == ("php/mix.php", None)


def test_what_0_4_calls_the_peak_of_memory_is_not_passed_on() -> None:
    old, new = read_named(MIX_04).request, read_named(MIX_05).request
    assert old is not None
    assert new is not None
    assert (old.peak_memory_bytes, new.peak_memory_bytes) == (None, 662_568)


def test_values_are_dropped_from_uri_and_command() -> None:
    written = {"http_request_uri": "/?s=lorem&page=2", "cli_command_line": "x.php --pass=hunter2"}
    told = read_metadata(json.dumps(written).encode())
    assert isinstance(told, Metadata)
    assert (told.request.uri, told.request.command) == ("/?s&page", "x.php --pass")


@pytest.mark.parametrize("written", [b"", b"[]", b"{", b'{"exec_ts": "yesterday"}', b"\xff"])
def test_what_is_not_spx_s_json_is_a_fault(written: bytes) -> None:
    assert isinstance(read_metadata(written), Fault)


def test_fields_may_be_missing_and_names_of_metrics_are_plain() -> None:
    told = read_metadata(json.dumps({"enabled_metrics": ["wt", "<b>\n"]}).encode())
    assert isinstance(told, Metadata)
    assert told.metrics == ("wt", "metric_2")
    assert told.request.started_at_us is None
