"""Names that programs compose at run time."""

from dataclasses import dataclass

_MIN_PREFIX_CHARS = 3


@dataclass(frozen=True, slots=True)
class ComposedNames:
    """Parts of names that are composed at run time, each with a file that does so."""

    prefixes: dict[str, str]
    suffixes: dict[str, str]
    looked_up: dict[str, str]
    """Prefixes in the call that looks the name up: they may end in the middle of a word."""

    def find(self, name: str) -> tuple[str, str] | None:
        """Return a part of a name, and the file that composes names with it."""
        for at in range(1, len(name)):
            first, last = name[:at], name[at:]
            if first in self.looked_up and at >= _MIN_PREFIX_CHARS:
                return first, self.looked_up[first]
            if name[at].isupper() or "_" in name[at - 1 : at + 1]:
                if first in self.prefixes:
                    return first, self.prefixes[first]
                if last in self.suffixes:
                    return last, self.suffixes[last]
        return None
