from pathlib import Path

from benchpin.facts import FileFacts, open_index
from benchpin.facts.store import Section
from selections import select_all

SECTIONS: tuple[Section, ...] = ("outline", "links", "comments", "tokens")


def test_some_files_in_another_state_than_on_the_disk(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a.py", "b.py", "d.py"):
        (root / name).write_text(f"def {name[0]}():\n    return 1\n")
    selection = select_all(root, tmp_path / "cache")
    texts = dict.fromkeys(("b.py", "c.py"), ("python", b"def new():\n    return 2\n"))
    texts["a.py"] = ("python", (root / "a.py").read_bytes())
    facts = open_index(selection.session).read_texts(texts, SECTIONS, selection.job)
    other: dict[str, FileFacts | None] = {**facts, "d.py": None}
    replaced = selection.replacing(other)
    assert set(replaced.replaced) == {"b.py", "c.py", "d.py"}
    read = {it.path: [one.name for one in it.outline.functions] for it in replaced.read().files}
    assert read == {"a.py": ["a"], "b.py": ["new"], "c.py": ["new"]}
    assert [it.path for it in replaced.list_files().files] == ["a.py", "b.py", "c.py"]
    assert [it.path for it in replaced.only(["b.py", "d.py"]).read("tokens").files] == ["b.py"]
    assert [it.path for it in selection.read().files] == ["a.py", "b.py", "d.py"]
    selection.session.close()
