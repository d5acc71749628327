from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from benchpin.core.calls import Job, Permissions, WorkspaceSession
from benchpin.core.errors import Cancelled
from benchpin.facts import (
    FileFacts,
    FileSelection,
    Function,
    Halstead,
    Import,
    Links,
    Outline,
    Type,
)
from benchpin.measures.names import IDENTIFIERS
from benchpin.measures.names._identifiers import (
    Identifier,
    IdentifierIndex,
    index_identifiers,
)
from benchpin.memory import Inputs


def function(name: str, line: int) -> Function:
    return Function(
        name, "function", line, line, 1, 0, 0, 0, 1, 0, 0, f"{name}()", True, False, decorators=()
    )


def source(
    path: str,
    *,
    functions: Sequence[Function] = (),
    types: Sequence[Type] = (),
    references: dict[str, int] | None = None,
    calls: Sequence[str] = (),
    imports: Sequence[Import] = (),
) -> FileFacts:
    outline = Outline(
        language="python",
        lines=9,
        code_lines=9,
        comment_lines=0,
        is_generated=False,
        error_line=0,
        cyclomatic=0,
        cognitive=0,
        halstead=Halstead(0, 0, 0, 0),
        functions=tuple(functions),
        types=tuple(types),
    )
    links = Links(tuple(imports), (), (tuple(calls),), references or {}, ())
    key = msgspec.msgpack.encode((outline, links))
    return FileFacts(path, "python", 100, {"outline": outline, "links": links}, key)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[WorkspaceSession]:
    (tmp_path / "a.py").write_text("total = 1\n", encoding="utf-8")
    with closing(WorkspaceSession(tmp_path, tmp_path / ".cache")) as opened:
        yield opened


def found_in(session: WorkspaceSession, job: Job) -> IdentifierIndex:
    return Inputs(FileSelection(session, Permissions(), job)).get(IDENTIFIERS, None)


def indexed(files: Sequence[FileFacts], job: Job | None = None) -> IdentifierIndex:
    return index_identifiers(files, job or Job())


def test_methods_go_by_their_own_name_and_are_counted_together() -> None:
    files = [
        source("b.py", functions=[function("feed", 4)], references={"feed": 3}),
        source("a.py", functions=[function("Parser.feed", 7)], references={"feed": 1}),
    ]
    assert indexed(files).identifiers == (Identifier("feed", "function", "a.py", 7, 2, 4),)


def test_one_name_can_be_of_two_kinds() -> None:
    kind = Type("Shop", "class", 1, 2, (), is_public=True, is_documented=False)
    file = source("a.py", functions=[function("Shop", 9)], types=[kind], references={"Shop": 2})
    assert [(it.name, it.kind, it.line) for it in indexed([file]).identifiers] == [
        ("Shop", "function", 9),
        ("Shop", "type", 1),
    ]


def test_variables_are_what_is_neither_defined_nor_called_nor_imported() -> None:
    files = [
        source(
            "a.py",
            functions=[function("run", 1)],
            references={"run": 1, "total": 2, "print": 3, "Path": 1},
            calls=["print", "os.getcwd"],
            imports=[Import("pathlib", ("Path",), 1)],
        ),
        source("b.py", references={"total": 5, "getcwd": 1}),
    ]
    variables = [it for it in indexed(files).identifiers if it.kind == "variable"]
    assert variables == [Identifier("total", "variable", "b.py", None, None, 7)]


def test_the_names_of_files_that_did_not_change_are_remembered(
    session: WorkspaceSession, tmp_path: Path
) -> None:
    known = found_in(session, Job())
    assert found_in(session, Job()) is known
    (tmp_path / "a.py").write_text("other = 2\n", encoding="utf-8")
    assert [it.name for it in found_in(session, Job()).identifiers] == ["other"]


def test_no_files_have_no_names() -> None:
    index = indexed([])
    assert index.identifiers == ()
    assert index.names.scores("anything", phonetic=True).tolist() == []


def test_a_cancelled_job_collects_nothing() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        indexed([source("cancelled.py", references={"total": 1})], job)


def test_what_was_cut_short_is_not_remembered(session: WorkspaceSession) -> None:
    late = Job(time_limit_s=0)
    assert found_in(session, late).identifiers == ()
    assert late.missing
    assert [it.name for it in found_in(session, Job()).identifiers] == ["total"]
