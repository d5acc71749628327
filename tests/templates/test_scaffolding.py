import errno
import hashlib
import os
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import (
    DiskFull,
    FileChanged,
    InvalidParams,
    InvalidPath,
    PathError,
    TimeLimitExceeded,
)
from benchpin.templates import InvalidTemplateParameters, RenderedFile, rendered_file
from benchpin.templates._template import TemplateNotFound
from benchpin.templates.projects import (
    PROVENANCE_PATH,
    ScaffoldRequest,
    provenance,
    record_of,
    scaffold,
    write_files,
)
from benchpin.templates.projects._scaffolding import Scaffold, WouldOverwrite
from benchpin.workspace.writing._locking import locked_folder
from template_kit import CATALOGUE, EVERYTHING

NAME = {"project_name": "star-chart"}
HERE = PurePosixPath("new")


def made(*names: str, variant: str = "cli", **parameters: object) -> Scaffold:
    return scaffold(CATALOGUE, ScaffoldRequest("rust", names, {**NAME, **parameters}, variant))


def uris(project: Scaffold) -> list[str]:
    return [template.uri for template in project.templates]


def tree(folder: Path) -> Mapping[str, bytes]:
    return {
        str(it.relative_to(folder)): it.read_bytes() for it in folder.rglob("*") if it.is_file()
    }


def test_names_mean_the_template_of_the_toolchain_or_of_any() -> None:
    project = made("makefile", "license", "mcp/codex", "template://readme/go/web", port=9000)
    assert uris(project) == [
        "template://makefile/rust/cli",
        "template://license/any/mit",
        "template://mcp/any/codex",
        "template://readme/go/web",
    ]


def test_the_parameter_chooses_the_licence() -> None:
    assert uris(made("license", license="Apache-2.0")) == ["template://license/any/apache-2.0"]


def test_a_name_given_twice_counts_once() -> None:
    assert uris(made("makefile", "makefile")) == ["template://makefile/rust/cli"]


@pytest.mark.parametrize("name", ["odd", "makefile/odd", "../x", ""])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(TemplateNotFound) as caught:
        made("makefile", name)
    assert caught.value.data["nearest"]


def test_an_unknown_toolchain_is_refused() -> None:
    with pytest.raises(TemplateNotFound, match="python-uv"):
        scaffold(CATALOGUE, ScaffoldRequest("cobol", ["license"], NAME))


def test_libraries_have_no_dockerfile() -> None:
    with pytest.raises(TemplateNotFound):
        made("dockerfile", variant="library")


def test_every_problem_of_every_template_is_named_once() -> None:
    with pytest.raises(InvalidTemplateParameters) as caught:
        made("project", "readme", "license", project_name="X", year=1, odd=True, license="GPL")
    problems = caught.value.data["problems"]
    assert isinstance(problems, list)
    assert sorted(it["path"] for it in problems) == [
        "parameters.license",
        "parameters.odd",
        "parameters.project_name",
        "parameters.year",
    ]


def test_two_templates_that_make_one_file_are_refused() -> None:
    with pytest.raises(InvalidParams, match="both make Makefile"):
        made("makefile", "template://makefile/go/cli")


def test_templates_know_what_they_are_together_with() -> None:
    alone = {str(it.path): it.content for it in made("readme").files}
    together = {str(it.path): it.content for it in made("readme", "makefile", "license").files}
    assert "make test" not in alone["README.md"]
    assert "make test" in together["README.md"]
    assert "(LICENSE)" in together["README.md"]


def test_provenance_records_templates_parameters_and_hashes() -> None:
    project = made(*EVERYTHING, description='says "hi"')
    record = provenance(record_of(project))
    assert record.path == PROVENANCE_PATH
    table = tomllib.loads(record.content)
    assert table["toolchain"] == "rust"
    assert table["parameters"]["description"] == 'says "hi"'
    assert [it["uri"] for it in table["templates"]] == uris(project)
    assert {it["path"]: it["sha256"] for it in table["files"]} == {
        str(file.path): hashlib.sha256(file.content.encode()).hexdigest() for file in project.files
    }
    assert record == provenance(record_of(made(*EVERYTHING, description='says "hi"')))


def test_files_are_written_into_a_new_folder(tmp_path: Path) -> None:
    project = made("project", "makefile")
    write_files(tmp_path, HERE, project.files, Job(), tmp_path / "cache")
    assert tree(tmp_path / "new") == {
        str(file.path): file.content.encode() for file in project.files
    }


def test_executable_files_are_executable(tmp_path: Path) -> None:
    project = scaffold(CATALOGUE, ScaffoldRequest("node", ["project"], NAME))
    write_files(tmp_path, HERE, project.files, Job(), tmp_path / "cache")
    assert os.access(tmp_path / "new/src/cli.js", os.X_OK)
    assert not os.access(tmp_path / "new/src/index.js", os.X_OK)


def test_a_fresh_repository_counts_as_empty(tmp_path: Path) -> None:
    (tmp_path / "new/.git").mkdir(parents=True)
    assert write_files(tmp_path, HERE, made("makefile").files, Job(), tmp_path / "cache") == [
        HERE / "Makefile"
    ]


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(WouldOverwrite, match=r"notes\.txt"):
        write_files(tmp_path, HERE, made("makefile").files, Job(), tmp_path / "cache")
    assert tree(tmp_path) == {"new/notes.txt": b"mine"}


def test_overwriting_replaces_what_has_the_same_name_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "new/Makefile").write_text("old", encoding="utf-8")
    [file] = made("makefile").files
    write_files(tmp_path, HERE, [file], Job(), tmp_path / "cache", overwrite=True)
    assert tree(tmp_path) == {"new/notes.txt": b"mine", "new/Makefile": file.content.encode()}


def file_at(path: str) -> RenderedFile:
    return rendered_file(path, "new\n", "template://x/y/z")


@pytest.mark.parametrize("overwrite", [False, True])
def test_when_one_file_cannot_be_written_none_is(tmp_path: Path, *, overwrite: bool) -> None:
    if overwrite:
        (tmp_path / "new").mkdir()
        (tmp_path / "new/a").write_text("old", encoding="utf-8")
    before = tree(tmp_path)
    files = [file_at("a"), file_at("deep/er/b"), file_at("a/c")]
    with pytest.raises(PathError):
        write_files(tmp_path, HERE, files, Job(), tmp_path / "cache", overwrite=overwrite)
    assert tree(tmp_path) == before
    assert not (tmp_path / "new/deep").exists()
    assert (tmp_path / "new").exists() == overwrite


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "root"
    (root / "new").mkdir(parents=True)
    (root / "new/src").symlink_to(outside)
    with pytest.raises(PathError):
        write_files(
            root, HERE, [file_at("a"), file_at("src/b")], Job(), tmp_path / "cache", overwrite=True
        )
    assert tree(outside) == {}
    assert not (root / "new/a").exists()


def test_a_file_is_no_folder_to_write_into(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("file", encoding="utf-8")
    with pytest.raises(InvalidPath):
        write_files(tmp_path, HERE, [file_at("a")], Job(), tmp_path / "cache")


def test_a_file_that_appears_meanwhile_is_kept_and_the_rest_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / HERE
    root.mkdir()
    replace = os.replace

    def appear(*names: str, src_dir_fd: int, dst_dir_fd: int) -> None:
        replace(*names, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if (root / "a").exists():
            (root / "b").write_text("another program's")

    monkeypatch.setattr(os, "replace", appear)
    with pytest.raises(FileChanged, match=r"^new/b has changed"):
        write_files(
            tmp_path,
            HERE,
            [file_at("a"), file_at("b"), file_at("src/c")],
            Job(),
            tmp_path / "cache",
        )
    assert [place.name for place in root.iterdir()] == ["b"]
    assert (root / "b").read_text() == "another program's"


def test_two_projects_at_once_are_not_mixed(tmp_path: Path) -> None:
    files = [file_at(f"{folder}/{number}") for folder in "abc" for number in range(5)]

    def write(_attempt: int) -> str:
        try:
            write_files(tmp_path, HERE, files, Job(), tmp_path / "cache")
        except WouldOverwrite as error:
            return error.kind
        return "written"

    with ThreadPoolExecutor(4) as pool:
        outcomes = sorted(pool.map(write, range(4)))
    assert outcomes == ["would_overwrite"] * 3 + ["written"]


def test_an_edit_waits_for_the_project_to_be_written(tmp_path: Path) -> None:
    root = tmp_path / HERE
    root.mkdir()
    (root / "a").write_text("old")
    with locked_folder(tmp_path, HERE, Job()), pytest.raises(TimeLimitExceeded):
        write_files(
            tmp_path,
            HERE,
            [file_at("a")],
            Job(time_limit_s=0.0),
            tmp_path / "cache",
            overwrite=True,
        )
    assert (root / "a").read_text() == "old"


def test_a_full_disk_leaves_every_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / HERE
    root.mkdir()
    for name in ("a", "b"):
        (root / name).write_text(f"old {name}")
    sync, calls = os.fsync, iter(range(100))

    def fill_up(descriptor: int) -> None:
        if (
            next(calls) >= 4
        ):  # after the note, new/src and new/a; and it stays full: nothing could be restored
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fill_up)
    files = [file_at("a"), file_at("b"), file_at("src/c")]
    with pytest.raises(DiskFull, match="The disk is full, new/b was not written"):
        write_files(tmp_path, HERE, files, Job(), tmp_path / "cache", overwrite=True)
    assert {place.name: place.read_text() for place in root.iterdir()} == {
        "a": "old a",
        "b": "old b",
    }
