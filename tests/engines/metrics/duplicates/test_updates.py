"""What is found after few files changed is what a search of all files finds."""

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchpin.core import Job, WorkspaceSession
from benchpin.engines.metrics.duplicates import (
    DuplicateOptions,
    Duplicates,
    Minimum,
    SearchMemory,
    find_duplicates,
)
from benchpin.engines.source.index import FileFacts
from clones import read

_LINES = [
    f"    {name} = {first}({other}, {number}) + {name}.{second}[{other}]"
    for name, other in (("x", "y"), ("y", "x"), ("total", "x"), ("z", "total"))
    for first, second in (("load", "parts"), ("read", "rows"), ("pick", "parts"))
    for number in range(3)
]
_OPTIONS = DuplicateOptions(types=("exact", "renamed"), minimum=Minimum(3, 30))
_WITH_SMALL_FUNCTIONS = DuplicateOptions(types=("exact", "renamed"), minimum=Minimum(3))


def edits(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield the files of a made-up project, after each of so many edits."""
    chance = random.Random(seed)  # noqa: S311 - test data
    pieces = [
        "\n".join((f"def f{at}(x, y):", *chance.choices(_LINES, k=chance.randint(3, 9))))
        for at in range(12)
    ]

    def text() -> str:
        return "\n\n".join(chance.choices(pieces, k=chance.randint(1, 5))) + "\n"

    files = {f"p{at}.py": text() for at in range(9)}
    yield dict(files)
    for _ in range(count):
        path = f"p{chance.randrange(12)}.py"
        how = chance.random()
        if how < 0.2 and len(files) > 3:
            files.pop(path, None)
        elif how < 0.6 and path in files:
            lines = files[path].splitlines()
            lines[chance.randrange(1, len(lines))] = chance.choice(_LINES)
            files[path] = "\n".join((*lines, ""))
        else:
            files[path] = text()
        yield dict(files)


def shown(it: Duplicates) -> tuple[object, ...]:
    """Return all but the time that it took."""
    return it.summary, it.groups, it.files, it.tokens


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", [_OPTIONS, _WITH_SMALL_FUNCTIONS])
def test_a_search_after_edits_finds_what_a_new_one_finds(
    seed: int, options: DuplicateOptions, tmp_path: Path
) -> None:
    session = WorkspaceSession(tmp_path, tmp_path / "cache")
    for number, files in enumerate(edits(seed, 8)):
        facts = read(files)
        if number % 5 == 4:  # as in another process
            session.close()
            session = WorkspaceSession(tmp_path, tmp_path / "cache")
        memory = SearchMemory(session, Job(), options)
        updated = find_duplicates(facts, options, Job(), memory)
        assert shown(updated) == shown(find_duplicates(facts, options, Job()))
        assert updated.groups
        assert memory.recalled >= ({"exact clones", "renamed clones"} if number else set())
    session.close()


def test_a_search_that_ran_out_of_time_is_not_a_start_for_the_next(tmp_path: Path) -> None:
    session = WorkspaceSession(tmp_path, tmp_path / "cache")
    facts = read(next(edits(1, 0)))
    late = Job(time_limit_s=0)
    find_duplicates(facts, _OPTIONS, late, SearchMemory(session, late, _OPTIONS))
    assert late.omissions
    memory = SearchMemory(session, Job(), _OPTIONS)
    again = find_duplicates(facts, _OPTIONS, Job(), memory)
    assert shown(again) == shown(find_duplicates(facts, _OPTIONS, Job()))
    assert not memory.recalled
    session.close()


def test_only_files_that_share_code_with_a_changed_one_are_read_again(tmp_path: Path) -> None:
    options = DuplicateOptions(types=("exact",), minimum=Minimum(3, 30))
    session = WorkspaceSession(tmp_path, tmp_path / "cache")
    files = {f"{name}.py": function(at // 2, 14) for at, name in enumerate("abcdefgh")}
    before = read(files)
    find_duplicates(before, options, Job(), SearchMemory(session, Job(), options))
    changed = read(files | {"a.py": files["a.py"] + function(99, 14, "g")})
    kept = [it if it.path in {"a.py", "b.py"} else without_tokens(it) for it in changed]
    updated = find_duplicates(kept, options, Job(), SearchMemory(session, Job(), options))
    assert shown(updated) == shown(find_duplicates(changed, options, Job()))
    session.close()


def function(seed: int, lines: int, name: str = "f") -> str:
    """Make up a function of names that no other seed has, in another order."""
    chance = random.Random(seed)  # noqa: S311 - test data
    signs = [chance.choice("+-*/%") for _ in range(3 * lines)]
    body = [
        f"    v{seed} = v{seed} {one} w({seed} {two} {at}) {three} u[{at}]"
        for at, (one, two, three) in enumerate(zip(*[iter(signs)] * 3, strict=True))
    ]
    return "\n".join([f"def {name}(v{seed}, w, u):", *body, ""])


def without_tokens(file: FileFacts) -> FileFacts:
    """Return a file whose tokens cannot be read."""
    return msgspec.structs.replace(file, sections={"outline": file.outline})
