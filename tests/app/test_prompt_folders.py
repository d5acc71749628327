from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.app import _prompt_folders as prompt_folders
from benchpin.app._prompt_folders import files_in, read_files
from benchpin.core.errors import InvalidParams

GOOD = "---\ndescription: Says {name}.\n---\nHello {{{{who}}}}\n"


def write(folder: Path, name: str, content: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(content or GOOD.format(name=name), encoding="utf-8")


def test_the_first_prompt_of_a_name_counts(tmp_path: Path) -> None:
    write(tmp_path / "a", "greet")
    write(tmp_path / "b", "greet", "---\ndescription: second\n---\n")
    folders = [tmp_path / "a", tmp_path / "b", tmp_path / "missing"]
    prompts, notes = read_files(place for folder in folders for place in files_in(folder))
    assert [prompt.description for prompt in prompts] == ["Says greet."]
    assert notes == ["greet.md: another file has a prompt 'greet'"]


def test_a_broken_file_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path, "broken", "nothing")
    write(tmp_path, "good")
    (tmp_path / "latin.md").write_bytes(b"---\ndescription: caf\xe9\n---\n")
    (tmp_path / "link.md").symlink_to(tmp_path / "good.md")
    (tmp_path / "huge.md").write_bytes(b"x" * 300_000)
    prompts, notes = read_files(files_in(tmp_path))
    assert [prompt.name for prompt in prompts] == ["good"]
    assert [note.partition(":")[0] for note in notes] == ["broken.md", "huge.md", "latin.md"]


def test_prompts_of_the_workspace_and_of_folders_are_offered(
    workspace: Path, tmp_path: Path
) -> None:
    write(workspace / ".benchpin/prompts", "ours")
    write(workspace / ".benchpin/prompts", "code_reviewer")
    write(tmp_path / "mine", "mine")
    shop = Workbench.open(workspace, prompt_folders=[tmp_path / "mine"])
    names = [prompt.name for prompt in shop.catalogue.prompts]
    assert {"ours", "mine", "code_reviewer"} <= set(names)
    assert names.count("code_reviewer") == 1
    assert shop.catalogue.find_prompt("code_reviewer").category == "agent"


def test_files_are_read_once(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(workspace / ".benchpin/prompts", "ours")
    read: list[Path] = []
    real = prompt_folders._text

    def counted(place: Path) -> str:
        read.append(place)
        return real(place)

    monkeypatch.setattr(prompt_folders, "_text", counted)
    catalogue = Workbench.open(workspace).catalogue
    assert [catalogue.find_prompt("ours").name for _ in range(3)] == ["ours"] * 3
    assert [place.name for place in read] == ["ours.md"]


def test_a_missing_argument_is_named(workspace: Path) -> None:
    shop = Workbench.open(workspace)
    with pytest.raises(InvalidParams, match="target is required"):
        shop.catalogue.find_prompt("code_reviewer").fill({}, shop.bench)


def test_the_shipped_prompts_name_tools_that_exist(workspace: Path) -> None:
    shop = Workbench.open(workspace)
    (workspace / "x").write_text("x\n", encoding="utf-8")
    known = set(shop.catalogue.names()) | {"execute_command", "python_executor"}
    blanks = {"target": "x", "task": "x", "goal": "x", "symptom": "x", "filePath": "x"}
    for prompt in shop.catalogue.prompts:
        values = {name: value for name, value in blanks.items() if name in str(prompt.arguments)}
        text = prompt.fill(values, shop.bench).text
        quoted = {part for part in text.split("`")[1::2] if "_" in part and "." not in part}
        assert quoted - {"dry_run"} <= known | {"analyze_graph_metrics"}


def test_prompts_neither_lead_out_nor_around_the_rules(workspace: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", "stolen")
    (workspace / ".benchpin").mkdir()
    (workspace / ".benchpin/prompts").symlink_to(tmp_path / "outside")
    shipped = {prompt.name for prompt in Workbench.open(tmp_path / "outside").catalogue.prompts}
    assert {prompt.name for prompt in Workbench.open(workspace).catalogue.prompts} == shipped
    (workspace / ".benchpin/prompts").unlink()
    write(workspace / ".benchpin/prompts", ".env")
    write(workspace / ".benchpin/prompts", "b\udcff", "---\ndescription: x\n---\n")
    assert {prompt.name for prompt in Workbench.open(workspace).catalogue.prompts} == shipped
