import itertools

import pytest

from benchpin.server import State
from benchpin.server._peer import TRANSITIONS, Event, InvalidTransition, Lifecycle

EXPECTED = {
    (State.UNINITIALIZED, Event.INITIALIZE): State.INITIALIZING,
    (State.INITIALIZING, Event.REFUSED): State.UNINITIALIZED,
    (State.INITIALIZING, Event.INITIALIZED): State.READY,
    (State.UNINITIALIZED, Event.SHUTDOWN): State.SHUTTING,
    (State.INITIALIZING, Event.SHUTDOWN): State.SHUTTING,
    (State.READY, Event.SHUTDOWN): State.SHUTTING,
    (State.SHUTTING, Event.CLOSE): State.CLOSED,
}


@pytest.mark.parametrize(("state", "event"), list(itertools.product(State, Event)))
def test_every_step_leads_where_the_table_says_or_is_refused(state: State, event: Event) -> None:
    lifecycle = Lifecycle()
    lifecycle.state = state
    following = EXPECTED.get((state, event))
    if following is None:
        with pytest.raises(InvalidTransition):
            lifecycle.advance(event)
        assert lifecycle.state is state
    else:
        lifecycle.advance(event)
        assert lifecycle.state is following


def test_the_table_has_no_other_steps() -> None:
    assert TRANSITIONS == EXPECTED
