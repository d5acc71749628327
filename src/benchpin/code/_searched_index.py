"""An index for one question, where most files were never parsed: it answers before they are.

All files are in it, and a file is parsed when the question leads to it. Which files have a name is
found in their texts: a name that is not in the text of a file is not in its facts. So the answer is
that of an index of everything; a question that leads to most files takes as long as to make one.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from benchpin.code.names import Module, Modules, NameTable, Postings, SymbolTable, UsedNames
from benchpin.facts import FileFacts, FileSelection
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import ImportResolver, Resolution
from benchpin.facts.store import AnySection, OnDemandSections, Section
from benchpin.workspace.search import read_texts

from ._code_index import CodeIndex

_SECTIONS: tuple[Section, ...] = ("outline", "links", "comments", "tokens")
# With less that was never parsed, all is parsed.
_MANY_BYTES = 2_000_000
# Texts are in memory while the question is answered.
_MAX_BYTES = 1 << 28
# A question that leads to a larger part of the files is one for an index of all.
_MAX_SHARE = 0.25
# After so many files one by one, something looks into all: to parse these together is faster.
_MAX_SINGLE = 64
_WORD = re.compile(r"\w+")
# What an import may bring without naming it.
_UNWRITTEN = "default"
_NOTHING = Postings.of({})
_NO_USES = UsedNames([], _NOTHING, _NOTHING, _NOTHING, {})


def searched_index(selection: FileSelection, names: Sequence[str]) -> CodeIndex | None:
    """Return an index for a question about some names; None where one of all files is better."""
    whole = selection.workspace()
    files, new_bytes = whole.unparsed()
    if not _MANY_BYTES <= new_bytes <= _MAX_BYTES or whole.is_fresh:
        return None
    found = _Files(whole, files)
    asked = {path for name in names for path in found.having(_last_word(name))}
    if found.bytes_of(asked) > _MAX_SHARE * new_bytes or not found.parse_first(asked):
        return None
    modules = Modules(found.files, found.leads)
    return CodeIndex(SymbolTable(modules, _SearchedNames(found, modules)), found.keys_lacking)


class _Files:
    """The files of a workspace, each parsed when something of it is asked for."""

    def __init__(self, selection: FileSelection, files: Mapping[str, str]) -> None:
        self._selection = selection
        self.files = {
            path: FileFacts(path, language, 0, self._on_demand(path), _key_of(path))
            for path, language in files.items()
        }
        root, job = selection.root, selection.job
        self._texts = dict(read_texts(root, sorted(self.files), job))
        self._parsed: dict[str, FileFacts] = {}
        self._single = 0
        self._imports = ImportResolver(list(self.files.values()), selection.read_manifest)

    def having(self, word: str, *, is_lowered: bool = False) -> list[str]:
        """Return the files whose text has a word; those that could not be searched may have it."""
        wanted, texts = word.encode(errors="surrogatepass"), self._texts
        if is_lowered:
            return [it for it in self.files if it not in texts or wanted in texts[it].lower()]
        return [
            path
            for path, file in self.files.items()
            if path not in texts
            or wanted in texts[path]
            or (word == _UNWRITTEN and navigation_of(file.language).has_default_exports)
        ]

    def bytes_of(self, paths: Collection[str]) -> int:
        return sum(len(self._texts.get(it, b"")) for it in paths)

    def parse_first(self, paths: Collection[str]) -> bool:
        """Parse what is asked for, and files that were not searched; return whether there was time.

        Files that cannot be parsed are not in the index.
        """
        omissions = self._selection.job.omissions
        unsearched = self.files.keys() - self._texts.keys()
        self.parse([*paths, *unsearched])
        for path in {*paths, *unsearched} - self._parsed.keys():
            del self.files[path]
        return self._selection.job.omissions == omissions

    def parse(self, paths: Iterable[str]) -> None:
        """Parse files together; those that are known already are not parsed again."""
        new = [it for it in dict.fromkeys(paths) if it not in self._parsed]
        if new:
            read = self._selection.only(new).read_all("links", on_demand=("tokens", "comments"))
            self._parsed |= {it.path: it for it in read.files}

    def leads(self, path: str) -> Sequence[Resolution]:
        """Return where the imports of a file lead."""
        return self._imports.leads(self.files[path])

    def keys_lacking(self, texts: Sequence[str]) -> frozenset[bytes]:
        having = {path for text in texts for path in self.having(_last_word(text))}
        return frozenset(_key_of(path) for path in self.files.keys() - having)

    def _on_demand(self, path: str) -> OnDemandSections:
        return OnDemandSections({}, _SECTIONS, lambda section: self._section(path, section))

    def _section(self, path: str, section: str) -> AnySection:
        if path not in self._parsed:
            self._single += 1
            self.parse([path] if self._single < _MAX_SINGLE else self.files)
        return self._parsed[path].sections[section]


class _SearchedNames(NameTable):
    """Which files define, use and import each name: of the files that have it in their texts."""

    def __init__(self, files: _Files, modules: Modules) -> None:
        super().__init__((), _NOTHING, lambda: _NO_USES)
        self._searched = files
        self._modules = modules
        self._tables: dict[str, NameTable] = {}

    def with_modules(self, changed: Mapping[str, Module | None]) -> NameTable:
        """Return the table after some files changed; None for one that is gone."""
        return self._table(self._searched.having("")).with_modules(changed)

    def defining(self, name: str) -> list[tuple[str, int]]:
        """Return the files with a symbol of a name, and what is said of each symbol."""
        return self._near(name).defining(name)

    def defining_part(self, lowered: str) -> set[str]:
        """Return the files with a symbol that has these lower-case letters in its name."""
        found = self._searched.having(_last_word(lowered), is_lowered=True)
        return self._table(found).defining_part(lowered)

    def defined(self) -> set[str]:
        """Return the last parts of the names of all symbols."""
        return self._table(self._searched.having("")).defined()

    def using(self, name: str) -> list[str]:
        """Return the files that use a name."""
        return self._near(name).using(name)

    def importing(self, name: str) -> list[str]:
        """Return the files that import a name from somewhere."""
        return self._near(name).importing(name)

    def mentioning(self, name: str) -> list[str]:
        """Return the files with a string that is nothing but a name, or that export it so."""
        return self._near(name).mentioning(name)

    def aliases(self, name: str) -> set[str]:
        """Return what files that import a name call it."""
        return self._near(name).aliases(name)

    def _near(self, name: str) -> NameTable:
        if name not in self._tables:
            self._tables[name] = self._table(self._searched.having(_last_word(name)))
        return self._tables[name]

    def _table(self, paths: Sequence[str]) -> NameTable:
        self._searched.parse(paths)
        modules = {path: self._modules[path] for path in paths}
        return NameTable((), _NOTHING, lambda: _NO_USES, modules)


def _last_word(name: str) -> str:
    """Return the last word of a name, which is written like that in every file that has it."""
    words = _WORD.findall(name)
    return words[-1] if words else ""


def _key_of(path: str) -> bytes:
    return b"path " + os.fsencode(path)
