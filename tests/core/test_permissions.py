from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Operation, Permissions, Rule
from benchpin.core.calls._permissions import DEFAULT_DENIALS, matches
from waiting import cpu_limit

READ, WRITE = Operation.READ, Operation.WRITE


def _allow(pattern: str, *operations: Operation) -> Rule:
    return Rule(pattern, frozenset(operations or (READ, WRITE)))


def _deny(pattern: str) -> Rule:
    return Rule(pattern, frozenset())


def _may(permissions: Permissions, path: str, operation: Operation = READ) -> bool:
    return permissions.denied_by(PurePosixPath(path), operation) is None


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        # Without a slash: the name, at any depth.
        ("*.py", "a.py", True),
        ("*.py", "deep/down/a.py", True),
        ("*.py", "a.pyc", False),
        ("secret.txt", "a/secret.txt", True),
        ("secret.txt", "a/secret.txt.bak", False),
        ("secret.txt", "a/my-secret.txt", False),
        # With a slash: from the root.
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*.py", "other/src/a.py", False),
        ("./src/*.py", "src/a.py", True),
        ("/src/*.py", "src/a.py", True),
        ("/src/*.py", "other/src/a.py", False),
        ("/README.md", "README.md", True),
        ("/README.md", "docs/README.md", False),
        ("./README.md", "docs/README.md", False),
        # A slash at the end: the folder and what is in it.
        ("build/", "build", True),
        ("build/", "build/a/b.o", True),
        ("build/", "deep/build/b.o", True),
        ("build/", "rebuild/b.o", False),
        ("build/", "building", False),
        ("out/build/", "out/build/b.o", True),
        ("out/build/", "deep/out/build/b.o", False),
        # Two stars: any number of folders, none included.
        ("**", "a/b/c", True),
        ("**/*.py", "a.py", True),
        ("**/*.py", "a/b/c.py", True),
        ("src/**", "src/a/b.py", True),
        ("src/**", "src", False),
        ("src/**", "srcs/a.py", False),
        ("src/**/test.py", "src/test.py", True),
        ("src/**/test.py", "src/a/b/test.py", True),
        ("src/**/test.py", "src/a/my_test.py", False),
        ("output/**/*", "output/a", True),
        ("output/**/*", "output/a/b", True),
        ("src/**/**/a.py", "src/a.py", True),
        ("**/**/a.py", "a.py", True),
        # One star and the question mark stay within a name.
        ("a*c", "a/c", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        # Character classes.
        ("[ab].txt", "a.txt", True),
        ("[ab].txt", "c.txt", False),
        ("[a-c].txt", "b.txt", True),
        ("[!ab].txt", "c.txt", True),
        ("[!ab].txt", "a.txt", False),
        ("[*].txt", "*.txt", True),
        ("[*].txt", "a.txt", False),
        ("a[!b]c", "a/c", False),
        ("a[--0]c", "a/c", False),
        ("[\\d].txt", "5.txt", False),
        ("[", "[", True),
        ("[]", "[]", True),
        # Everything else is itself.
        ("a.c", "abc", False),
        ("a+(b)|{c}$^", "a+(b)|{c}$^", True),
        ("a b", "a b", True),
        ("*.txt", "two\nlines.txt", True),
        ("*.txt", "a.txt\n", False),
        # Upper and lower case are one.
        ("*.PEM", "server.pem", True),
        (".env*", ".ENV.local", True),
        ("[a-c].txt", "B.TXT", True),
        # The root has no name.
        (".*", ".", False),
        ("?", ".", False),
    ],
)
def test_patterns_match_as_people_expect(pattern: str, path: str, *, expected: bool) -> None:
    assert matches(pattern, PurePosixPath(path)) is expected


@pytest.mark.parametrize("pattern", ["[!]", "[z-a]", "[!]x]", "[[]", "[a&&b]", "[a||b]", "[^]"])
def test_an_odd_class_is_no_crash(pattern: str) -> None:
    assert matches(pattern, PurePosixPath("some/file.txt")) is False


_tokens = st.sampled_from(
    ["a", "z-a", "*", "**", "?", "[", "]", "!", "^", "-", "/", ".", "&&", "\\"]
)


@given(pattern=st.lists(_tokens, max_size=8).map("".join), path=st.text(alphabet="ab/.[]-!"))
def test_no_pattern_is_a_crash(pattern: str, path: str) -> None:
    assert matches(pattern, PurePosixPath(path)) in {True, False}


@cpu_limit(10)
def test_a_hostile_pattern_does_not_hang() -> None:
    assert not matches("*a" * 20 + "b", PurePosixPath("a" * 200))
    assert not matches("**a" * 20 + "b", PurePosixPath("a" * 200))


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".env.local", "app/.env.production", ".ENV", ".envrc"),
        *(".git", ".git/config", ".git/hooks/pre-commit", "vendored/.git/config", ".GIT/config"),
        *("server.pem", "deep/server.key", "a.p12", "a.pfx", "SERVER.PEM"),
        *("id_rsa", "id_rsa.pub", "keys/id_ed25519", "id_ecdsa", "id_dsa"),
        *(".ssh/config", "home/.ssh/known_hosts", ".gnupg/x", ".netrc", ".pypirc"),
        *(".git-credentials", "a/.git-credentials"),
    ],
)
@pytest.mark.parametrize("operation", Operation)
def test_secrets_are_denied_by_default(path: str, operation: Operation) -> None:
    assert not _may(Permissions(), path, operation)
    everything = Permissions().narrowed([_allow("**")])
    assert not _may(everything, path, operation)


@pytest.mark.parametrize(
    "path", [".", "a.py", ".gitignore", ".github/workflows/ci.yml", "environment.py", "key.txt"]
)
@pytest.mark.parametrize("operation", Operation)
def test_everything_else_is_allowed_by_default(path: str, operation: Operation) -> None:
    assert _may(Permissions(), path, operation)


@pytest.mark.parametrize("pattern", ["private", "private/", "priv*", "a/private", "**/private"])
def test_a_denied_folder_denies_what_is_in_it(pattern: str) -> None:
    permissions = Permissions().narrowed([_deny(pattern), _allow("**")])
    assert not _may(permissions, "a/private")
    assert not _may(permissions, "a/private/deep/diary.txt")
    assert _may(permissions, "a/public/diary.txt")


@pytest.mark.parametrize("path", [".env/prod", ".env.d/prod", "a/.env.d/deep/prod"])
def test_folders_of_secrets_are_denied_with_what_is_in_them(path: str) -> None:
    assert not _may(Permissions(), path)


def test_rules_that_allow_are_an_allow_list() -> None:
    permissions = Permissions().narrowed(
        [_allow("**/*.py", READ), _allow("output/**/*", READ, WRITE)]
    )
    assert _may(permissions, "src/a.py", READ)
    assert not _may(permissions, "src/a.py", WRITE)
    assert not _may(permissions, "src/a.txt", READ)
    assert _may(permissions, "output/a.txt", READ)
    assert _may(permissions, "output/deep/a.txt", WRITE)


@pytest.mark.parametrize("operation", Operation)
def test_rules_that_only_deny_are_an_allow_list_too_and_say_the_way_out(
    operation: Operation,
) -> None:
    permissions = Permissions().narrowed([_deny("*.log")])
    assert not _may(permissions, "a.log", operation)
    refusal = permissions.denied_by(PurePosixPath("a.txt"), operation)
    assert refusal is not None
    assert f"no rule allows to {operation} it" in refusal.reason
    assert '{ pattern = "**", operations = ["read"' in refusal.suggestion
    reopened = Permissions().narrowed([_deny("*.log"), _allow("**")])
    assert _may(reopened, "a.txt", operation)
    assert not _may(reopened, "a.log", operation)


def test_a_layer_that_only_denies_does_not_lean_on_another() -> None:
    permissions = Permissions().narrowed([_allow("**")]).narrowed([_deny("*.log")])
    assert not _may(permissions, "a.txt")
    assert _may(Permissions().narrowed([_allow("**")]), "a.txt")


@pytest.mark.parametrize(
    "path",
    ["benchpin.toml", "Benchpin.TOML", ".benchpin", ".benchpin/prompts/a.md", "benchpin.toml/a"],
)
def test_the_settings_and_prompts_of_benchpin_are_read_and_never_written(path: str) -> None:
    for permissions in (Permissions(), Permissions().narrowed([_allow("**")])):
        assert _may(permissions, path, READ)
        assert permissions.may(path, READ)
        assert not _may(permissions, path, WRITE)
        assert not permissions.may(path, WRITE)
        assert permissions.denied_by(PurePosixPath(path), WRITE, is_folder=True) is not None


@pytest.mark.parametrize("path", ["sub/benchpin.toml", "benchpin.toml.bak", "src/.benchpin/x"])
def test_what_is_only_called_like_the_settings_is_a_file_like_any_other(path: str) -> None:
    assert _may(Permissions(), path, WRITE)


def test_every_layer_must_agree() -> None:
    permissions = Permissions().narrowed([_allow("src/**")]).narrowed([_allow("*.py", READ)])
    assert _may(permissions, "src/a.py", READ)
    assert not _may(permissions, "src/a.py", WRITE)
    assert not _may(permissions, "src/a.txt", READ)
    assert not _may(permissions, "docs/a.py", READ)


def test_a_layer_without_rules_changes_nothing() -> None:
    permissions = Permissions().narrowed([_allow("src/**")])
    assert permissions.narrowed([]) is permissions


def test_a_refusal_names_the_rule() -> None:
    permissions = Permissions().narrowed([_deny("*.log"), _allow("src/**", READ)])
    by_rule = permissions.denied_by(PurePosixPath("a.log"), READ)
    by_none = permissions.denied_by(PurePosixPath("src/a.py"), WRITE)
    built_in = permissions.denied_by(PurePosixPath(".env"), READ)
    assert by_rule is not None
    assert by_none is not None
    assert built_in is not None
    assert by_rule.reason == "the rule for '*.log' denies it"
    assert "change that rule" in by_rule.suggestion
    assert by_none.reason.startswith("no rule allows to write it")
    assert built_in.reason == "the built-in rule for '.env*' denies it"
    assert "cannot be changed" in built_in.suggestion


def test_the_built_in_denials_come_first() -> None:
    permissions = Permissions().narrowed([_deny("*.log")])
    assert permissions.denials == (*DEFAULT_DENIALS, _deny("*.log"))


_patterns = st.sampled_from(["**", "*", "*.py", "src/**", "src/", "a.py", "src/a.py", "[a-z].py"])
_rules = st.lists(st.builds(Rule, _patterns, st.frozensets(st.sampled_from(Operation))), max_size=5)
_paths = st.sampled_from(["a.py", "src/a.py", "src", "src/deep/b.py", "c.txt", ".env"])


@given(
    rules=_rules,
    denied=_patterns,
    path=_paths,
    operation=st.sampled_from(Operation),
    data=st.data(),
)
def test_a_denial_wins_in_any_position(
    rules: list[Rule], denied: str, path: str, operation: Operation, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations([*rules, _deny(denied)]))
    permissions = Permissions().narrowed(shuffled)
    if matches(denied, PurePosixPath(path)):
        assert not _may(permissions, path, operation)


@given(rules=_rules, path=_paths, operation=st.sampled_from(Operation), data=st.data())
def test_the_order_of_rules_does_not_matter(
    rules: list[Rule], path: str, operation: Operation, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rules))
    assert _may(Permissions().narrowed(rules), path, operation) is _may(
        Permissions().narrowed(shuffled), path, operation
    )


@given(first=_rules, second=_rules, path=_paths, operation=st.sampled_from(Operation))
def test_another_layer_never_widens(
    first: list[Rule], second: list[Rule], path: str, operation: Operation
) -> None:
    before = Permissions().narrowed(first)
    after = before.narrowed(second)
    assert _may(before, path, operation) or not _may(after, path, operation)


_NAMES = st.sampled_from(
    ["src", ".git", ".ENV.local", "a.pem", "id_rsa.pub", ".ssh", "git", "x.py", ".benchpin"]
)


@given(
    path=st.lists(_NAMES | st.text("ab./*[", min_size=1).filter(lambda it: "/" not in it)).map(
        "/".join
    ),
    layers=st.sampled_from([(), ((Rule("src/**", frozenset({Operation.READ})),),)]),
)
def test_the_quick_answer_is_the_long_one(path: str, layers: tuple[tuple[Rule, ...], ...]) -> None:
    permissions = Permissions(layers)
    for operation in Operation:
        expected = permissions.denied_by(PurePosixPath(path), operation) is None
        assert permissions.may(path, operation) == expected
