"""How often names occur in a workspace, after a change of some of its files."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from benchpin.facts import FileFacts
from benchpin.workspace.walking import is_test_path


def last_part(name: str) -> str:
    """Return a name without its containers."""
    return name.rpartition(".")[2]


class NameCounts:
    """How often the names of some files occur."""

    def __init__(self, files: Iterable[FileFacts]) -> None:
        self.references: Counter[str] = Counter()
        """In definitions, uses, strings and imports."""
        self.defined: Counter[str] = Counter()
        self.in_tests: Counter[str] = Counter()
        """Files of tests that use or mention them."""
        for file in files:
            links, outline = file.links, file.outline
            for names in (links.references, links.mentions, links.exports):
                self.references.update(names)
            for imported in links.imports:
                self.references.update(imported.names)
            self.defined.update(last_part(it.name) for it in outline.functions)
            self.defined.update(last_part(it.name) for it in outline.types)
            if is_test_path(file.path):
                self.in_tests.update({*links.references, *links.mentions})


@dataclass(frozen=True, slots=True)
class WorkspaceNames:
    """The names of a workspace, less those of replaced files, and those of what replaces them."""

    whole: NameCounts
    """Remembered from call to call: to count a large workspace takes a tenth of a second."""
    replaced: NameCounts
    new: NameCounts

    def references(self, name: str) -> int:
        """Return how often a name occurs, in definitions, uses, strings and imports."""
        counts = self.whole.references[name] - self.replaced.references[name]
        return counts + self.new.references[name]

    def defined(self, name: str) -> int:
        """Return how often a name is defined."""
        return self.whole.defined[name] - self.replaced.defined[name] + self.new.defined[name]

    def is_in_tests(self, name: str) -> bool:
        """Whether a test uses or mentions a name."""
        count = self.whole.in_tests[name] - self.replaced.in_tests[name] + self.new.in_tests[name]
        return count > 0

    @property
    def has_tests(self) -> bool:
        """Whether there are tests."""
        return bool(self.whole.in_tests or self.new.in_tests)
