"""What a release rests on: the notes of its version, and a workflow without secrets."""

from pathlib import Path

import pytest
import yaml

from benchpin._version import __version__
from changelog import main, section

ROOT = Path(__file__).parent.parent
WORKFLOW = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
LOG = """# Changes

## Unreleased

- Something new.

## 1.2.0 (2026-01-02)

- Two.

### Fixed

- A slip.

## 1.1.0

- One.
"""


def test_the_notes_of_a_version_are_its_section_of_the_change_log() -> None:
    assert section(LOG, "1.2.0") == "- Two.\n\n### Fixed\n\n- A slip."
    assert section(LOG, "1.1.0") == "- One."
    assert section(LOG, "1.2") == ""


def test_a_tag_of_another_version_makes_no_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("v99.0.0") == 1
    assert __version__ in capsys.readouterr().err


def test_the_release_needs_no_secret_and_jobs_have_only_the_rights_they_name() -> None:
    workflow = yaml.safe_load(WORKFLOW)
    assert "secrets." not in WORKFLOW
    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())
    assert workflow["jobs"]["publish"]["permissions"]["id-token"] == "write"
