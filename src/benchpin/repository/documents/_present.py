"""What a repository has now of what its documents name."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Type
from benchpin.repository import RepositoryTree, make_targets
from benchpin.repository.manifests import PackageManifest
from benchpin.workspace.search import read_texts

from ._mentions import Mention, owner_of, spellings_of
from ._past import is_evidence

_WORD = re.compile(rb"[\w$]++(?:-[\w$]++)*+")


class Present:
    """Looks up what a document names in the files of today."""

    def __init__(
        self, tree: RepositoryTree, manifests: Sequence[PackageManifest], job: Job
    ) -> None:
        self._tree = tree
        self._manifests = {it.path: it for it in manifests}
        self._job = job

    def lacks(self, document: str, mention: Mention) -> bool:
        if mention.kind == "path":
            return not self._has_path(document, mention.name)
        if mention.kind == "symbol":
            return mention.name not in self.words or self._lacks_member(mention)
        if mention.kind == "setting":
            return not any(it in self.words for it in spellings_of(mention.name))
        if mention.kind == "target":
            return self._lost_target(mention.name)
        return not any(
            command.name == mention.name
            for it in self._manifests.values()
            for command in it.commands
        )

    def _has_path(self, document: str, name: str) -> bool:
        tree = self._tree
        folder = posixpath.dirname(document)
        for start in (tree.base, f"{folder}/" if folder else ""):
            path = posixpath.normpath(start + name)
            if path.startswith("..") or tree.exists(path) or tree.is_ignored(path):
                return True
        parts = name.split("/")
        last = parts[-1]
        return any(
            f"/{path}/".find(f"/{name}/") >= 0
            or (len(parts) > 1 and f"/{path}".find(f"/{name}.") >= 0)
            for path in self._by_part.get(last, ())
        )

    @cached_property
    def _by_part(self) -> Mapping[str, list[str]]:
        """The paths of files by each part of them, and by their names without endings."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._tree.by_path:
            parts = path.split("/")
            for part in {*parts, parts[-1].partition(".")[0]}:
                found[part].append(path)
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all files that are not documents."""
        tree = self._tree
        paths = [it.path for it in tree.files if is_evidence(tree.local(it.path))]
        found: set[bytes] = set()
        for path, content in read_texts(tree.root, sorted(paths), self._job):
            found.update(_WORD.findall(content))
            found.update(_WORD.findall(path.encode(errors="replace")))
        found.update(part for it in list(found) if b"-" in it for part in it.split(b"-"))
        return frozenset(it.decode(errors="replace") for it in found)

    def _lost_target(self, name: str) -> bool:
        makefiles = [
            it
            for it in self._tree.files
            if posixpath.basename(it.path).lower().endswith("makefile")
        ]
        folders = {posixpath.dirname(it.path) for it in makefiles}
        for folder in folders:
            known = make_targets(self._tree, f"{folder}/" if folder else "")
            if known is not None and name in known[1]:
                return False
        # A pattern or an included file may make anything.
        contents = [self._tree.read(it.path) or b"" for it in makefiles]
        return not any(b"\ninclude " in it or b"\n%" in it or b"$(eval" in it for it in contents)

    @cached_property
    def types(self) -> Mapping[str, list[tuple[FileFacts, Type]]]:
        found: dict[str, list[tuple[FileFacts, Type]]] = defaultdict(list)
        for facts in self._tree.read_sources(self._job).files:
            for known in facts.outline.types:
                found[known.name.rpartition(".")[2]].append((facts, known))
        return found

    def _lacks_member(self, mention: Mention) -> bool:
        """Whether a type has no such member, nor could inherit it."""
        owner = owner_of(mention)
        known = self.types.get(owner[0], ()) if owner else ()
        return len(known) == 1 and not self._may_have(known[0], mention.name, frozenset())

    def _may_have(self, known: tuple[FileFacts, Type], member: str, above: frozenset[str]) -> bool:
        facts, owner = known
        content = self._tree.read(facts.path) or b""
        if facts.path in above or member.encode() in content:
            return True
        bases = [it.rpartition(".")[2].partition("<")[0].partition("[")[0] for it in owner.bases]
        return any(
            len(self.types.get(it, ())) != 1
            or self._may_have(self.types[it][0], member, above | {facts.path})
            for it in bases
        )
