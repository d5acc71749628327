"""What git itself says is ignored is what the walk leaves out."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.workspace.walking import WalkOptions, walk
from repositories import Tree

ALL = WalkOptions(include_vendored=True)


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)


def walked(root: Path) -> frozenset[str]:
    return frozenset(file.path for file in walk(root, "", ALL, Job()).files)


def assert_as_git(tree: Tree, environment: Mapping[str, str] | None = None) -> frozenset[str]:
    found = walked(tree.root)
    assert found == tree.unignored(environment)
    return found


def make(root: Path, rules: bytes, *names: str) -> Tree:
    tree = Tree(root)
    tree.write(dict.fromkeys(names, b"") | {".gitignore": rules})
    return tree


@pytest.mark.parametrize(
    ("rules", "kept", "ignored"),
    [
        (b"a.py", (), ("a.py", "x/a.py", "x/y/a.py")),
        (b"/a.py", ("x/a.py",), ("a.py",)),
        (b"x/a.py", ("a.py", "y/x/a.py"), ("x/a.py",)),
        (b"x/", ("y/z",), ("x/a.py", "y/x/a.py")),
        (b"x/\n!x/a.py", (), ("x/a.py",)),
        (b"x/*\n!x/a.py", ("x/a.py",), ("x/b.py",)),
        (b"*.py\n!a.py", ("a.py", "x/a.py"), ("b.py", "x/b.py")),
        (b"*.py\n!a.py\na.py", (), ("a.py",)),
        (b"**/a.py", (), ("a.py", "x/a.py", "x/y/a.py")),
        (b"x/**", ("a.py",), ("x/a.py", "x/y/a.py")),
        (b"x/**/a.py", ("a.py", "x/b.py"), ("x/a.py", "x/y/a.py", "x/y/z/a.py")),
        (b"x**y", ("x/y",), ("xzy", "z/xy")),
        (b"a?.py", ("a.py", "abc.py"), ("ab.py",)),
        (b"a[bc].py", ("ad.py",), ("ab.py", "ac.py")),
        (b"a[!bc].py", ("ab.py",), ("ad.py",)),
        (b"a[^bc].py", ("ab.py",), ("ad.py",)),
        (b"a[a-c].py", ("ad.py",), ("ab.py",)),
        (b"a[]-].py", ("ab.py",), ("a].py", "a-.py")),
        (b"a[[:digit:]].py", ("ab.py",), ("a1.py",)),
        (b"a[[:nothing:]].py", ("a1.py", "an.py"), ()),
        (b"a[b", ("ab", "a[b"), ()),
        (b"a\\*.py", ("ab.py",), ("a*.py",)),
        (b"a\\", ("a", "a\\"), ()),
        (b"\\#a\n\\!b", (), ("#a", "!b")),
        (b"#a\n!b", ("#a", "b", "!b"), ()),
        (b"a ", (), ("a",)),
        (b"a\\ ", ("a",), ("a ",)),
        (b"a\\  ", ("a",), ("a ",)),
        (b" a", ("a",), (" a",)),
        (b"a\t", ("a",), ("a\t",)),
        (b"a.py\r\nx/\r\n", ("b.py",), ("a.py", "x/b")),
        (b"\xef\xbb\xbfa.py\n", ("b.py",), ("a.py",)),
        ("é?.py\n".encode(), ("é.py", "éab.py"), ("éa.py",)),
        (b"??.py\n", ("a.py",), ("é.py", "ab.py")),
        (b"*\n!*/\n!*.py\n", ("a.py", "x/a.py"), ("a.txt", "x/b.txt")),
        (b"a.py/", ("a.py",), ()),
        (b"/*\n!/x\n", ("x/a.py",), ("a.py",)),
        (b"//a.py", ("a.py",), ()),
        (b"/", ("a.py",), ()),
        (b"\n\n \n", ("a.py",), ()),
    ],
)
def test_each_line_means_what_it_means_to_git(
    workspace: Path, rules: bytes, kept: tuple[str, ...], ignored: tuple[str, ...]
) -> None:
    found = assert_as_git(make(workspace, rules, *kept, *ignored))
    assert found.intersection(kept) == set(kept)
    assert found.isdisjoint(ignored)


def test_a_nearer_file_overrules_and_starts_at_its_folder(workspace: Path) -> None:
    tree = make(workspace, b"*.log\n/x/b.py\n", "a.log", "x/a.log", "x/b.py", "x/y/b.py", "y/b.py")
    tree.write({"x/.gitignore": b"!a.log\n/b.py\n", "y/.gitignore": b"!b.py\n"})
    assert assert_as_git(tree) >= {"x/a.log", "x/y/b.py", "y/b.py"}


def test_the_rules_of_the_repository_and_of_the_user_hold_too(home: Path, workspace: Path) -> None:
    mine = home / "my ignores"
    mine.write_bytes(b"*.mine\n*.both\n")
    (home / ".gitconfig").write_text('[core]\n  excludesFile = "~/my ignores"\n', encoding="utf-8")
    tree = make(workspace, b"!*.both\n", "a.mine", "a.info", "a.both", "a.py")
    (workspace / ".git/info/exclude").write_bytes(b"*.info\n")
    environment = {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / ".gitconfig")}
    assert assert_as_git(tree, environment) == {".gitignore", "a.both", "a.py"}


def test_the_usual_place_of_the_users_rules_holds_when_no_other_is_named(
    home: Path, workspace: Path
) -> None:
    config = home / "config"
    (config / "git").mkdir(parents=True)
    (config / "git/ignore").write_bytes(b"*.mine\n")
    tree = make(workspace, b"", "a.mine", "a.py")
    environment = {"HOME": str(home), "XDG_CONFIG_HOME": str(config)}
    assert assert_as_git(tree, environment) == {".gitignore", "a.py"}


def test_settings_of_the_repository_overrule_those_of_the_user(workspace: Path) -> None:
    tree = make(workspace, b"B.py\n", "a.own", "b.py", "B.py.txt")
    (workspace / "rules").write_bytes(b"*.own\n")
    tree.git("config", "core.excludesFile", str(workspace / "rules"))
    tree.git("config", "core.ignoreCase", "true")
    assert assert_as_git(tree) == {".gitignore", "B.py.txt", "rules"}


@pytest.mark.parametrize("setting", ["core.excludesFile", "include.path"])
def test_a_repository_cannot_have_files_outside_it_read(
    tmp_path: Path, workspace: Path, setting: str
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"*.py\n" if setting.startswith("core") else b"[core]\nignoreCase = true\n")
    tree = make(workspace, b"A.PY\n", "a.py")
    tree.git("config", setting, str(outside))
    assert "a.py" in walked(workspace)


def test_a_linked_work_tree_has_the_rules_of_its_repository(tmp_path: Path) -> None:
    main = make(tmp_path / "main", b"*.log\n", "a.py")
    main.commit()
    (main.root / ".git/info/exclude").write_bytes(b"*.info\n")
    main.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = Tree(tmp_path / "linked", is_new=False)
    linked.write({"a.log": b"", "a.info": b"", "b.py": b""})
    assert assert_as_git(linked) == {".gitignore", "a.py", "b.py"}


@pytest.mark.parametrize("pointer", ["gitdir: {}/.git", "gitdir: {}/.git\0x", None])
def test_rules_of_a_git_folder_that_is_claimed_by_another_work_tree_are_not_read(
    tmp_path: Path, workspace: Path, pointer: str | None
) -> None:
    private = make(tmp_path / "private", b"", "a.py")
    (private.root / ".git/info/exclude").write_bytes(b"*.py\n")
    if pointer is None:
        (workspace / ".git").symlink_to(private.root / ".git")
    else:
        (workspace / ".git").write_text(pointer.format(private.root), encoding="utf-8")
    (workspace / "b.py").write_bytes(b"")
    assert "b.py" in walked(workspace)


def test_a_submodule_has_the_rules_of_its_git_folder(tmp_path: Path) -> None:
    part = make(tmp_path / "part", b"", "a.py")
    part.commit()
    outer = make(tmp_path / "outer", b"", "b.py")
    outer.git("submodule", "--quiet", "add", str(part.root), "sub")
    (outer.root / ".git/modules/sub/info/exclude").write_bytes(b"*.info\n")
    (outer.root / "sub/a.info").write_bytes(b"")
    assert "sub/a.info" not in walked(outer.root)


def test_a_repository_inside_another_follows_its_own_rules(workspace: Path) -> None:
    make(workspace, b"*.outer\n*.both\n", "a.outer")
    inner = make(workspace / "inner", b"*.inner\n", "a.outer", "a.inner", "a.py")
    found = walked(workspace)
    own = {name.removeprefix("inner/") for name in found if name.startswith("inner/")}
    assert own == inner.unignored()
    assert "a.outer" in own


def test_rules_above_the_workspace_hold_in_it(tmp_path: Path) -> None:
    tree = make(tmp_path / "repository", b"*.log\n/packages/app/b.py\n", "packages/app/a.log")
    tree.write({"packages/app/b.py": b"", "packages/app/c.py": b""})
    assert walked(tree.root / "packages/app") == {"c.py"}


def test_a_workspace_that_the_repository_around_it_ignores_is_walked_all_the_same(
    tmp_path: Path,
) -> None:
    tree = make(tmp_path / "home-folder", b"*\n", "project/a.py")
    assert walked(tree.root / "project") == {"a.py"}


def test_a_linked_gitignore_is_not_followed_as_git_does_not(workspace: Path) -> None:
    tree = make(workspace, b"", "a.py")
    (workspace / ".gitignore").unlink()
    (workspace / "rules").write_bytes(b"*.py\n")
    (workspace / ".gitignore").symlink_to("rules")
    assert walked(workspace) == {"a.py", "rules"}
    assert tree.unignored() == {".gitignore", "a.py", "rules"}


_NAMES = ("a", "b", "c", "ab", "abc", "a.b", ".a", "A", "a b", "a ", "[a]", "!a", "#a", "é", "*")
_PIECES = (
    *("a", "b", "c", "A", ".", "é", " ", "-", "*", "*", "**", "?", "/", "/", "**/", "/**", "!"),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:upper:]b]", "[a\\]]", "[c-a]"),
    *("\\", "\\a", "\\ ", "\\*", "\\/", "#", "\t", "\r", "[", "]", "[[:x:]]", "[!]", "[\\a-c]"),
)
_lines = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)
_rules = st.lists(_lines, max_size=5).map(lambda lines: "\n".join(lines).encode())
_paths = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4).map("/".join)


def _fill(root: Path, paths: list[str], rules: dict[str, bytes]) -> None:
    for path in paths:
        place = root / path
        if any(parent.is_file() for parent in place.parents) or place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    for folder, content in rules.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_bytes(content)


@settings(max_examples=150, derandomize=True)
@given(
    paths=st.lists(_paths, min_size=1, max_size=12),
    rules=st.dictionaries(st.one_of(st.just(""), _paths), _rules, max_size=3),
    ignores_case=st.booleans(),
)
def test_any_rules_leave_of_any_tree_what_git_leaves(
    paths: list[str], rules: dict[str, bytes], *, ignores_case: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        tree = _empty_repository(root)
        (root / ".git/config").write_text(
            f"[core]\n\trepositoryformatversion = 0\n\tignorecase = {ignores_case}\n".lower(),
            encoding="utf-8",
        )
        _fill(root, paths, rules)
        assert_as_git(tree)


def _empty_repository(root: Path) -> Tree:
    """Make by hand the least that git takes for a repository, which is faster than asking it."""
    for name in ("objects", "refs"):
        (root / ".git" / name).mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return Tree(root, is_new=False)


def test_a_pattern_made_to_be_slow_is_not(workspace: Path) -> None:
    name = "a" * 200
    tree = make(workspace, b"*a*a*a*a*a*a*a*a*a*a*a*a*b\n" + b"**/" * 30 + b"b\n", name)
    assert walked(tree.root) == {".gitignore", name}
    shutil.rmtree(tree.root / ".git")
    assert walked(tree.root) == {".gitignore", name}
