"""What one file contributes to the search for unused code, as numbers."""

from array import array
from collections.abc import Iterable
from threading import Lock

import msgspec

from benchpin.facts import FileFacts
from benchpin.facts.liveness import Definition, DefinitionKind

# How a name is used, combined with `|`.
UseKind = int
BARE: UseKind = 1
# The name is after a dot.
MEMBER: UseKind = 2
# The name is in a string that could be a name or a path.
STRING: UseKind = 4
# The name is in a longer string, such as a docstring, where it looks like code.
TEXT: UseKind = 8
# The file imports the name, or everything from somewhere.
IMPORTED: UseKind = 16

# No definition: of code outside any, or as the owner of what is in none.
NONE = -1

# What kind of code an id is of: one of the first four, and marks combined with `|`.
CodeKind = int
# The code of a file that is in no definition.
TOP: CodeKind = 0
FUNCTION: CodeKind = 1
METHOD: CodeKind = 2
TYPE: CodeKind = 3
KINDS: CodeKind = 3
# A type that declares members of other types.
CONTRACT: CodeKind = 4
PUBLIC: CodeKind = 8
# Its decorators or its text say that it is deprecated.
DEPRECATED: CodeKind = 16
IMPLEMENTING: CodeKind = 32
# Only its own file can use it; and: whether that is so depends on other files.
LOCAL: CodeKind = 64
MAYBE_LOCAL: CodeKind = 128
CODE_KINDS: dict[DefinitionKind, CodeKind] = {"function": FUNCTION, "method": METHOD, "type": TYPE}
KIND_NAMES: dict[CodeKind, DefinitionKind] = {kind: name for name, kind in CODE_KINDS.items()}


class FileVerdict(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the rules say of a definition as far as its own file tells."""

    order: int
    """The place of the strongest reason among all rules: of equal ones, the first counts."""
    score: float
    why: str
    open_rules: int
    """A bit for each rule that has to ask about other files."""
    exposure: float
    """How likely code outside the workspace uses it; below 0 if that depends on other files."""
    exposed_why: str


class Described(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What people and rules want to know of a definition; few are asked for."""

    qualified: str
    label: str
    line: int
    end_line: int
    first_token: int
    last_token: int
    signature: str
    """Only where whether it is local depends on other files."""
    decorators: tuple[str, ...]
    bases: tuple[str, ...]


_describe = msgspec.msgpack.Decoder(list[Described]).decode


class FileUses(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a file defines and uses; it depends on no other file.

    Words are given by number: in `words`, or once they are joined, in the words of all files. Code
    is given by number too: 0 is what is in no definition, and the definitions follow.
    """

    language: str
    lines: int
    is_generated: bool
    is_test: bool
    words: tuple[str, ...]
    counts: bytes
    """For each code, how many names it uses."""
    entries: bytes
    """The names that code uses, one code after the other, 32 bits each."""
    hows: bytes
    """The `UseKind` of each entry."""
    names: bytes
    """For each definition, its name."""
    places: bytes
    """For each definition, a checksum of its qualified name."""
    owners: bytes
    """For each definition, the definition that encloses it, counted from 0, or `NONE`."""
    kinds: bytes
    """For each definition, its `CodeKind`."""
    verdicts: tuple[FileVerdict, ...]
    """Each different one."""
    judged: bytes
    """For each definition, which of them."""
    described: bytes
    """An encoded list of `Described`: it is decoded when one of them is asked for."""
    qualifiers: dict[int, str]
    """The type of a method that is written outside of it."""
    bases: dict[int, tuple[tuple[str, str | None], ...]]
    """The bases of each type as written, and the module of an absolute import that each is of."""
    heritage: dict[int, str]
    """For each type, what the rules read of it to judge the types that inherit from it."""
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    """Parts of names that are composed at run time."""
    looked_up: tuple[str, ...]
    """Prefixes inside the call that looks the name up, such as `getattr(box, "get" + kind)`."""
    self_lookups: tuple[int, ...]
    """Code in which an object looks up its own member by a name that is not a literal."""
    shared: tuple[bytes, ...]
    """The words that the file adds to each of the names that its rules share."""

    def definitions(
        self, path: str, number: int, first_id: int, names: Iterable[str]
    ) -> list[Definition]:
        """Return the definitions; `number` and `first_id` are those of the file among others."""
        return [
            Definition(
                id=at,
                file=number,
                path=path,
                qualified=it.qualified,
                name=name,
                kind=KIND_NAMES[kind & KINDS],
                label=it.label,
                line=it.line,
                end_line=it.end_line,
                first_token=it.first_token,
                last_token=it.last_token,
                owner=None if owner == NONE else first_id + owner,
                is_public=kind & PUBLIC > 0,
                signature=it.signature,
                decorators=it.decorators,
                bases=it.bases,
            )
            for at, (it, name, kind, owner) in enumerate(
                zip(
                    _describe(self.described),
                    names,
                    self.kinds,
                    array("i", self.owners),
                    strict=True,
                ),
                first_id,
            )
        ]


class JoinedUses:
    """The uses of many files with numbers of words that hold for all of them.

    It is kept from call to call, so that only files that changed are read and joined again.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.words: list[str] = []
        self.numbers: dict[str, int] = {}
        self._files: dict[str, tuple[bytes, FileUses]] = {}
        """The key of the content and the uses, by path."""

    def lacking(self, files: Iterable[FileFacts]) -> list[FileFacts]:
        """Return those of some files that are not known as they are; drop all others."""
        known = self._files
        self._files = {
            it.path: its for it in files if (its := known.get(it.path)) and its[0] == it.key != b""
        }
        # Words stay, and each edit may bring some: after many, all is joined again.
        if len(self._files) < len(known) // 2:
            self.words, self.numbers, self._files = [], {}, {}
        return [it for it in files if it.path not in self._files]

    def add(self, file: FileFacts, uses: FileUses) -> None:
        """Join the uses of a file with the others."""
        numbers, words = self.numbers, self.words
        for word in uses.words:
            if word not in numbers:
                numbers[word] = len(words)
                words.append(word)
        joined = array("I", map(numbers.__getitem__, uses.words))

        def renumbered(local: bytes) -> bytes:
            return array("I", map(joined.__getitem__, array("I", local))).tobytes()

        self._files[file.path] = (
            file.key,
            msgspec.structs.replace(
                uses,
                words=(),
                entries=renumbered(uses.entries),
                names=renumbered(uses.names),
                shared=tuple(map(renumbered, uses.shared)),
            ),
        )

    def has(self, file: FileFacts) -> bool:
        """Whether the uses of a file were added."""
        return file.path in self._files

    def of(self, files: Iterable[FileFacts]) -> list[FileUses]:
        """Return the uses of files that were added."""
        return [self._files[it.path][1] for it in files]
