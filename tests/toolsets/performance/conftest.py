"""Real artefacts in a workspace: one session of a site, seen from three sides."""

import gzip
import shutil
from pathlib import Path

import pytest

from benchpin.app import Workbench

FIXTURES = Path(__file__).parents[2] / "fixtures" / "performance"
PROFILE = "spx-full-20261115_064605-vm-3470-1102520059"
OLD_PROFILE = "spx-full-20261115_060901-vm-5392-1804289383"
NEW_PROFILE = "spx-full-20261115_060902-vm-5395-1804289383"


def place_artifacts(folder: Path) -> list[str]:
    """Copy artefacts into a folder and return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    log = gzip.decompress((FIXTURES / "slowlog/bundle.log.gz").read_bytes())
    (folder / "slow.log").write_bytes(log)
    shutil.copy(FIXTURES / "timings/collector_v1.json", folder / "timings.json")
    names = [f"{PROFILE}.json", f"{PROFILE}.txt.gz"]
    names += [f"{NEW_PROFILE}.json", f"{NEW_PROFILE}.txt.zst"]
    for name in names:
        shutil.copy(FIXTURES / "spx" / name, folder / name)
    return [*names, "slow.log", "timings.json"]


@pytest.fixture
def names(workspace: Path) -> list[str]:
    """Return the names of artefacts in the workspace."""
    return place_artifacts(workspace)


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench on the workspace."""
    return Workbench.open(workspace)
