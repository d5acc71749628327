import pytest
from pydantic import ValidationError

from benchpin.core.calls import Limits


def test_the_limits_are_those_of_the_design() -> None:
    assert Limits().model_dump() == {
        "request_bytes": 1024 * 1024,
        "response_bytes": 10 * 1024 * 1024,
        "text_chars": 40_000,
        "in_flight": 128,
        "burst": 1000,
        "per_second": 100.0,
        "queue_s": 60.0,
        "shutdown_s": 30.0,
        "connections": 100,
        "head_s": 10.0,
        "body_s": 30.0,
        "drain_s": 60.0,
        "unsent_bytes": 8 * 1024 * 1024,
        "unsent_total_bytes": 32 * 1024 * 1024,
    }


@pytest.mark.parametrize("name", [*Limits.model_fields])
def test_a_limit_below_zero_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Limits.model_validate({name: -1})


@pytest.mark.parametrize("name", [*Limits.model_fields])
def test_a_limit_that_is_no_number_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Limits.model_validate({name: float("nan")})


def test_an_unknown_limit_is_refused() -> None:
    with pytest.raises(ValidationError):
        Limits.model_validate({"bursts": 5})
