import gc
from collections.abc import Iterator

import pytest

from benchpin.system.processes import gc_off


@pytest.fixture
def frozen() -> Iterator[int]:
    gc.freeze()
    yield gc.get_freeze_count()
    gc.unfreeze()


def test_the_collector_is_off_inside_and_on_again_afterwards() -> None:
    @gc_off()
    def fail() -> None:
        assert not gc.isenabled()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with gc_off():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_much_counts_as_old_in_a_server_too(frozen: int) -> None:
    with gc_off():
        made = [[number] for number in range(50_000)]
    assert frozen
    assert is_old(made)


def test_much_counts_as_old_and_little_does_not() -> None:
    gc.collect()
    with gc_off():
        little = [[number] for number in range(1_000)]
    assert not is_old(little)
    with gc_off():
        much = [[number] for number in range(50_000)]
    assert is_old(much)


def is_old(thing: object) -> bool:
    return any(it is thing for it in gc.get_objects(generation=2))
