from pathlib import Path

import pytest

from benchpin.repository import identify, is_licence
from benchpin.repository._licences import _PROFILES

OURS = Path(__file__).parents[2] / "LICENSE"


def test_our_own_licence_is_what_we_say() -> None:
    found = identify("LICENSE", OURS.read_text(encoding="utf-8"))
    assert (found.spdx, found.confidence, found.source) == ("MIT", 1.0, "text")


@pytest.mark.parametrize("profile", _PROFILES, ids=lambda it: it.spdx)
def test_a_text_with_all_phrases_of_a_licence_is_that_licence(profile: object) -> None:
    text = "\n\n".join(f"  {phrase.title()}, " for phrase in profile.phrases)  # type: ignore[attr-defined] # a private class
    assert identify("COPYING", text).spdx == profile.spdx  # type: ignore[attr-defined] # likewise


def test_quotes_case_and_line_ends_do_not_matter() -> None:
    text = OURS.read_text(encoding="utf-8").upper().replace("\n", "\r\n * ")
    assert identify("LICENSE", text).spdx == "MIT"


def test_much_additional_text_reduces_the_confidence() -> None:
    text = OURS.read_text(encoding="utf-8") + "But not on Mondays. " * 100
    found = identify("LICENSE", text)
    assert found.spdx == "MIT"
    assert found.confidence is not None
    assert found.confidence < 0.6


def test_what_fits_no_licence_is_not_named() -> None:
    found = identify("LICENSE", "All rights reserved. Do not copy this software.")
    assert (found.spdx, found.confidence) == (None, None)


def test_a_tag_is_believed() -> None:
    found = identify("LICENSE", "// SPDX-License-Identifier: MIT OR Apache-2.0\n")
    assert (found.spdx, found.source) == ("MIT OR Apache-2.0", "tag")


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE",
        "LICENCE.md",
        "COPYING",
        "COPYING.LESSER",
        "UNLICENSE",
        "LICENSE-MIT",
        "a/License.txt",
    ],
)
def test_licence_files_are_known_by_name(path: str) -> None:
    assert is_licence(path)


@pytest.mark.parametrize(
    "path", ["license.py", "docs/license.rst", "licenses/list.csv", "copy.txt"]
)
def test_other_files_are_none(path: str) -> None:
    assert not is_licence(path)
