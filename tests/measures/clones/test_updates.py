"""What is found after few files changed is what a search of all files finds."""

import random
from itertools import count, islice
from pathlib import Path

import msgspec
import pytest

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.facts import FileFacts
from benchpin.measures.clones import DuplicateOptions, Minimum, find_duplicates
from clones import read
from edited_clones import OPTIONS, SearchMemory, different, edits, shown

_OPTIONS = OPTIONS[0]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_search_after_edits_finds_what_a_new_one_finds(
    options: DuplicateOptions, tmp_path: Path
) -> None:
    """`bench/clone_edits.py` applies a thousand edits."""
    assert different(tmp_path, 25, 8, options) == []


def test_the_project_that_is_edited_has_clones_of_all_types() -> None:
    for files in edits(25, 2):
        found = find_duplicates(read(files), _OPTIONS, Job())
        assert {it.type for it in found.groups} == set(_OPTIONS.types)
        assert found.summary.uncompared_pairs  # some buckets are full


def test_a_search_that_ran_out_of_time_is_not_a_start_for_the_next(tmp_path: Path) -> None:
    session = WorkspaceSession(tmp_path, tmp_path / "cache")
    facts = read(next(edits(1, 0)))
    late = Job(time_limit_s=0)
    find_duplicates(facts, _OPTIONS, late, SearchMemory(session, late, facts))
    assert late.omissions
    job = Job()
    memory = SearchMemory(session, job, facts)
    again = find_duplicates(facts, _OPTIONS, job, memory)
    assert shown(again) == shown(find_duplicates(facts, _OPTIONS, Job()))
    assert memory.computed >= {f"{it} clones" for it in _OPTIONS.types}
    session.close()


def test_a_search_after_an_edit_may_end_at_any_moment(tmp_path: Path) -> None:
    before, after = (read(it) for it in islice(edits(3, 1), 2))
    for steps in range(1, 60, 2):
        session = WorkspaceSession(tmp_path, tmp_path / f"cache{steps}")
        find_duplicates(before, _OPTIONS, Job(), SearchMemory(session, Job(), before))
        late = Job(time_limit_s=steps, monotonic=count(0.0).__next__)
        find_duplicates(after, _OPTIONS, late, SearchMemory(session, late, after))
        session.close()


def test_only_files_that_share_code_with_a_changed_one_are_read_again(tmp_path: Path) -> None:
    options = DuplicateOptions(types=("exact",), minimum=Minimum(3, 30))
    session = WorkspaceSession(tmp_path, tmp_path / "cache")
    files = {f"{name}.py": function(at // 2, 14) for at, name in enumerate("abcdefgh")}
    before = read(files)
    find_duplicates(before, options, Job(), SearchMemory(session, Job(), before))
    changed = read(files | {"a.py": files["a.py"] + function(99, 14, "g")})
    kept = [it if it.path in {"a.py", "b.py"} else without_tokens(it) for it in changed]
    updated = find_duplicates(kept, options, Job(), SearchMemory(session, Job(), kept))
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
