"""What measures find, made by hand, for tests of what is concluded from it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from benchpin.facts import FileFacts, Function, Halstead, Outline
from benchpin.measures.churn import Churn, ChurnSummary, CoupledFiles, FileChurn
from benchpin.measures.clones import (
    CloneGroup,
    Duplicates,
    DuplicateSummary,
    FileDuplication,
    Fragment,
)
from benchpin.measures.coverage import FileCoverage
from benchpin.measures.debt import Category, Debt, DebtItem, Severity
from benchpin.measures.graph import Graph, UnresolvedImport
from benchpin.measures.graph._build import Edge, Node
from benchpin.measures.unused import DeadCode, DeadCodeSummary, DeadItem

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def function(
    name: str = "f", cyclomatic: int = 1, cognitive: int = 0, *, line: int = 1, code_lines: int = 10
) -> Function:
    return Function(
        name=name,
        kind="function",
        line=line,
        end_line=line + code_lines - 1,
        cyclomatic=cyclomatic,
        cognitive=cognitive,
        nesting=0,
        parameters=0,
        code_lines=code_lines,
        first_token=0,
        last_token=0,
        signature=f"{name}()",
        is_public=True,
        is_documented=False,
        decorators=(),
    )


def source(path: str, *functions: Function, code_lines: int = 100) -> FileFacts:
    outline = Outline(
        language="python",
        lines=code_lines,
        code_lines=code_lines,
        comment_lines=0,
        is_generated=False,
        error_line=0,
        cyclomatic=1,
        cognitive=0,
        halstead=Halstead(10, 10, 100, 100),
        functions=functions,
        types=(),
    )
    return FileFacts(path, "python", 1000, {"outline": outline})


def changed(path: str, commits: int, score: float, lines: int = 10) -> FileChurn:
    return FileChurn(path, commits, lines, 0, score, 0, (), NOW, NOW, 0, 0)


def churn(*files: FileChurn, coupling: Sequence[CoupledFiles] = ()) -> Churn:
    summary = ChurnSummary(1, len(files), 0, 0, 0, 0, (), (), ())
    return Churn(summary, files, tuple(coupling))


def dead(path: str, line: int, lines: int) -> DeadItem:
    return DeadItem(
        file=path,
        line=line,
        end_line=line + lines - 1,
        lines=lines,
        name="old",
        kind="function",
        label="function",
        confidence=0.95,
        status="unused",
        reason="nothing uses it",
    )


def dead_code(*items: DeadItem, total_lines: int) -> DeadCode:
    lines = sum(it.lines for it in items)
    summary = DeadCodeSummary(
        total_files=1,
        total_definitions=len(items),
        files_with_dead_code=1,
        dead_functions=len(items),
        dead_methods=0,
        dead_types=0,
        used_by_tests_only=0,
        dead_lines=lines,
        total_lines=total_lines,
        dead_percent=None,
    )
    return DeadCode(list(items), [], summary, {it.file: total_lines for it in items})


def admitted(
    path: str, severity: Severity, category: Category = "Design", *, is_test_code: bool = False
) -> DebtItem:
    return DebtItem(
        file=path,
        line=3,
        end_line=3,
        text="FIXME: this is wrong",
        category=category,
        severity=severity,
        confidence=0.9,
        tag="FIXME",
        context=None,
        is_test_code=is_test_code,
        reason="FIXME: a fault",
    )


def debt(*items: DebtItem) -> Debt:
    return Debt(list(items), 1, len(items))


def clone(*places: tuple[str, int, int]) -> CloneGroup:
    fragments = [
        Fragment(file=path, line=line, end_line=end, function=None, similarity=1.0, gaps=())
        for path, line, end in places
    ]
    lines = places[0][2] - places[0][1] + 1
    return CloneGroup(
        type="exact",
        tokens=99,
        lines=lines,
        similarity=1.0,
        is_test_code=False,
        removable_tokens=99 * (len(places) - 1),
        fragments=fragments,
    )


def duplicates(*groups: CloneGroup, shares: dict[str, int] | None = None) -> Duplicates:
    """Return clones; `shares` are the duplicated lines of files of 100 lines."""
    files = [
        FileDuplication(
            file=path,
            is_test_code=False,
            groups=1,
            duplicated_lines=lines,
            similar_lines=lines,
            total_lines=100,
            duplicated_percent=lines,
        )
        for path, lines in (shares or {}).items()
    ]
    summary = DuplicateSummary(
        total_files=1,
        total_lines=100,
        files_with_duplicates=len(files),
        groups={},
        test_groups=0,
        fragments=0,
        min_lines=5,
        min_tokens=50,
        min_function_tokens=0,
        duplicated_lines=0,
        duplicated_percent=0.0,
        similar_lines=0,
        similar_percent=0.0,
        uncompared_pairs=0,
    )
    return Duplicates(summary, list(groups), files, [], 0)


def graph(paths: Sequence[str], *links: tuple[int, int], lost: Sequence[str] = ()) -> Graph:
    return Graph(
        [Node.of_file(path) for path in paths],
        [Edge(one, other, "imports", 1, 1.0) for one, other in links],
        {},
        [
            UnresolvedImport(file=it, line=2, module="gone", names=(), reason="no file")
            for it in lost
        ],
    )


def covered(shares: Mapping[str, float]) -> dict[str, FileCoverage]:
    """Return how much tests run of files with 1,000 lines that can run."""
    return {path: FileCoverage(round(1000 * share), 1000) for path, share in shares.items()}
