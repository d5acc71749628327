import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("path", "module", "level", "expected"),
    [
        ("db/all.sql", "tables.sql", 1, ("db/tables.sql",)),
        ("db/all.sql", "tables.sql", 0, ("db/tables.sql",)),
        ("db/all.sql", "db/tables", 0, ("db/tables.sql",)),
        ("db/all.sql", "gone.sql", 1, "unresolved"),
        ("db/all.sql", "&folder/x.sql", 0, "unresolved"),
    ],
)
def test_a_script_that_is_run_leads_to(
    path: str, module: str, level: int, expected: str | tuple[str, ...]
) -> None:
    files = [made(it, "sql") for it in ("db/all.sql", "db/tables.sql")]
    assert import_outcome(files, path, "sql", Import(module, (), 1, level)) == expected
