"""Identify licences by phrases that only they, or they and few others, contain.

Case, punctuation, quotes and line breaks are ignored. The confidence is the share of the phrases
that were found, and less when a short licence has much additional text; below four fifths no
licence is named. The texts of the GNU licences do not say whether "or any later version" applies,
so their identifiers have no suffix.
"""

import re
from dataclasses import dataclass

from benchpin.core.results import Item
from benchpin.repository.packing import ShownPath

_MIN_SIMILARITY = 0.8
# Names of copyright holders may make a licence this much longer.
_SLACK = 1.3
_TAG = re.compile(r"SPDX-License-Identifier:\s*([\w.+() -]+)")


class Licence(Item):
    """A licence, and the file that has or names it."""

    path: ShownPath
    spdx: str | None
    """The SPDX identifier; null when the licence is unknown."""
    confidence: float | None
    """1 for the unchanged text; null when nothing was compared."""
    source: str
    """How it was identified: by its text, a tag or a manifest."""


@dataclass(frozen=True, slots=True)
class _Profile:
    spdx: str
    phrases: tuple[str, ...]
    without: tuple[str, ...] = ()
    words: int = 0
    """The number of words of a short licence; additional words reduce the confidence."""


_BSD = (
    "redistribution and use in source and binary forms",
    "redistributions of source code must retain",
    "redistributions in binary form must reproduce",
)
_MIT = (
    "permission is hereby granted free of charge to any person obtaining a copy",
    "to deal in the software without restriction",
    "the software is provided as is without warranty of any kind",
)
_PROFILES = (
    _Profile(
        "MIT",
        (*_MIT, "the above copyright notice and this permission notice shall be"),
        ("except as contained in this notice", "must not be used to advertise"),
        words=180,
    ),
    _Profile("MIT-0", _MIT, ("the above copyright notice", "notice shall be included")),
    _Profile(
        "Apache-2.0",
        (
            "apache license version 2 0",
            "terms and conditions for use reproduction and distribution",
            "grant of patent license",
            "accepting warranty or additional liability",
        ),
    ),
    _Profile(
        "BSD-3-Clause",
        (*_BSD, "to endorse or promote products derived"),
        ("all advertising materials mentioning",),
        words=230,
    ),
    _Profile(
        "BSD-4-Clause",
        (*_BSD, "all advertising materials mentioning", "to endorse or promote products derived"),
    ),
    _Profile("BSD-2-Clause", _BSD, ("endorse or promote", "advertising materials"), words=200),
    _Profile(
        "ISC",
        (
            "permission to use copy modify and or distribute this software for any purpose",
            "provided that the above copyright notice and this permission notice appear",
            "the software is provided as is",
        ),
    ),
    _Profile(
        "0BSD",
        (
            "permission to use copy modify and or distribute this software for any purpose",
            "the author disclaims all warranties",
        ),
        ("provided that the above copyright notice",),
    ),
    _Profile(
        "AGPL-3.0", ("gnu affero general public license version 3", "remote network interaction")
    ),
    _Profile(
        "LGPL-3.0",
        ("gnu lesser general public license version 3", "additional permissions listed below"),
    ),
    _Profile(
        "LGPL-2.1", ("gnu lesser general public license version 2 1", "work that uses the library")
    ),
    _Profile(
        "GPL-3.0",
        (
            "gnu general public license version 3",
            "protecting users legal rights from anti circumvention law",
            "conveying verbatim copies",
        ),
        ("affero general public license version 3", "lesser general public license version 3"),
    ),
    _Profile(
        "GPL-2.0",
        (
            "gnu general public license version 2",
            "june 1991",
            "terms and conditions for copying distribution and modification",
        ),
        ("library general public license version 2",),
    ),
    _Profile(
        "MPL-2.0",
        ("mozilla public license version 2 0", "covered software", "exhibit a source code form"),
    ),
    _Profile(
        "EPL-2.0", ("eclipse public license v 2 0", "secondary licenses", "commercial distribution")
    ),
    _Profile(
        "Unlicense",
        (
            "this is free and unencumbered software released into the public domain",
            "relinquishment in perpetuity",
        ),
    ),
    _Profile("CC0-1.0", ("cc0 1 0 universal", "public license fallback")),
    _Profile(
        "CC-BY-4.0",
        ("attribution 4 0 international", "attribution 4 0 international public license"),
        ("noncommercial", "sharealike 4 0", "noderivatives 4 0"),
    ),
    _Profile(
        "CC-BY-SA-4.0", ("attribution sharealike 4 0 international",), ("noncommercial sharealike",)
    ),
    _Profile(
        "BSL-1.0",
        ("boost software license version 1 0", "machine executable object code generated by"),
    ),
    _Profile(
        "Zlib",
        (
            "the origin of this software must not be misrepresented",
            "altered source versions must be plainly marked",
            "this notice may not be removed or altered from any source distribution",
        ),
    ),
    _Profile("WTFPL", ("do what the fuck you want to public license",)),
    _Profile(
        "Vim", ("vim license", "there are no restrictions on distributing unmodified copies of vim")
    ),
    _Profile(
        "curl",
        (
            "copy modify and distribute this software for any purpose with or without fee is",
            "except as contained in this notice the name of a copyright holder",
        ),
    ),
)


def identify(path: str, text: str) -> Licence:
    tag = _TAG.search(text[:2_000])
    if tag is not None:
        return Licence(path=path, spdx=tag[1].strip(), confidence=1.0, source="tag")
    plain = " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("'", "").replace("\u2019", "")))
    best, share = _PROFILES[0], 0.0
    for profile in _PROFILES:
        if not any(phrase in plain for phrase in profile.without):
            found = sum(phrase in plain for phrase in profile.phrases) / len(profile.phrases)
            if found > share:
                best, share = profile, found
    if share < _MIN_SIMILARITY:
        return Licence(path=path, spdx=None, confidence=None, source="text")
    words = plain.count(" ") + 1
    own = best.words * _SLACK / words if best.words else 1.0
    return Licence(
        path=path, spdx=best.spdx, confidence=round(share * min(1.0, own), 2), source="text"
    )
