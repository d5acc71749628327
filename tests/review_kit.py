"""A change in a small repository, and what the review says of it."""

from collections.abc import Mapping

from benchpin.app import Workbench
from benchpin.project.review import ReviewFinding
from repositories import Tree

Files = Mapping[str, str]
# Path, old text, new text.
Edit = tuple[str, str, str]


def review(tree: Tree, files: Mapping[str, str | None], **given: object) -> list[ReviewFinding]:
    """Return what is said once some files have other texts, or none."""
    tree.write({name: None if text is None else text.encode() for name, text in files.items()})
    bench = Workbench.open(tree.root)
    try:
        found = bench.call("review_change", **given).model_dump()["findings"]
    finally:
        bench.close()
    return [ReviewFinding.model_validate(it) for it in found]


def review_edits(tree: Tree, files: Files, *edits: Edit) -> list[ReviewFinding]:
    """Return what is said about edits of files, each of a text that is there."""
    after = dict(files)
    for path, old, new in edits:
        assert old in after[path]
        after[path] = after[path].replace(old, new, 1)
    return review(tree, after)


def commit(tree: Tree, files: Files) -> None:
    """Commit texts as files."""
    tree.commit({name: text.encode() for name, text in files.items()})


def places(found: list[ReviewFinding], *rules: str) -> list[tuple[str, int]]:
    """Return where findings of some rules are."""
    return [(it.file, it.line) for it in found if it.rule in rules]
