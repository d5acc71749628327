"""To which addresses requests are sent."""

import socket

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied
from benchpin.performance.collector import _exchange as addresses
from benchpin.performance.collector._exchange import (
    AddressRefused,
    HostResolver,
    OpenSockets,
    refusal_of,
)
from benchpin.performance.collector._probe import probe
from probe_plans import planned


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", None),
        ("127.9.9.9", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("93.184.216.34", None),
        ("2606:2800:220:1::1", None),
        ("169.254.169.254", "link-local"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("::ffff:169.254.169.254", "link-local"),
        ("::169.254.169.254", "link-local"),
        ("64:ff9b::a9fe:a9fe", "link-local"),
        ("2002:a9fe:a9fe::1", "link-local"),
        ("fd00:ec2::254", "link-local"),
        ("0.0.0.0", "not the address of a host"),  # noqa: S104 - refused
        ("::", "not the address of a host"),
        ("224.0.0.1", "not the address of a host"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("fd12::1", "private"),
        ("fec0::1", "private"),
        ("::ffff:10.0.0.1", "private"),
    ],
)
def test_link_local_and_private_addresses_are_refused(address: str, expected: str | None) -> None:
    assert refusal_of(address, allows_private=False) == expected
    allowed = None if expected == "private" else expected
    assert refusal_of(address, allows_private=True) == allowed


def resolve_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Have each lookup of a name return the next answer, the last one from then on."""
    left = list(answers)

    def look_up(_host: str, port: int, _flags: int) -> list[addresses.Address]:
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, (it, port)) for it in found]

    monkeypatch.setattr(addresses, "_addresses", look_up)


def test_a_name_is_judged_by_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = HostResolver(OpenSockets(), allows_private=False)
    resolve_to(monkeypatch, ["169.254.169.254"])
    with pytest.raises(AddressRefused, match=r"169\.254\.169\.254 is link-local"):
        resolver.look_up("innocent.example", 80, 5)
    resolve_to(monkeypatch, ["10.0.0.1", "93.184.216.34"])
    assert resolver.look_up("mixed.example", 80, 5) == [(socket.AF_INET, ("93.184.216.34", 80))]


def test_a_refused_host_is_an_error_that_names_the_setting() -> None:
    with pytest.raises(AccessDenied) as caught:
        probe(planned("http://192.168.0.1:8080", ["/"]), Job())
    assert "192.168.0.1 is private" in caught.value.message
    assert "allow_private_addresses" in caught.value.suggestion


def test_a_name_that_changes_its_address_is_checked_at_every_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolve_to(monkeypatch, ["127.0.0.1"], ["169.254.169.254"])
    [sample] = probe(planned("http://rebinding.example:9", ["/"], sample_count=1), Job())
    assert sample.error is not None
    assert sample.error.code == "address_refused"
