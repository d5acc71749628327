"""The uses of names are kept from call to call."""

import gc
import weakref

import msgspec
import pytest

from benchpin.facts import FileFacts
from benchpin.measures.unused import WorkspaceUses, find_name_uses
from benchpin.measures.unused import _outside_code as outside_code
from benchpin.measures.unused._definitions import TokenViews
from benchpin.measures.unused._file_uses import uses_among
from dead_code_kit import facts_of

FILES = {"a.py": "def one():\n    two()\n", "b.py": "import a\n\na.three()\n"}


def keyed(files: dict[str, str]) -> list[FileFacts]:
    """Return the facts of files, whose keys are their texts."""
    return [msgspec.structs.replace(it, key=files[it.path].encode()) for it in facts_of(files)]


def without_tokens(file: FileFacts) -> FileFacts:
    """Return a file that cannot be searched."""
    sections = {name: it for name, it in file.sections.items() if name != "tokens"}
    return msgspec.structs.replace(file, sections=sections)


def uses_of(
    files: list[FileFacts],
    before: WorkspaceUses | None = None,
    lacking: frozenset[bytes] = frozenset(),
) -> WorkspaceUses:
    """Find the uses of names."""
    return find_name_uses(files, lambda: None, before, lambda _names: lacking)


def named(found: WorkspaceUses) -> dict[str, dict[int, dict[str, int]]]:
    """Return what each file uses, in words."""
    everything = range(len(found.names))
    return {
        path: {
            at: {found.names[it]: kind for it, kind in uses_among(entries, everything)}
            for at, entries in uses.by_context().items()
        }
        for path, (_, uses) in found.files.items()
    }


def test_a_file_that_did_not_change_is_not_read_again() -> None:
    first = uses_of(keyed(FILES))
    a, b = keyed(FILES | {"a.py": "def one():\n    one()\n"})

    second = uses_of([a, without_tokens(b)], first)

    assert second.files["b.py"] == first.files["b.py"]
    assert named(second) == named(uses_of([a, b]))


def test_a_file_is_read_again_when_a_name_that_it_has_is_defined() -> None:
    first = uses_of(keyed(FILES))
    files = keyed(FILES | {"a.py": "def one():\n    two()\n\ndef three(): ...\n"})

    assert named(uses_of(files, first)) == named(uses_of(files))
    assert "three" in named(uses_of(files, first))["b.py"][-1]


def test_a_file_that_lacks_the_new_names_is_not_read_again() -> None:
    first = uses_of(keyed(FILES))
    a, b = keyed(FILES | {"a.py": "def one():\n    two()\n\ndef four(): ...\n"})

    second = uses_of([a, without_tokens(b)], first, frozenset({b.key}))

    assert second.files["b.py"] == first.files["b.py"]
    with pytest.raises(KeyError):
        uses_of([a, without_tokens(b)], first)


def test_words_of_large_data_are_kept_only_if_they_are_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outside_code, "_MAX_WORDS", 2)
    texts = {"a.json": b'{"one": "two", "three": 3}', "b.json": b'{"four": 4}'}

    found = outside_code.read_words_outside_code(texts, frozenset({"one"}), texts.__getitem__)

    assert not found.is_complete
    assert found.words.configured == {"one", "four"}
    assert found.only(frozenset({"one"})).configured == {"one"}


def test_views_of_tokens_go_with_their_last_user() -> None:
    views = TokenViews([])
    gone = weakref.ref(views)
    gc.disable()
    try:
        del views
        assert gone() is None
    finally:
        gc.enable()
