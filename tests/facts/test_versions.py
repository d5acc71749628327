from pathlib import Path

import pytest

from benchpin.facts.store import _versions as versions
from benchpin.facts.store import engine_version, key_of


def test_a_key_is_of_content_and_language() -> None:
    keys = {key_of(b"a", "c"), key_of(b"a", "cpp"), key_of(b"b", "c"), key_of(b"", "c")}
    assert len(keys) == 4
    assert key_of(b"a", "c") in keys


def test_an_engine_whose_text_changed_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "languages").mkdir()
    (tmp_path / "walker.py").write_text("one", encoding="utf-8")
    monkeypatch.setattr(versions, "_FACTS", tmp_path)
    seen: list[str] = []
    for place in ("walker.py", "walker.py", "languages/new.py"):
        seen.append(engine_version.__wrapped__())
        with (tmp_path / place).open("a", encoding="utf-8") as file:
            file.write("more")
    seen.append(engine_version.__wrapped__())
    assert len(set(seen)) == 4
    assert seen[-1] == engine_version.__wrapped__()
