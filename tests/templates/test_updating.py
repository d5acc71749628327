"""Bring projects to newer templates; the catalogue is made of texts, so nothing is started."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, InvalidParams
from benchpin.templates import (
    BUILT_IN,
    InvalidTemplateParameters,
    Parameter,
    Template,
    TemplateCatalogue,
)
from benchpin.templates._template import TemplateFile
from benchpin.templates.projects import (
    BASE_PATH,
    PROVENANCE_PATH,
    GeneratedProject,
    ScaffoldRequest,
    base_file,
    plan_update,
    provenance,
    record_of,
    scaffold,
)
from benchpin.templates.projects._scaffolding import Scaffold
from benchpin.templates.projects._updating import UpdatePlan
from benchpin.workspace.writing import apply_changes, diff_of
from repositories import Tree
from template_kit import CATALOGUE

LINES = [f"line {it}" for it in range(12)]
BODY = "\n".join((*LINES, ""))
Sources = Mapping[str, str]
"""The Jinja2 sources of the files, by the paths that they make."""


def template(kind: str, sources: Sources, version: str, executable: frozenset[str]) -> Template:
    needed = Parameter(name="name", description="Its name.", default="star")
    files = [
        TemplateFile(
            source=path.replace("{{ name }}", "NAME"), path=path, is_executable=path in executable
        )
        for path in sources
    ]
    return Template(
        uri=f"template://{kind}/any/cli",
        name=kind,
        description=kind,
        mime_type="text/plain",
        category=kind,
        toolchain="any",
        variant="cli",
        version=version,
        origin=BUILT_IN,
        parameters=(needed,),
        files=tuple(files),
    )


def catalogue(
    *kinds: Sources, version: str = "1", executable: frozenset[str] = frozenset()
) -> TemplateCatalogue:
    """Return a catalogue with templates `kind0`, `kind1` and so on."""
    templates = [template(f"kind{at}", it, version, executable) for at, it in enumerate(kinds)]
    sources = {
        path.replace("{{ name }}", "NAME"): it for each in kinds for path, it in each.items()
    }
    return TemplateCatalogue({it.uri: it for it in templates}, {}, {BUILT_IN: sources})


def make(folder: Path, made_from: TemplateCatalogue) -> Scaffold:
    """Write a project as scaffold_project does."""
    made = scaffold(made_from, ScaffoldRequest("any", list(made_from.templates), {}))
    record = provenance(record_of(made))
    base = base_file(it.content.encode() for it in made.files)
    for file in (*made.files, base, record):
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.content, encoding="utf-8")
        place.chmod(0o755 if file.is_executable else 0o644)
    return made


def plan(folder: Path, now: TemplateCatalogue, **parameters: object) -> UpdatePlan:
    project = GeneratedProject(folder, PurePosixPath(), Job())
    return plan_update(project, now, parameters, Job())


def update(folder: Path, now: TemplateCatalogue, **parameters: object) -> UpdatePlan:
    made = plan(folder, now, **parameters)
    apply_changes(folder, [*made.changes, *made.record], Job(), folder.parent / "cache")
    again = plan(folder, now, **parameters)
    assert not again.changes + again.record, "a second update must find nothing to do"
    return made


def statuses(made: UpdatePlan) -> dict[str, str]:
    return {it.path: it.status for it in made.files}


def edited(at: int, text: str) -> str:
    return "\n".join((*LINES[:at], text, *LINES[at + 1 :], ""))


def files_of(folder: Path) -> set[str]:
    return {str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file()}


RECORDS = {PROVENANCE_PATH, BASE_PATH}


def test_a_project_whose_templates_did_not_change_stays_as_it_is(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").write_text("mine\n", encoding="utf-8")
    made = plan(tmp_path, catalogue({"a.txt": BODY}))
    assert (made.changes, made.record, made.files, made.unchanged) == ([], [], [], 1)


def test_a_file_without_own_changes_gets_the_new_version(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    made = update(tmp_path, catalogue({"a.txt": edited(3, "new")}, version="2"))
    assert statuses(made) == {"a.txt": "updated"}
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == edited(3, "new")
    assert [(it.recorded_version, it.current_version) for it in made.templates] == [("1", "2")]
    record = tomllib.loads((tmp_path / PROVENANCE_PATH).read_text(encoding="utf-8"))
    assert record["templates"][0]["version"] == "2"


def test_changes_of_the_user_and_of_the_template_are_merged(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").write_text(edited(1, "mine"), encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": edited(9, "new")}))
    assert statuses(made) == {"a.txt": "merged"}
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == edited(1, "mine").replace(
        "line 9", "new"
    )


def test_lines_that_both_changed_are_marked_and_both_are_kept(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").write_text(edited(5, "mine"), encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": edited(5, "new")}))
    assert [(it.path, it.status, it.conflicts) for it in made.files] == [("a.txt", "conflict", 1)]
    text = (tmp_path / "a.txt").read_text(encoding="utf-8")
    assert "<<<<<<< yours\nmine\n=======\nnew\n>>>>>>> template\n" in text


def test_an_update_on_top_of_unresolved_conflicts_is_refused(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").write_text(edited(5, "mine"), encoding="utf-8")
    update(tmp_path, catalogue({"a.txt": edited(5, "new")}))
    with pytest.raises(InvalidParams, match=r"a\.txt has conflicts of an earlier update"):
        plan(tmp_path, catalogue({"a.txt": edited(5, "newer")}))


def test_a_file_that_the_template_has_now_is_added_and_made_executable(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    sources = {"a.txt": BODY, "bin/run.sh": "#!/bin/sh\n"}
    made = update(tmp_path, catalogue(sources, executable=frozenset({"bin/run.sh"})))
    assert statuses(made) == {"bin/run.sh": "added"}
    assert (tmp_path / "bin/run.sh").stat().st_mode & 0o111


def test_a_file_of_the_user_where_the_template_makes_one_now_is_marked(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "b.txt").write_text("mine\n", encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": BODY, "b.txt": "new\n"}))
    assert statuses(made) == {"b.txt": "conflict"}
    text = (tmp_path / "b.txt").read_text(encoding="utf-8")
    assert "mine\n" in text
    assert "new\n" in text


def test_a_file_that_the_template_no_longer_has_is_removed_with_its_empty_folder(
    tmp_path: Path,
) -> None:
    make(tmp_path, catalogue({"a.txt": BODY, "old/b.txt": "b\n"}))
    made = update(tmp_path, catalogue({"a.txt": BODY}))
    assert statuses(made) == {"old/b.txt": "removed"}
    assert not (tmp_path / "old").exists()


def test_a_changed_file_that_the_template_no_longer_has_is_kept(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY, "b.txt": "b\n"}))
    (tmp_path / "b.txt").write_text("mine\n", encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": BODY}))
    assert statuses(made) == {"b.txt": "kept"}
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "mine\n"


def test_a_file_that_the_template_renamed_keeps_the_changes_of_the_user(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"old.txt": BODY}))
    (tmp_path / "old.txt").write_text(edited(1, "mine"), encoding="utf-8")
    made = update(tmp_path, catalogue({"docs/new.txt": edited(9, "new")}))
    assert [(it.old_path, it.path, it.status) for it in made.files] == [
        ("old.txt", "docs/new.txt", "merged")
    ]
    assert files_of(tmp_path) == {"docs/new.txt", *RECORDS}
    text = (tmp_path / "docs/new.txt").read_text(encoding="utf-8")
    assert "mine\n" in text
    assert "new\n" in text


def test_a_renamed_file_stays_where_its_new_name_is_taken(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"old.txt": BODY}))
    (tmp_path / "new.txt").write_text("mine\n", encoding="utf-8")
    made = update(tmp_path, catalogue({"new.txt": edited(9, "new")}))
    assert [(it.path, it.status, it.reason) for it in made.files] == [
        ("old.txt", "updated", "its new path new.txt has a file of yours")
    ]
    assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "mine\n"


def test_a_file_that_the_user_deleted_stays_deleted(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY, "b.txt": "b\n"}))
    (tmp_path / "b.txt").unlink()
    made = update(tmp_path, catalogue({"a.txt": BODY, "b.txt": "new\n"}))
    assert [(it.path, it.status, it.reason) for it in made.files] == [
        ("b.txt", "kept", "you deleted it")
    ]
    assert not (tmp_path / "b.txt").exists()


@pytest.mark.parametrize("change", [BODY, edited(1, "mine")], ids=["as it was", "with changes"])
def test_a_file_that_the_user_moved_is_updated_where_it_is(change: str, tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").unlink()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.txt").write_text(change, encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": edited(9, "new")}))
    assert list(statuses(made)) == ["docs/a.txt"]
    assert (tmp_path / "docs/a.txt").read_text(encoding="utf-8") == change.replace("line 9", "new")
    assert not (tmp_path / "a.txt").exists()
    update(tmp_path, catalogue({"a.txt": edited(9, "newer")}))
    assert "newer\n" in (tmp_path / "docs/a.txt").read_text(encoding="utf-8")


def test_a_changed_answer_changes_contents_and_names_of_files(tmp_path: Path) -> None:
    made_from = catalogue({"{{ name }}.txt": "{{ name | word }}\n" + BODY})
    make(tmp_path, made_from)
    (tmp_path / "star.txt").write_text("star\n" + edited(9, "mine"), encoding="utf-8")
    made = update(tmp_path, made_from, name="moon")
    assert [(it.old_path, it.path) for it in made.files] == [("star.txt", "moon.txt")]
    text = (tmp_path / "moon.txt").read_text(encoding="utf-8")
    assert text == "moon\n" + edited(9, "mine")
    record = tomllib.loads((tmp_path / PROVENANCE_PATH).read_text(encoding="utf-8"))
    assert record["parameters"] == {"name": "moon"}


def test_an_answer_that_no_template_asks_for_is_refused(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    with pytest.raises(InvalidTemplateParameters):
        plan(tmp_path, catalogue({"a.txt": BODY}), nmae="moon")


def test_files_of_a_template_that_is_gone_stay_in_the_project_and_in_its_record(
    tmp_path: Path,
) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}, {"b.txt": "b\n"}))
    made = update(tmp_path, catalogue({"a.txt": edited(1, "new")}))
    assert statuses(made) == {"a.txt": "updated", "b.txt": "kept"}
    assert (tmp_path / "b.txt").exists()
    back = update(tmp_path, catalogue({"a.txt": edited(1, "new")}, {"b.txt": "new\n"}))
    assert statuses(back) == {"b.txt": "updated"}


def test_line_ends_of_windows_are_kept_and_are_no_conflict(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").write_bytes(edited(1, "mine").replace("\n", "\r\n").encode())
    made = update(tmp_path, catalogue({"a.txt": edited(9, "new")}))
    assert statuses(made) == {"a.txt": "merged"}
    wanted = edited(1, "mine").replace("line 9", "new").replace("\n", "\r\n").encode()
    assert (tmp_path / "a.txt").read_bytes() == wanted


def test_a_file_that_is_no_longer_text_is_left_and_tried_again(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "a.txt").write_bytes(b"\0\1\2")
    made = update(tmp_path, catalogue({"a.txt": edited(9, "new")}))
    assert statuses(made) == {"a.txt": "kept"}
    (tmp_path / "a.txt").write_text(edited(1, "mine"), encoding="utf-8")
    assert statuses(update(tmp_path, catalogue({"a.txt": edited(9, "new")}))) == {"a.txt": "merged"}


def as_format_1(folder: Path) -> None:
    """Turn the record into one of Benchpin 0.1.0."""
    (folder / BASE_PATH).unlink()
    text = (
        (folder / PROVENANCE_PATH).read_text(encoding="utf-8").replace("format = 2", "format = 1")
    )
    lines = [it for it in text.splitlines() if not it.startswith(("source =", "executable ="))]
    (folder / PROVENANCE_PATH).write_text("\n".join((*lines, "")), encoding="utf-8")


def test_a_record_of_the_first_format_is_merged_from_the_history_of_the_project(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "project"
    make(folder, catalogue({"a.txt": BODY}))
    as_format_1(folder)
    tree = Tree(folder)
    tree.commit()
    tree.commit({"a.txt": edited(1, "mine").encode()})
    made = update(folder, catalogue({"a.txt": edited(9, "new")}))
    assert statuses(made) == {"a.txt": "merged"}
    assert "format = 2" in (folder / PROVENANCE_PATH).read_text(encoding="utf-8")
    assert json.loads((folder / BASE_PATH).read_bytes())["format"] == 1


def test_without_a_known_base_all_differences_are_conflicts_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    as_format_1(tmp_path)
    (tmp_path / "a.txt").write_text(edited(1, "mine"), encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": edited(9, "new")}))
    [file] = made.files
    assert (file.status, file.conflicts) == ("conflict", 2)
    assert "what was generated is not known" in file.reason
    text = (tmp_path / "a.txt").read_text(encoding="utf-8")
    assert {"mine", "line 1", "line 9", "new"} <= set(text.splitlines())


@pytest.mark.parametrize(
    "base", [b"", b"[]", b'{"format": 2}', b'{"format": 1, "contents": [1]}', b"\xff", b"{" * 9_999]
)
def test_a_damaged_or_newer_base_is_the_same_as_none(base: bytes, tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / BASE_PATH).write_bytes(base)
    (tmp_path / "a.txt").write_text(edited(1, "mine"), encoding="utf-8")
    made = update(tmp_path, catalogue({"a.txt": edited(9, "new")}))
    assert statuses(made) == {"a.txt": "conflict"}


def test_a_record_of_a_newer_benchpin_is_refused_and_stays(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    place = tmp_path / PROVENANCE_PATH
    newer = place.read_text(encoding="utf-8").replace("format = 2", "format = 3")
    place.write_text(newer, encoding="utf-8")
    with pytest.raises(InvalidParams, match="a newer Benchpin wrote it"):
        plan(tmp_path, catalogue({"a.txt": "new\n"}))
    assert place.read_text(encoding="utf-8") == newer


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../b"])
def test_a_record_that_names_a_path_outside_is_refused(path: str, tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    place = tmp_path / PROVENANCE_PATH
    text = place.read_text(encoding="utf-8").replace('path = "a.txt"', f'path = "{path}"')
    place.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidParams, match="not a path within the project"):
        plan(tmp_path, catalogue({"a.txt": "new\n"}))


def test_a_file_that_may_not_be_read_is_not_shown_in_a_preview(tmp_path: Path) -> None:
    make(tmp_path, catalogue({"a.txt": BODY}))
    (tmp_path / "secret.txt").write_text("secret\n", encoding="utf-8")
    project = GeneratedProject(tmp_path, PurePosixPath(), Job(), may=lambda it: it != "secret.txt")
    now = catalogue({"a.txt": BODY, "secret.txt": "new\n"})
    with pytest.raises(AccessDenied, match="May not read"):
        plan_update(project, now, {}, Job())


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine\n", encoding="utf-8")
    folder = tmp_path / "project"
    make(folder, catalogue({"a.txt": BODY}))
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(outside)
    with pytest.raises(AccessDenied):
        plan(folder, catalogue({"a.txt": "new\n"}))
    assert outside.read_text(encoding="utf-8") == "mine\n"


def test_the_diff_of_an_update_applies_with_git(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    make(folder, catalogue({"a.txt": BODY, "old.txt": "old\n"}))
    made = plan(folder, catalogue({"a.txt": edited(9, "new"), "b/new.txt": "new\n"}))
    users = made.changes
    patch = tmp_path / "update.patch"
    patch.write_text(diff_of(users) + "\n", encoding="utf-8")
    Tree(folder).git("apply", str(patch))
    assert Tree(folder).unignored() == {"a.txt", "b/new.txt", *RECORDS}


def test_the_gitignore_of_the_templates_lets_both_records_be_committed(tmp_path: Path) -> None:
    made = scaffold(CATALOGUE, ScaffoldRequest("rust", ["gitignore"], {}))
    tree = Tree(tmp_path)
    tree.write({it.path: it.content.encode() for it in made.files})
    tree.write(dict.fromkeys((*RECORDS, ".benchpin/var/mcp/snapshot_id"), b""))
    assert tree.unignored() == {".gitignore", *RECORDS}
