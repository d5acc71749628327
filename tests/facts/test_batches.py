from benchpin.facts.workers import FileBatch, make_batches
from benchpin.workspace.walking import SourceFile

EMPTY = FileBatch(b"/root", b"/cache", (), ("outline",), "offline")


def shared(*sizes: int) -> list[FileBatch]:
    files = {SourceFile(f"{at:05}.py", size, 0, 0): "python" for at, size in enumerate(sizes)}
    return list(make_batches(files, EMPTY, 2))


def test_every_file_is_in_one_order_that_is_like_the_given_one() -> None:
    batches = shared(*range(1000))
    given = [path for batch in batches for path, _ in batch.files]
    assert sorted(given) == [f"{at:05}.py" for at in range(1000)]
    assert {(it.root, it.cache_folder, it.sections, it.strategy) for it in batches} == {
        (EMPTY.root, EMPTY.cache_folder, EMPTY.sections, EMPTY.strategy)
    }


def test_there_is_enough_for_every_worker_and_files_without_content_go_together() -> None:
    assert len(shared(*[2_000] * 100)) == 8
    assert [len(batch.files) for batch in shared(*[0] * 450)] == [200, 50, 200]
    assert shared() == []


def test_big_files_and_small_ones_come_by_turns() -> None:
    batches = shared(*range(400_000, 0, -1_000))
    assert [len(batch.files) == 1 for batch in batches[:6]] == [True, False] * 3
    assert batches[0].files[0][0] == "00000.py"
    assert batches[-1].files[0][0] > "00100.py"
