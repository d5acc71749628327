from benchpin.engines.source.orders import share_out
from benchpin.engines.source.walk import SourceFile
from benchpin.engines.source.worker import Order

EMPTY = Order(b"/root", b"/cache", (), ("outline",), "offline")


def shared(*sizes: int) -> list[Order]:
    files = {SourceFile(f"{at:05}.py", size, 0, 0): "python" for at, size in enumerate(sizes)}
    return list(share_out(files, EMPTY, 2))


def test_every_file_is_in_one_order_that_is_like_the_given_one() -> None:
    orders = shared(*range(1000))
    given = [path for order in orders for path, _ in order.files]
    assert sorted(given) == [f"{at:05}.py" for at in range(1000)]
    assert {(it.root, it.cache_folder, it.sections, it.strategy) for it in orders} == {
        (EMPTY.root, EMPTY.cache_folder, EMPTY.sections, EMPTY.strategy)
    }


def test_there_is_enough_for_every_worker_and_files_without_content_go_together() -> None:
    assert len(shared(*[2_000] * 100)) == 8
    assert [len(order.files) for order in shared(*[0] * 450)] == [200, 50, 200]
    assert shared() == []


def test_big_files_and_small_ones_come_by_turns() -> None:
    orders = shared(*range(400_000, 0, -1_000))
    assert [len(order.files) == 1 for order in orders[:6]] == [True, False] * 3
    assert orders[0].files[0][0] == "00000.py"
    assert orders[-1].files[0][0] > "00100.py"
