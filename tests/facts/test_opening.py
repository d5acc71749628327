import os
from pathlib import Path

import pytest

from benchpin.workspace.files import read_regular


@pytest.mark.parametrize("limit", [0, 1, 99_999, 100_000, 100_001])
def test_a_file_is_read_up_to_a_limit(tmp_path: Path, limit: int) -> None:
    body = bytes(range(250)) * 400
    (tmp_path / "a").write_bytes(body)
    data, status = read_regular(os.fsencode(tmp_path), "a", limit)
    assert data == body[:limit]
    assert status.st_size == len(body)


def test_a_file_that_grew_since_it_was_looked_at_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "before").write_bytes(b"")
    (tmp_path / "a").write_bytes(b"x" * 200_000)
    before = (tmp_path / "before").stat()
    monkeypatch.setattr("benchpin.workspace.files._reading.os.fstat", lambda _handle: before)
    assert len(read_regular(os.fsencode(tmp_path), "a", 1 << 20)[0]) == 200_000
