"""A command is measured before and after a change, in the sandbox that this machine has."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.performance.measuring import MeasuringFailed
from benchpin.run.sandbox import detect_sandbox
from repositories import Tree

pytestmark = pytest.mark.slow
LOOP = "i=0; while [ $i -lt {count} ]; do i=$((i+1)); done; echo done\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    return Tree(workspace)


def changed(tree: Tree, before: str, after: str) -> None:
    tree.commit({"run.sh": before.encode()})
    tree.write({"run.sh": after.encode()})


def measure(tree: Tree, *command: str, **more: object) -> Any:
    is_confined = detect_sandbox(tree.root).confines
    bench = Workbench.open(tree.root, allow=["execute"], unconfined=not is_confined)
    return bench.call("measure_change", argv=command or ("sh", "run.sh"), profile=False, **more)


def test_a_slower_command_is_found_and_nothing_is_left(tree: Tree) -> None:
    before, after = LOOP.format(count=8_000), LOOP.format(count=24_000)
    changed(tree, before, after)
    found = measure(tree)
    assert found.time.verdict == "slower"
    assert found.time.low > 0
    assert (found.output, found.left_running, found.compared) == ("same", 0, "uncommitted changes")
    assert "SLOWER by" in found.to_text()
    assert (tree.root / "run.sh").read_text() == after
    assert not list(tree.root.rglob("copy-*"))


def test_two_revisions_are_compared_and_what_they_write(tree: Tree) -> None:
    changed(tree, "echo one\n", "echo two\n")
    tree.commit({"run.sh": b"echo two\n"})
    found = measure(tree, diff="HEAD~1..HEAD", budget=20)
    assert found.output == "different"
    assert found.differing_lines == ["one", "two"]
    assert "THE OUTPUT DIFFERS" in found.to_text()


def test_times_and_addresses_do_not_make_outputs_differ(tree: Tree) -> None:
    changed(tree, "echo took 0.12 s at 0x7ffe01\n", "echo took 3.4 s at 0x7fdd99\n")
    assert measure(tree, budget=10).output == "same"


def test_an_output_that_differs_from_run_to_run_is_reported_as_that(tree: Tree) -> None:
    changed(tree, "cat /proc/sys/kernel/random/uuid\n", "cat /proc/sys/kernel/random/uuid # x\n")
    assert measure(tree, budget=10).output == "not_deterministic"


def test_a_process_that_is_left_running_is_ended_and_reported(tree: Tree) -> None:
    script = "sleep 98765 >/dev/null 2>&1 &\necho started\n"
    changed(tree, script, f"{script}# changed\n")
    found = measure(tree, budget=10)
    assert found.left_running == 1
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)  # noqa: S607 - of the system
    assert "sleep 98765" not in listed.stdout


@pytest.mark.parametrize(
    ("before", "after", "side", "why"),
    [
        ("echo fine\n", "echo broken >&2; exit 3\n", "after", "failed"),
        ("exit 3\n", "echo fine\n", "before", "failed"),
        ("echo fine\n", "exec yes\n", "after", "flood"),
        ("echo fine\n", "exec sleep 98765\n", "after", "hung"),
    ],
)
def test_a_command_that_cannot_be_compared_is_refused(
    tree: Tree, before: str, after: str, side: str, why: str
) -> None:
    changed(tree, before, after)
    with pytest.raises(MeasuringFailed) as caught:
        measure(tree, budget=8)
    assert caught.value.data == {"side": side, "why": why}
    assert caught.value.suggestion


def test_a_program_that_is_not_there_is_named(tree: Tree) -> None:
    changed(tree, "echo a\n", "echo b\n")
    with pytest.raises(MeasuringFailed, match="no-such-program was not found"):
        measure(tree, "no-such-program")


def test_without_a_change_there_is_nothing_to_measure(tree: Tree) -> None:
    tree.commit({"run.sh": b"echo a\n"})
    with pytest.raises(InvalidParams, match="Nothing differs"):
        measure(tree)


def test_a_command_that_takes_too_long_says_so(tree: Tree) -> None:
    changed(tree, "exec sleep 98765\n", "exec sleep 98766\n")
    with pytest.raises(BenchpinError, match="The time was up"):
        measure(tree, budget=5)
