from pathlib import Path
from textwrap import dedent

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.toolsets.navigation._explored import ExploreReport
from benchpin.toolsets.navigation.explore import ExploreParams, explore

DELIVERIES = '''
    """Sends events to apps."""

    MAX_ATTEMPTS = 5


    def retry_delivery(delivery):
        """Try a failed delivery again, unless it was tried too often."""
        if delivery.attempts >= MAX_ATTEMPTS:
            return give_up(delivery)
        return send(delivery)


    def give_up(delivery):
        delivery.state = "failed"


    def send(delivery):
        # The app has ten seconds to answer.
        delivery.post(timeout=10)
'''
WORKER = """
    from deliveries import retry_delivery


    def work(queue):
        for delivery in queue:
            retry_delivery(delivery)
"""
TEST = """
    from deliveries import retry_delivery


    def test_a_failed_delivery_is_tried_again():
        retry_delivery(None)
"""


@pytest.fixture
def bench(workspace: Path) -> Workbench:
    files = {"deliveries.py": DELIVERIES, "worker.py": WORKER, "tests/test_retries.py": TEST}
    for path, text in files.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(dedent(text), encoding="utf-8")
    return Workbench.open(workspace)


def ask(bench: Workbench, question: str, **params: object) -> ExploreReport:
    return bench.run(explore, ExploreParams.model_validate({"question": question, **params}))


def test_a_question_is_answered_by_the_code_that_decides_it(bench: Workbench) -> None:
    found = ask(bench, "when is a failed delivery tried again")
    first = found.definitions[0]
    assert first.id == "deliveries.py::retry_delivery"
    assert "if delivery.attempts >= MAX_ATTEMPTS:" in first.code
    assert first.is_whole


def test_production_code_comes_before_tests_with_the_same_words(
    bench: Workbench, workspace: Path
) -> None:
    found = ask(bench, "failed delivery tried again")
    files = [it.file for it in found.definitions]
    assert files[0] == "deliveries.py"
    for name in ("other", "third"):  # more callers than are shown whole
        (workspace / f"{name}.py").write_text(dedent(WORKER), encoding="utf-8")
    found = ask(bench, "retry_delivery")
    callers = ["other.py", "third.py", "worker.py", "tests/test_retries.py"]
    assert [it.file for it in found.entered_by] == callers


FAR = '''
    def delivery_tried(delivery): return delivery.again


    def failed_delivery_page(page):
        """A failed delivery, tried again: a page about it."""
        return page.failed + page.delivery


    def again_failed(page): return page.tried
'''


# The same with one more word of the question, which is nearer.
NEARER = FAR.replace("return page.failed", "return page.too_often + page.failed")


def test_what_the_best_one_calls_and_who_calls_it_come_before_words_further_down(
    bench: Workbench, workspace: Path
) -> None:
    for at in range(6):
        (workspace / f"far_{at}.py").write_text(dedent(NEARER), encoding="utf-8")
    found = ask(bench, "unless a failed delivery was tried too often")
    ids = [it.id for it in found.definitions]
    assert ids[0] == "deliveries.py::retry_delivery"
    around = ["deliveries.py::give_up", "deliveries.py::send", "worker.py::work"]
    first = min(at for at, it in enumerate(ids) if it in around)
    assert ids[first : first + 3] == around
    assert first <= 3 < len(ids) - 3
    calls = {(it.caller, it.callee) for it in found.calls}
    assert ("worker.py::work", "deliveries.py::retry_delivery") in calls


def test_settings_are_those_of_what_is_close_to_the_best(bench: Workbench, workspace: Path) -> None:
    far = f"PAGE_SIZE = 3\n{dedent(NEARER)}".replace("page.failed", "PAGE_SIZE")
    for name in ("far", "far_1", "far_2", "far_3"):
        (workspace / f"{name}.py").write_text(far, encoding="utf-8")
    found = ask(bench, "unless a failed delivery was tried too often")
    assert "far.py::failed_delivery_page" in [it.id for it in found.definitions]
    assert [it.name for it in found.settings] == ["MAX_ATTEMPTS"]


def test_what_has_little_of_the_question_is_named_and_not_shown(
    bench: Workbench, workspace: Path
) -> None:
    (workspace / "far.py").write_text(dedent(FAR), encoding="utf-8")
    found = ask(bench, "retry a failed delivery unless it was tried too often")
    assert found.definitions[0].id == "deliveries.py::retry_delivery"
    assert "far.py::failed_delivery_page" not in [it.id for it in found.definitions]
    assert "far.py::failed_delivery_page" in found.not_shown[0]


def test_other_words_for_the_same_thing_count(bench: Workbench, workspace: Path) -> None:
    code = """
        def evict_stale(entries, limit):
            return [it for it in entries if it.age < limit]
    """
    (workspace / "cache.py").write_text(dedent(code), encoding="utf-8")
    found = ask(bench, "which old entries are deleted")
    assert found.definitions[0].id == "cache.py::evict_stale"


def test_a_phrase_finds_the_word_that_programs_have_for_it(
    bench: Workbench, workspace: Path
) -> None:
    code = """
        def login(person):
            return person.known
    """
    decoy = """
        def sign(parcel):
            return parcel.stamp
    """
    (workspace / "people.py").write_text(dedent(code), encoding="utf-8")
    (workspace / "parcels.py").write_text(dedent(decoy), encoding="utf-8")
    found = ask(bench, "how do I sign in")
    assert found.definitions[0].id == "people.py::login"
    assert "no definition has" not in found.to_text()


def test_a_word_that_a_phrase_stands_for_is_not_missed_where_nobody_has_it(
    bench: Workbench,
) -> None:
    assert "throttl" not in ask(bench, "delivery tried too often").to_text()


def test_what_is_far_from_the_best_has_a_few_lines_and_more_where_there_is_room(
    bench: Workbench, workspace: Path
) -> None:
    body = "\n".join(f"    page.step_{at}()" for at in range(30))
    for at in range(5):
        code = f"def page_{at}(page):\n{body}\n    if page.delivery.failed:\n        again(page)\n"
        (workspace / f"page_{at}.py").write_text(code, encoding="utf-8")
    question = "is a page of a failed delivery shown again"
    brief = ask(bench, question, budget=900)
    last = next(it for it in brief.definitions if it.file == "page_4.py")
    assert "def page_4(page):" in last.code
    assert "if page.delivery.failed:" in last.code
    assert len(last.code.splitlines()) <= 5
    roomy = ask(bench, question, budget=6_000)
    more = next(it for it in roomy.definitions if it.id == last.id)
    assert len(more.code) > len(last.code)


def test_code_is_shown_without_empty_lines_and_common_indentation(
    bench: Workbench, workspace: Path
) -> None:
    code = """
        class Courier:
            def lifts(self, crate):
                heavy = crate.weight > 30

                return not heavy
    """
    (workspace / "couriers.py").write_text(dedent(code), encoding="utf-8")
    shown = ask(bench, "lifts").definitions[0]
    assert shown.code.splitlines() == [
        "3 def lifts(self, crate):",
        "4     heavy = crate.weight > 30",
        "6     return not heavy",
    ]


def test_of_a_long_function_the_lines_that_say_the_question_together_are_shown(
    bench: Workbench, workspace: Path
) -> None:
    body = "".join(f"    delivery.step_{at}()\n    queue.note({at})\n" for at in range(60))
    deciding = "    if delivery.parcel_weight > courier.limit:\n        raise TooHeavy\n"
    long = f"def dispatch(queue, delivery, courier):\n{body}{deciding}{body}"
    (workspace / "long.py").write_text(long, encoding="utf-8")
    found = ask(bench, "when does a courier refuse a parcel for its weight")
    shown = next(it for it in found.definitions if it.id == "long.py::dispatch")
    assert not shown.is_whole
    assert "if delivery.parcel_weight > courier.limit:" in shown.code


def test_a_name_in_a_question_does_not_hide_what_the_question_is_about(
    bench: Workbench, workspace: Path
) -> None:
    code = """
        class ParcelBox:
            '''A box.'''


        def close_parcel_box(parcel):
            if parcel.weight:
                parcel.remove()
    """
    (workspace / "boxes.py").write_text(dedent(code), encoding="utf-8")
    found = ask(bench, "when is a `ParcelBox` removed for the weight of its parcel")
    assert "boxes.py::close_parcel_box" in [it.id for it in found.definitions]


def test_calls_among_the_definitions_and_the_settings_are_shown(bench: Workbench) -> None:
    found = ask(bench, "retry_delivery give_up send")
    assert ("deliveries.py::retry_delivery", "deliveries.py::give_up") in {
        (it.caller, it.callee) for it in found.calls
    }
    assert found.settings[0].name == "MAX_ATTEMPTS"
    assert found.settings[0].file == "deliveries.py"


def test_a_name_is_a_question_too(bench: Workbench) -> None:
    assert ask(bench, "give_up").definitions[0].id == "deliveries.py::give_up"


def test_a_comment_answers_where_no_name_does(bench: Workbench) -> None:
    assert ask(bench, "how many seconds to answer").definitions[0].id == "deliveries.py::send"


def test_the_answer_keeps_to_its_budget_and_names_what_is_left_out(
    bench: Workbench, workspace: Path
) -> None:
    lines = [f"    delivery.step_{at} = 'again and again {at}'" for at in range(400)]
    text = "\n".join(["def deliver_slowly(delivery):", *lines])
    (workspace / "slow.py").write_text(text, encoding="utf-8")
    found = ask(bench, "deliver slowly again", budget=300)
    assert len(found.to_text()) < 300 * 6
    [first, *_] = found.definitions
    assert (first.id, first.is_whole) == ("slow.py::deliver_slowly", False)
    assert "a larger budget shows more" in found.to_text()


def test_an_edit_changes_the_answer(bench: Workbench, workspace: Path) -> None:
    ask(bench, "failed delivery")
    (workspace / "worker.py").write_text(
        "def lease_expires(lease):\n    return lease.age > 60\n", encoding="utf-8"
    )
    (workspace / "new.py").write_text("def renew_lease(lease): ...\n", encoding="utf-8")
    assert {it.id for it in ask(bench, "what is done to a lease").definitions} == {
        "worker.py::lease_expires",
        "new.py::renew_lease",
    }
    (workspace / "worker.py").unlink()
    assert [it.id for it in ask(bench, "lease").definitions] == ["new.py::renew_lease"]


def test_words_that_nothing_has_are_named(bench: Workbench) -> None:
    assert "no definition has: xylophon" in ask(bench, "delivery xylophone").to_text()


def test_a_question_without_any_known_word_names_what_was_searched(bench: Workbench) -> None:
    with pytest.raises(InvalidParams) as caught:
        ask(bench, "retrydelivery xylophone")
    assert caught.value.message.startswith("Nothing in ")
    assert "retry_delivery" in caught.value.suggestion


def test_an_empty_question_is_refused_with_an_example(bench: Workbench) -> None:
    with pytest.raises(InvalidParams) as caught:
        ask(bench, "  ")
    assert "where is a failed delivery" in caught.value.suggestion


def test_an_empty_workspace_is_no_fault(workspace: Path) -> None:
    with pytest.raises(InvalidParams):
        ask(Workbench.open(workspace), "anything at all")


def test_a_function_inside_another_shows_the_outer_one(bench: Workbench, workspace: Path) -> None:
    inner = "    def by_weight(item):\n        return item.weight\n"
    text = f"def order(items):\n{inner}    return sorted(items, key=by_weight)\n"
    (workspace / "orders.py").write_text(text, encoding="utf-8")
    assert ask(bench, "by weight").definitions[0].id == "orders.py::order"


def test_the_kind_of_code_narrows_the_answer(bench: Workbench) -> None:
    def files(scope: str) -> set[str]:
        params = ExploreParams.model_validate({"question": "delivery tried again", "scope": scope})
        return {it.file for it in bench.run(explore, params).definitions}

    assert files("tests") == {"tests/test_retries.py"}
    assert "tests/test_retries.py" not in files("production")
