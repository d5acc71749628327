"""The tree of a project's files, with the measures of each folder and file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from benchpin.core.results import Item
from benchpin.facts import FileFacts
from benchpin.measures.coverage import share_of_all
from benchpin.present import Column, Table
from benchpin.project import Findings

T = TypeVar("T", int, float)

# How deep folders are nested: many JSON readers stop at twice as many levels.
MAX_DEPTH = 50


class TreeNode(Item):
    """A folder or a file; None for what was not measured."""

    name: str
    """Both names of a folder with only a folder in it; the rest of the path of a file too deep."""
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
class _Folder:
    """A folder while the tree is built."""

    folders: dict[str, "_Folder"] = field(default_factory=dict)
    files: dict[str, FileFacts] = field(default_factory=dict)

    def all_files(self) -> Iterator[FileFacts]:
        yield from self.files.values()
        for folder in self.folders.values():
            yield from folder.all_files()


def build_tree(found: Findings) -> TreeNode:
    top = _Folder()
    for file in found.files:
        *parents, last = file.path.split("/", MAX_DEPTH)
        folder = top
        for parent in parents:
            folder = folder.folders.setdefault(parent, _Folder())
        folder.files[last] = file
    return _TreeBuilder(found).folder(".", top)


def prune(root: TreeNode, most: int) -> TreeNode:
    """Return a tree of at most this many folders and files besides the root, the biggest ones."""
    ranked = sorted(_walk(root, ()), key=lambda it: (-it[1].code_lines, it[0]))
    kept = {path for path, _ in ranked[:most]}
    return root if len(kept) == len(ranked) else _pruned(root, (), kept)


_Names = tuple[str, ...]


def _walk(node: TreeNode, path: _Names) -> Iterator[tuple[_Names, TreeNode]]:
    for child in node.children:
        inner = (*path, child.name)
        yield inner, child
        yield from _walk(child, inner)


def _pruned(node: TreeNode, path: _Names, kept: set[_Names]) -> TreeNode:
    children = [
        _pruned(child, inner, kept)
        for child in node.children
        if (inner := (*path, child.name)) in kept
    ]
    left_out = len(node.children) - len(children)
    return node.model_copy(update={"children": children, "left_out": left_out})


class _TreeBuilder:
    """Makes nodes of folders and files, with what was measured."""

    def __init__(self, found: Findings) -> None:
        self._found = found
        self._changed = {
            it.path: (it.additions or 0) + (it.deletions or 0)
            for it in (found.churn.files if found.churn else ())
        }
        clones = found.duplicates.files if found.duplicates else ()
        self._duplicated = {it.file: it.duplicated_lines for it in clones}
        self._comments = Counter(it.file for it in (found.debt.items if found.debt else ()))
        self._gradients = {it.file: it.score for it in found.gradients or ()}

    def folder(self, name: str, made: _Folder) -> TreeNode:
        while name != "." and not made.files and len(made.folders) == 1:
            [(inner, made)] = made.folders.items()
            name = f"{name}/{inner}"
        children = [self.folder(inner, folder) for inner, folder in made.folders.items()]
        children += [self._file(inner, file) for inner, file in made.files.items()]
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
            coverage=self._covered(made.all_files()),
            children=children,
            left_out=0,
        )

    def _file(self, name: str, file: FileFacts) -> TreeNode:
        found, outline, path = self._found, file.outline, file.path
        return TreeNode(
            name=name,
            kind="file",
            files=1,
            size_bytes=file.size_bytes,
            lines=outline.lines,
            code_lines=outline.code_lines,
            functions=len(outline.functions),
            max_cyclomatic=max((it.cyclomatic for it in outline.functions), default=None),
            changed_lines=self._changed.get(path, 0) if found.churn else None,
            duplicated_lines=self._duplicated.get(path, 0) if found.duplicates else None,
            debt_comments=self._comments[path] if found.debt else None,
            debt_gradient=_rounded(self._gradients.get(path), 2),
            defect_probability=_rounded((found.defects or {}).get(path), 3),
            coverage=self._covered([file]),
            children=[],
            left_out=0,
        )

    def _covered(self, files: Iterable[FileFacts]) -> float | None:
        covered = self._found.covered or {}
        known = [covered[file.path] for file in files if file.path in covered]
        return _rounded(share_of_all(known), 3)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _sum(values: Iterable[int | None]) -> int | None:
    known = [it for it in values if it is not None]
    return sum(known) if known else None


def _highest(values: Iterable[T | None]) -> T | None:
    return max((it for it in values if it is not None), default=None)


class FileTree(Item):
    """The files that were measured."""

    root: TreeNode
    total_files: int
    total_size_bytes: int


@dataclass(frozen=True, slots=True)
class _Branch:
    """A folder or file of the tree with its path."""

    path: str
    node: TreeNode


def _branches(node: TreeNode, parent: str = "") -> Iterator[_Branch]:
    for child in node.children:
        path = f"{parent}{child.name}"
        yield _Branch(f"{path}/" if child.kind == "folder" else path, child)
        yield from _branches(child, f"{path}/")
    if node.left_out:
        smaller = node.model_copy(update={"files": node.left_out, "kind": "folder"})
        yield _Branch(f"{parent}… {node.left_out:,} smaller", _unmeasured(smaller))


def _unmeasured(node: TreeNode) -> TreeNode:
    keep = {"name", "kind", "files", "children", "left_out"}
    return node.model_copy(update={name: None for name, _ in node if name not in keep})


TREE: Table[Any, _Branch] = Table(
    rows=lambda it: [*_branches(it.file_tree.root)],
    columns=(
        Column("path"),
        Column("files", lambda it: it.node.files if it.node.kind == "folder" else None),
        Column("code_lines", lambda it: it.node.code_lines),
        Column("max_complexity", lambda it: it.node.max_cyclomatic),
        Column("changed_lines", lambda it: it.node.changed_lines or None),
        Column("duplicated_lines", lambda it: it.node.duplicated_lines or None),
        Column("debt_comments", lambda it: it.node.debt_comments or None),
        Column("debt_gradient", lambda it: it.node.debt_gradient),
        Column("bug_fix", lambda it: it.node.defect_probability, spec=".0%"),
        Column("coverage", lambda it: it.node.coverage, spec=".0%"),
    ),
    title="Files",
    is_detail=True,
)
