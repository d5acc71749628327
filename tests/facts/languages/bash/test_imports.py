import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("./lib.sh", ("bin/lib.sh",)),
        ("$DIR/lib.sh", ("bin/lib.sh",)),
        ('"$(dirname "$0")/lib.sh"', ("bin/lib.sh",)),
        ("${ROOT}/share/colours.sh", ("share/colours.sh",)),
        ("colours.sh", ("share/colours.sh",)),
        ("$FILE", "unresolved"),
        ("/etc/profile", "external /etc/profile"),
        ("./gone.sh", "unresolved"),
    ],
)
def test_a_sourced_file_is_found(module: str, expected: str | tuple[str, ...]) -> None:
    files = [made(it, "bash") for it in ("bin/lib.sh", "share/colours.sh", "bin/run.sh")]
    assert import_outcome(files, "bin/run.sh", "bash", Import(module, (), 1)) == expected
