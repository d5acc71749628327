import threading
from pathlib import Path

import pytest

from benchpin.core.calls import Job, WorkspaceSession, give_back_free_memory, resident_bytes
from benchpin.core.errors import Cancelled
from waiting import WAIT_S


@pytest.fixture
def session(tmp_path: Path) -> WorkspaceSession:
    return WorkspaceSession(tmp_path, tmp_path)


def test_a_result_is_computed_once_for_the_same_content(session: WorkspaceSession) -> None:
    made = iter("ab")
    first = session.remember(Job(), "sum", "key", lambda: next(made))
    assert session.remember(Job(), "sum", "key", lambda: next(made)) == first == "a"
    assert session.remember(Job(), "sum", "other", lambda: next(made)) == "b"


def test_what_was_cut_short_is_not_remembered(session: WorkspaceSession) -> None:
    job = Job()

    def cut_short() -> str:
        job.leave_out("half of it")
        return "half"

    assert session.remember(job, "sum", "key", cut_short) == "half"
    assert session.remember(Job(), "sum", "key", lambda: "whole") == "whole"


def test_none_is_remembered_like_any_result(session: WorkspaceSession) -> None:
    session.remember(Job(), "sum", "key", lambda: None)
    assert session.remember(Job(), "sum", "key", lambda: "again") is None


def test_a_result_that_is_no_longer_current_is_computed_again(session: WorkspaceSession) -> None:
    session.remember(Job(), "sum", "key", lambda: "old")
    found = session.remember(
        Job(), "sum", "key", lambda: "new", is_current=lambda value: value == "new"
    )
    assert found == "new"


def test_a_fresh_call_ignores_what_is_remembered_and_replaces_it(session: WorkspaceSession) -> None:
    session.remember(Job(), "sum", "key", lambda: "old")
    session.remember(Job(), "sum", "key", lambda: "new", is_fresh=True)
    assert session.remember(Job(), "sum", "key", lambda: "newest") == "new"


def test_the_least_recently_used_result_makes_room(session: WorkspaceSession) -> None:
    for key in ("a", "b", "a", "c"):
        session.remember(Job(), "sum", key, key.upper, room=2)
    assert session.remember(Job(), "sum", "a", lambda: "again", room=2) == "A"
    assert session.remember(Job(), "sum", "b", lambda: "again", room=2) == "again"


def test_calls_at_the_same_time_compute_once(session: WorkspaceSession) -> None:
    started, go_on, made = threading.Event(), threading.Event(), []

    def slow() -> str:
        started.set()
        go_on.wait(WAIT_S)
        made.append(1)
        return "done"

    threads = [
        threading.Thread(target=lambda: session.remember(Job(), "sum", "key", slow))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    started.wait(WAIT_S)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert made == [1]


def test_a_cancelled_call_stops_waiting_for_another(session: WorkspaceSession) -> None:
    waiting = Job()
    waiting.cancel()

    def compute() -> None:
        with pytest.raises(Cancelled):
            session.remember(waiting, "sum", "key", lambda: None)

    session.remember(Job(), "sum", "key", lambda: _in_thread(compute))


def _in_thread(work: object) -> None:
    assert callable(work)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_a_service_is_opened_once_and_closed_with_the_session(session: WorkspaceSession) -> None:
    closed = []

    class Store:
        def close(self) -> None:
            closed.append(self)

    store = session.service("store", Store)
    assert session.service("store", Store) is store
    session.service("plain", object)
    session.close()
    assert closed == [store]
    assert session.service("store", Store) is not store


def test_the_older_half_is_dropped_when_the_process_holds_too_much_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = 0
    monkeypatch.setattr("benchpin.core.calls._workspace_session.resident_bytes", lambda: held)
    monkeypatch.setattr("benchpin.core.calls._workspace_session._LOOK_S", 0.0)
    session = WorkspaceSession(tmp_path, tmp_path)
    made: list[int] = []

    def value(number: int) -> int:
        def make() -> int:
            made.append(number)
            return number

        return session.remember(Job(), "measure", number, make)

    for number in range(7):
        value(number)
    held = 513 * 2**20
    value(7)
    held = 0
    for number in (4, 5, 6, 7):
        value(number)
    assert made == list(range(8))
    value(3)
    assert made == [*range(8), 3]


def test_memory_is_measured_and_given_back() -> None:
    give_back_free_memory()
    assert resident_bytes() >= 0
