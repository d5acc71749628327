"""How well the identifiers of a file are named, judged by their words alone."""

from collections.abc import Collection

from benchpin.engines.metrics.names.splitting import split_identifier
from benchpin.engines.metrics.names.vectors import word_vectors
from benchpin.engines.source.index import FileFacts

_CUSTOMARY = frozenset("efghijkmnpqrstvwxyz") | {"_", "id", "ok", "fn", "db", "io", "os", "fs"}
"""Short names that every programmer reads at a glance."""


def name_quality(file: FileFacts) -> float | None:
    """Return the mean quality of the distinct identifiers, from 0 to 1; None without any."""
    words = word_vectors().places
    names = file.links.references
    return sum(_quality(name, words) for name in names) / len(names) if names else None


def _quality(name: str, known: Collection[str]) -> float:
    """Return the share of an identifier's words that say something.

    A word says something when it is in the vocabulary that comes with the package, as it is or
    as a plural; single letters and numbers do not, so `tmp2` is worth a half and `x1` nothing.
    """
    if name in _CUSTOMARY:
        return 1.0
    words = split_identifier(name)
    telling = [it for it in words if len(it) > 1 and (it in known or it.removesuffix("s") in known)]
    return len(telling) / len(words) if words else 0.0
