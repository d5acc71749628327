import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.errors import InvalidParams
from benchpin.workspace.diffs import FilePatch, apply_patch, is_applied, read_patch, unified_diff
from long_texts import Long, whole

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=30).map("".join)


@given(before=TEXTS, after=TEXTS, tail=st.sampled_from(["", "x"]), end=st.sampled_from(["", "x"]))
def test_a_diff_of_ours_is_applied(before: str, after: str, tail: str, end: str) -> None:
    before, after = f"{before}{tail}", f"{after}{end}"
    diff = unified_diff(before, after, "a.txt")
    if diff:
        (part,) = read_patch(diff)
        assert apply_patch(before.encode(), part) == (after.encode() if part.new_path else None)


def test_a_file_is_made_deleted_and_renamed() -> None:
    made, gone, renamed = read_patch(
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n"
        "@@ -0,0 +1,2 @@\n+a\n+b\n"
        "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-a\n"
        "diff --git a/x.py b/y.py\nsimilarity index 100%\nrename from x.py\nrename to y.py\n"
    )
    assert apply_patch(None, made) == b"a\nb\n"
    assert apply_patch(b"a\n", gone) is None
    assert (renamed.old_path, renamed.new_path) == ("x.py", "y.py")
    assert apply_patch(b"same\n", renamed) == b"same\n"


def test_a_rename_with_edits_is_one_part() -> None:
    (part,) = read_patch(
        "diff --git a/x.py b/y.py\nrename from x.py\nrename to y.py\n"
        "--- a/x.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n"
    )
    assert (part.old_path, part.new_path) == ("x.py", "y.py")
    assert apply_patch(b"a\n", part) == b"b\n"


def test_lines_that_moved_are_found_and_line_ends_stay() -> None:
    (part,) = read_patch("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    assert apply_patch(b"0\r\n1\r\na\r\nb\r\n", part) == b"0\r\n1\r\na\r\nc\r\n"


def test_names_in_quotes_are_read() -> None:
    text = '--- "a/\\303\\274 x.py"\n+++ "b/\\303\\274 x.py"\n@@ -1 +1 @@\n-a\n+b\n'
    assert read_patch(text)[0].new_path == "ü x.py"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "changes no file"),
        ("hello\nworld\n", "changes no file"),
        ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "cut short"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n?b\n", "begins with '\\?'"),
        (Long("x", 5_000_001), "more than 5,000,000"),
    ],
)
def test_what_is_no_patch_is_refused_with_a_way_out(text: str | Long[str], message: str) -> None:
    with pytest.raises(InvalidParams, match=message) as caught:
        read_patch(whole(text))
    assert caught.value.suggestion


def test_a_hunk_that_does_not_fit_is_named_with_its_file() -> None:
    (part,) = read_patch("--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n")
    with pytest.raises(InvalidParams, match="Hunk 1 of the patch does not fit 'x' near line 5"):
        apply_patch(b"c\n", part)
    with pytest.raises(InvalidParams, match="which cannot be read"):
        apply_patch(None, part)


@pytest.mark.parametrize(
    ("patch", "now", "expected"),
    [
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", b"b\n", True),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", b"c\n", False),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", None, False),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n k\n-a\n l\n", b"k\nl\n", True),
        ("--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n", b"c\n", False),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", None, True),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", b"c\n", False),
        ("diff --git a/x b/y\nrename from x\nrename to y\n", b"a\n", True),
    ],
)
def test_a_patch_that_fits_in_reverse_is_applied(
    patch: str, now: bytes | None, *, expected: bool
) -> None:
    (part,) = read_patch(patch)
    assert is_applied(now, part) is expected


@given(st.text(alphabet='-+@ \\"ab/\n,019', max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parts = read_patch("--- a/x\n+++ b/x\n" + text)
    except InvalidParams:
        return
    assert all(isinstance(it, FilePatch) for it in parts)


@pytest.mark.parametrize("name", ['"a/x\\"', '"a/\\x"', '"a/\\N{z}"'])
def test_a_quoted_name_that_cannot_be_read_is_refused(name: str) -> None:
    with pytest.raises(InvalidParams, match="a name that cannot be read"):
        read_patch(f"--- {name}\n+++ {name}\n@@ -1 +1 @@\n-a\n+b\n")


def test_many_hunks_on_a_long_file_are_applied_in_their_order() -> None:
    hunks = "".join(f"@@ -{line},1 +{line},1 @@\n-x\n+y\n" for line in range(1, 20_001))
    (part,) = read_patch(f"--- a/x\n+++ b/x\n{hunks}")
    after = apply_patch(b"x\n" * 500_000, part)
    assert after == b"y\n" * 20_000 + b"x\n" * 480_000
