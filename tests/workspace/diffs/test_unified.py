import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.workspace.diffs import unified_diff

TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\r\n", "e\x0cf\n"]), max_size=30
).map("".join)


@given(before=TEXTS, after=TEXTS, tail=st.sampled_from(["", "x"]))
def test_git_applies_the_diff(
    before: str, after: str, tail: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder: Path = tmp_path_factory.mktemp("diff")
    file = folder / "a.txt"
    file.write_bytes(f"{before}{tail}".encode())
    diff = unified_diff(f"{before}{tail}", after, "a.txt")
    if diff:
        command = ("git", "apply", "--whitespace=nowarn", "-")
        subprocess.run(command, input=f"{diff}\n".encode(), cwd=folder, check=True)
    assert (file.read_bytes() if file.exists() else b"") == after.encode()


def test_changes_are_shown_with_the_lines_around_them() -> None:
    before = "".join(f"{number}\n" for number in range(1, 30))
    after = before.replace("10\n", "ten\n").replace("15\n", "").replace("29\n", "29\n30")
    assert unified_diff(before, after, "a").splitlines() == [
        *("--- a/a", "+++ b/a", "@@ -7,12 +7,11 @@"),
        *(" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13", " 14", "-15", " 16", " 17", " 18"),
        *("@@ -27,3 +26,4 @@", " 27", " 28", " 29", "+30", "\\ No newline at end of file"),
    ]


def test_equal_texts_have_no_diff() -> None:
    assert unified_diff("a\n", "a\n", "a") == ""


def test_many_equal_lines_take_no_longer_than_others() -> None:
    lines = [f"{number % 150}\n" for number in range(100_000)]
    before, after = f"x\n{''.join(lines)}y\n", f"z\n{''.join(lines)}w\n"
    assert unified_diff(before, after, "a").startswith("--- a/a\n+++ b/a\n@@ -1,")


@pytest.mark.parametrize("ending", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\r"])
def test_only_a_line_feed_ends_a_line(ending: str) -> None:
    before = f"a{ending}b\nc\n"
    found = unified_diff(before, before.replace("c", "d"), "a.txt")
    assert found == f"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a{ending}b\n-c\n+d"
