"""Two people change the comments of many files at once, and git merges what they wrote."""

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from benchpin.comments import CommentStore, NewComment, Sidecar, SidecarEditor
from benchpin.comments.anchoring import TrackedText, make_anchor
from benchpin.core.calls import Job
from comment_kit import CODE, NOON, placed
from repositories import GIT, Content, Tree

_JOB = Job()
EVERYTHING = ("add", "add", "reply", "edit", "resolve", "delete", "place")


@dataclass
class Side:
    """What one person did to the comments of a file."""

    added: dict[str, str] = field(default_factory=dict)
    """Texts by id."""
    edited: dict[str, str] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    statuses: dict[str, str] = field(default_factory=dict)

    @property
    def touched(self) -> set[str]:
        """The comments that it added, edited, resolved."""
        return {*self.added, *self.edited, *self.statuses}


class Merging:
    """A repository with many files, and two branches on which their comments change."""

    def __init__(self, root: Path, files: int, seed: int, *, union: bool) -> None:
        self.tree = Tree(root)
        self.numbers = random.Random(seed)  # noqa: S311 - the same edits for everybody
        self.store = CommentStore(root)
        self.now = NOON
        self.paths = [f"f{number:04}.py" for number in range(files)]
        attributes = b"*.comments merge=union\n" if union else b""
        # Different texts: git would take sidecars that say the same for renamed ones.
        self.texts = {it: TrackedText(code_of(it).encode()) for it in self.paths}
        code: dict[str, Content] = {path: text.text for path, text in self.texts.items()}
        self.tree.commit({**code, ".gitattributes": attributes})
        for path in self.paths:
            self.change(path, Side(), self.numbers.randrange(6), ("add",))
        self.tree.commit()

    def branch(self, name: str, kinds: tuple[str, ...] = EVERYTHING) -> dict[str, Side]:
        """Change the comments of every file at random, on a branch; returns what was done."""
        self.tree.git("checkout", "--quiet", "-b", name, "main")
        sides = {}
        for path in self.paths:
            sides[path] = side = Side()
            self.change(path, side, self.numbers.randrange(1, 5), kinds)
        self.tree.commit()
        return sides

    def change(self, path: str, side: Side, steps: int, kinds: tuple[str, ...]) -> None:
        """Change the comments of a file in some steps, each written on its own."""
        for _ in range(steps):
            self.now += timedelta(seconds=self.numbers.randrange(1, 60))
            with self.store.editing([PurePosixPath(path)], _JOB) as [editor]:
                self.step(editor, side, self.numbers.choice(kinds), self.now)

    def step(self, editor: SidecarEditor, side: Side, kind: str, now: datetime) -> None:
        """Change one comment."""
        code = self.texts[editor.path]
        known = [it.id for it in editor.sidecar.comments]
        word = f"{kind} {self.numbers.randrange(10**9)}"
        if kind == "add" or not known:
            anchor = make_anchor(code, self.numbers.randrange(1, 10))
            added = editor.add(NewComment(word, "NOTE", "me"), code, anchor, now)
            side.added[added.id] = word
            return
        chosen = self.numbers.choice(known)
        if kind == "reply":
            new = NewComment(word, "NOTE", "me", reply_to=chosen)
            side.added[editor.add(new, code, make_anchor(code, 1), now).id] = word
        elif kind == "edit":
            editor.edit(chosen, word, now)
            (side.added if chosen in side.added else side.edited)[chosen] = word
        elif kind == "resolve":
            status = self.numbers.choice(("resolved", "wontfix", "open"))
            editor.resolve(chosen, status, "me", now)
            side.statuses[chosen] = status
        elif kind == "delete":
            editor.remove(chosen)
            if side.added.pop(chosen, None) is None:
                side.deleted.add(chosen)
            side.edited.pop(chosen, None)
            side.statuses.pop(chosen, None)
        else:
            comment = next(it for it in editor.sidecar.comments if it.id == chosen)
            editor.set_place(comment.marker_id, placed(comment, self.numbers.randrange(1, 10)))

    def merge(self, other: str) -> int:
        """Merge a branch into the one that is checked out; returns how many files conflict."""
        subprocess.run(
            [GIT, "-c", "user.name=a", "-c", "user.email=a@example.org", "merge", "--quiet", other],
            cwd=self.tree.root,
            check=False,
            capture_output=True,
        )
        return len(self.tree.names("diff", "--name-only", "--diff-filter=U"))

    def read(self, path: str) -> Sidecar:
        """Return the comments of a file as a reader has them."""
        return self.store.read(PurePosixPath(path))


def code_of(path: str) -> str:
    """Return a source text that has little in common with that of another file."""
    number = path.strip("f.py")
    return "".join(f"{line} # {number} {line[::-1]}\n" for line in CODE.splitlines())


def losses(sidecar: Sidecar, one: Side, other: Side) -> Iterator[str]:
    """Yield what either person wrote that is not in the merged comments."""
    if sidecar.problem:
        yield sidecar.problem
    found = {it.id: it for it in sidecar.comments}
    for mine, theirs in ((one, other), (other, one)):
        for comment_id, text in {**mine.added, **mine.edited}.items():
            there = found.get(comment_id)
            if there is None:
                yield f"{comment_id} is lost"
            elif text not in {there.text, *there.also_says} or not there.marker_id:
                yield f"the text {text!r} or the line of {comment_id} is lost"
        for comment_id in mine.statuses.keys() - theirs.deleted:
            statuses = {mine.statuses[comment_id], theirs.statuses.get(comment_id)}
            if comment_id not in found or found[comment_id].status not in statuses:
                yield f"the status of {comment_id} is lost"
