"""The tree of a project's files, each folder and file with what was measured of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from benchpin.core import Item
from benchpin.engines.source.index import FileFacts

from .coverage import Coverage, share_of_all
from .findings import Findings

T = TypeVar("T", int, float)

MOST_DEEP = 50
"""How many folders are shown within one another; readers of JSON bear twice as many levels."""


class TreeNode(Item):
    """A folder or a file; None is what was not measured."""

    name: str
    """Of a folder that holds nothing but a folder, both names; of a file too deep, the rest of its
    path."""
    kind: Literal["folder", "file"]
    files: int
    size_bytes: int
    lines: int
    code_lines: int
    functions: int
    max_cyclomatic: int | None
    """The highest of its functions; None without any."""
    changed_lines: int | None
    """Lines added and removed in the period."""
    duplicated_lines: int | None
    debt_comments: int | None
    debt_gradient: float | None
    """Of a folder, the highest of its files."""
    defect_probability: float | None
    """Of a folder, the highest of its files."""
    coverage: float | None
    """How much tests run of what can run, from 0 to 1."""
    children: list["TreeNode"]
    """The biggest first."""
    left_out: int
    """Children that are not shown here."""


@dataclass(slots=True)
class _Draft:
    """A folder while it is put together."""

    folders: dict[str, "_Draft"] = field(default_factory=dict)
    files: dict[str, FileFacts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What was measured, by path."""

    changed: Mapping[str, int] | None
    duplicated: Mapping[str, int] | None
    comments: Mapping[str, int] | None
    gradients: Mapping[str, float] | None
    defects: Mapping[str, float] | None
    covered: Mapping[str, Coverage]


def build_tree(found: Findings, name: str = ".") -> TreeNode:
    """Return the tree of all files."""
    top = _Draft()
    for file in found.files:
        *way, last = file.path.split("/", MOST_DEEP)
        draft = top
        for folder in way:
            draft = draft.folders.setdefault(folder, _Draft())
        draft.files[last] = file
    return _folder(name, top, _numbers(found))


def prune(root: TreeNode, most: int) -> TreeNode:
    """Return a tree of at most so many folders and files beside the root, the biggest ones."""
    ranked = sorted(_walk(root, ()), key=lambda it: (-it[1].code_lines, it[0]))
    kept = {way for way, _ in ranked[:most]}
    return root if len(kept) == len(ranked) else _pruned(root, (), kept)


_Way = tuple[str, ...]


def _walk(node: TreeNode, way: _Way) -> Iterable[tuple[_Way, TreeNode]]:
    for child in node.children:
        inner = (*way, child.name)
        yield inner, child
        yield from _walk(child, inner)


def _pruned(node: TreeNode, way: _Way, kept: set[_Way]) -> TreeNode:
    children = [
        _pruned(child, inner, kept)
        for child in node.children
        if (inner := (*way, child.name)) in kept
    ]
    left_out = len(node.children) - len(children)
    return node.model_copy(update={"children": children, "left_out": left_out})


def _numbers(found: Findings) -> _Numbers:
    churn, clones, debt = found.churn, found.duplicates, found.debt
    gradients = found.gradients
    return _Numbers(
        changed=None
        if churn is None
        else {it.path: (it.additions or 0) + (it.deletions or 0) for it in churn.files},
        duplicated=None
        if clones is None
        else {it.file: it.duplicated_lines for it in clones.files},
        comments=None if debt is None else Counter(it.file for it in debt.items),
        gradients=None if gradients is None else {it.file: it.score for it in gradients},
        defects=found.defects,
        covered=found.covered or {},
    )


def _folder(name: str, draft: _Draft, numbers: _Numbers) -> TreeNode:
    while name != "." and not draft.files and len(draft.folders) == 1:
        [(inner, draft)] = draft.folders.items()
        name = f"{name}/{inner}"
    children = [_folder(it, folder, numbers) for it, folder in draft.folders.items()]
    children += [_file(it, file, numbers) for it, file in draft.files.items()]
    children.sort(key=lambda it: (-it.code_lines, it.name))
    return TreeNode(
        name=name,
        kind="folder",
        files=sum(it.files for it in children),
        size_bytes=sum(it.size_bytes for it in children),
        lines=sum(it.lines for it in children),
        code_lines=sum(it.code_lines for it in children),
        functions=sum(it.functions for it in children),
        max_cyclomatic=_highest(it.max_cyclomatic for it in children),
        changed_lines=_sum(it.changed_lines for it in children),
        duplicated_lines=_sum(it.duplicated_lines for it in children),
        debt_comments=_sum(it.debt_comments for it in children),
        debt_gradient=_highest(it.debt_gradient for it in children),
        defect_probability=_highest(it.defect_probability for it in children),
        coverage=_covered(_beneath(draft), numbers),
        children=children,
        left_out=0,
    )


def _file(name: str, file: FileFacts, numbers: _Numbers) -> TreeNode:
    outline, path = file.outline, file.path
    return TreeNode(
        name=name,
        kind="file",
        files=1,
        size_bytes=file.size_bytes,
        lines=outline.lines,
        code_lines=outline.code_lines,
        functions=len(outline.functions),
        max_cyclomatic=max((it.cyclomatic for it in outline.functions), default=None),
        changed_lines=_count(numbers.changed, path),
        duplicated_lines=_count(numbers.duplicated, path),
        debt_comments=_count(numbers.comments, path),
        debt_gradient=_share(numbers.gradients, path, 2),
        defect_probability=_share(numbers.defects, path, 3),
        coverage=_covered([file], numbers),
        children=[],
        left_out=0,
    )


def _count(values: Mapping[str, int] | None, path: str) -> int | None:
    return None if values is None else values.get(path, 0)


def _share(values: Mapping[str, float] | None, path: str, digits: int) -> float | None:
    value = None if values is None else values.get(path)
    return None if value is None else round(value, digits)


def _sum(values: Iterable[int | None]) -> int | None:
    known = [it for it in values if it is not None]
    return sum(known) if known else None


def _highest(values: Iterable[T | None]) -> T | None:
    return max((it for it in values if it is not None), default=None)


def _beneath(draft: _Draft) -> Iterator[FileFacts]:
    yield from draft.files.values()
    for folder in draft.folders.values():
        yield from _beneath(folder)


def _covered(files: Iterable[FileFacts], numbers: _Numbers) -> float | None:
    known = (numbers.covered[file.path] for file in files if file.path in numbers.covered)
    share = share_of_all(known)
    return None if share is None else round(share, 3)
