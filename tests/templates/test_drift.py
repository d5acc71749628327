from collections.abc import Mapping
from dataclasses import replace

import pytest
from msgspec import structs

from benchpin.core.calls import Job
from benchpin.templates import Template, TemplateCatalogue
from benchpin.templates.projects import (
    PROVENANCE_PATH,
    ProjectDrift,
    ScaffoldRequest,
    find_drift,
    provenance,
    record_of,
    scaffold,
)
from benchpin.templates.projects._drift import DriftedFile
from long_texts import Long, whole
from template_kit import CATALOGUE, EVERYTHING

RECORD = PROVENANCE_PATH
MAKEFILE = "template://makefile/rust/cli"


def project(*names: str) -> dict[str, bytes]:
    """Return the files of a project, with its record, by path."""
    made = scaffold(CATALOGUE, ScaffoldRequest("rust", names, {"project_name": "star-chart"}))
    return {str(it.path): it.content.encode() for it in (provenance(record_of(made)), *made.files)}


def drift(files: Mapping[str, bytes], catalogue: TemplateCatalogue = CATALOGUE) -> ProjectDrift:
    found = find_drift(files.get, catalogue, Job())
    assert found is not None
    return found


def file_of(found: ProjectDrift, path: str) -> DriftedFile:
    return next(it for it in found.files if it.path == path)


def with_template(uri: str, changed: Template | None) -> TemplateCatalogue:
    """Return the catalogue with another template under a URI, or with none."""
    templates = {it: one for it, one in CATALOGUE.templates.items() if it != uri}
    if changed is not None:
        templates[uri] = changed
    return replace(CATALOGUE, templates=templates)


def test_a_project_without_a_record_has_no_drift() -> None:
    assert find_drift({"Makefile": b"all:\n"}.get, CATALOGUE, Job()) is None


def test_a_project_that_was_just_made_has_not_drifted() -> None:
    files = project(*EVERYTHING)
    found = drift(files)
    assert found.problem == ""
    assert (found.toolchain, found.variant) == ("rust", "cli")
    assert found.parameters["project_name"] == "star-chart"
    assert found.unchanged == len(found.files) == len(files) - 1
    assert (found.changed, found.missing, found.not_read) == (0, 0, 0)
    assert found.new_files == ()
    assert {(it.lines_added, it.lines_removed) for it in found.files} == {(0, 0)}
    assert {it.is_template_changed for it in found.files} == {False}
    assert {(it.is_version_changed, it.is_content_changed) for it in found.templates} == {
        (False, False)
    }


def test_lines_that_were_added_and_removed_are_counted() -> None:
    files = project("makefile", "readme")
    lines = files["Makefile"].splitlines(keepends=True)
    files["Makefile"] = b"".join([*lines[1:], b"one:\n", b"two:\n"])
    changed = file_of(drift(files), "Makefile")
    assert changed.status == "changed"
    assert (changed.lines_added, changed.lines_removed) == (2, 1)
    assert changed.reason == ""
    assert file_of(drift(files), "README.md").status == "unchanged"


def test_moved_lines_are_counted_as_removed_and_added() -> None:
    files = project("license")
    first, *rest = files["LICENSE"].splitlines(keepends=True)
    files["LICENSE"] = b"".join([*rest, first])
    moved = file_of(drift(files), "LICENSE")
    assert (moved.lines_added, moved.lines_removed) == (1, 1)


def test_a_file_of_very_many_lines_is_counted() -> None:
    files = project("makefile")
    files["Makefile"] += b"\n" * 300_000
    changed = file_of(drift(files), "Makefile")
    assert (changed.lines_added, changed.lines_removed) == (300_000, 0)


def test_a_file_with_other_line_endings_says_that_only_those_differ() -> None:
    files = project("makefile")
    files["Makefile"] = files["Makefile"].replace(b"\n", b"\r\n")
    changed = file_of(drift(files), "Makefile")
    assert (changed.status, changed.lines_added, changed.lines_removed) == ("changed", 0, 0)
    assert "line endings" in changed.reason


def test_a_file_that_is_gone_is_missing() -> None:
    files = project("makefile", "readme")
    del files["Makefile"]
    found = drift(files)
    assert file_of(found, "Makefile").status == "missing"
    assert file_of(found, "Makefile").lines_added is None
    assert (found.unchanged, found.missing) == (1, 1)


def test_a_template_of_another_version_that_makes_the_same_has_only_another_version() -> None:
    now = replace(CATALOGUE.templates[MAKEFILE], version="99.0.0")
    found = drift(project("makefile"), with_template(MAKEFILE, now))
    template = found.templates[0]
    assert template.current_version == "99.0.0"
    assert (template.is_version_changed, template.is_content_changed) == (True, False)


def test_a_changed_template_is_distinguished_from_an_edited_file() -> None:
    template = CATALOGUE.templates[MAKEFILE]
    built_in = CATALOGUE.sources[template.origin]
    source = template.files[0].source
    longer = {**built_in, source: f"{built_in[source]}\nmore:\n"}
    now = replace(CATALOGUE, sources={template.origin: longer}, _renderers={})
    found = drift(project("makefile"), now)
    assert found.templates[0].is_content_changed is True
    makefile = file_of(found, "Makefile")
    assert (makefile.status, makefile.is_template_changed) == ("unchanged", True)
    assert (makefile.lines_added, makefile.lines_removed) == (0, 2)


def test_a_file_that_a_template_makes_only_now_is_new() -> None:
    before = CATALOGUE.templates[MAKEFILE]
    more = structs.replace(before.files[0], path="more.mk")
    now = replace(before, files=(*before.files, more))
    found = drift(project("makefile"), with_template(MAKEFILE, now))
    assert found.new_files == ("more.mk",)
    assert found.templates[0].is_content_changed is True


def test_a_template_that_is_gone_leaves_the_hash_to_compare_with() -> None:
    files = project("makefile")
    gone = with_template(MAKEFILE, None)
    found = drift(files, gone)
    assert found.templates[0].current_version is None
    assert found.templates[0].is_version_changed is None
    assert "no such template" in found.templates[0].reason
    makefile = file_of(found, "Makefile")
    assert (makefile.status, makefile.lines_added) == ("unchanged", None)
    assert "no such template" in makefile.reason
    assert file_of(drift({**files, "Makefile": b""}, gone), "Makefile").status == "changed"


def test_parameters_that_no_longer_fit_are_named() -> None:
    files = project("readme")
    files[RECORD] = files[RECORD].replace(b'project_name = "star-chart"', b'project_name = "a b"')
    found = drift(files)
    assert "project_name" in found.templates[0].reason
    assert found.templates[0].is_content_changed is None
    assert file_of(found, "README.md").status == "unchanged"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"format = ", "not TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"", "format is None"),
        (b"format = 3\n", "format is 3; this Benchpin reads up to 2; a newer Benchpin"),
        (b"format = 1\n", "incomplete or has wrong types"),
        (b"format = 1\nfiles = 3\n", "incomplete or has wrong types"),
        (b"a = " + b"[" * 5_000, "not TOML"),
        (b"a = " + b"9" * 5_000, "not TOML"),
        (b"format." + b"a." * 5_000 + b"a = 1", "not TOML"),
        (Long(b"#", 2 << 20), "bytes"),
    ],
)
def test_a_damaged_record_is_a_problem_with_a_reason(
    content: bytes | Long[bytes], said: str
) -> None:
    found = drift({RECORD: whole(content)})
    assert said in found.problem
    assert found.files == ()
    assert found.toolchain is None


FILE = """
[[files]]
path = "{}"
template = "template://makefile/rust/cli"
sha256 = "0"
"""
TEMPLATE = """
[[templates]]
uri = "{}"
version = "1"
origin = "o"
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (FILE.format("Makefile"), "'Makefile' 2 times"),
        (FILE.format("x//y") + FILE.format("./x/y"), "'x/y' 2 times"),
        (TEMPLATE.format(MAKEFILE), f"'{MAKEFILE}' 2 times"),
        ("".join(map(FILE.format, range(2_000))), "2001 files"),
        ("".join(map(TEMPLATE.format, range(100))), "101 templates"),
    ],
)
def test_a_record_that_names_too_much_is_not_followed(more: str, said: str) -> None:
    files = project("makefile")
    files[RECORD] += more.encode()
    found = drift(files)
    assert said in found.problem
    assert found.files == ()


def test_out_of_time_the_rest_is_not_read() -> None:
    files, now = project("makefile", "readme", "license"), 0.0

    def read(path: str) -> bytes | None:
        nonlocal now
        now = now if path == RECORD else 9.0
        return files.get(path)

    job = Job(time_limit_s=5, monotonic=lambda: now)
    found = find_drift(read, CATALOGUE, job)
    assert found is not None
    assert (found.unchanged, found.not_read) == (1, len(found.files) - 1)
    assert {(it.status, it.reason) for it in found.files[1:]} == {("not_read", "out of time")}
    assert {it.is_template_changed for it in found.files} == {False}
    count = f"{len(found.files) - 1} of {len(found.files)}"
    assert job.missing == [f"{count} generated files"]


def test_without_time_no_template_is_rendered() -> None:
    files = project("makefile")
    found = find_drift(files.get, CATALOGUE, Job(time_limit_s=0))
    assert found is not None
    assert [(it.is_content_changed, it.reason) for it in found.templates] == [(None, "out of time")]
    assert found.templates[0].is_version_changed is False
    assert found.not_read == len(found.files) == 1


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../b", ""])
def test_a_path_that_leaves_the_project_is_never_read(path: str) -> None:
    asked: list[str] = []
    files = project("makefile")
    files[RECORD] = files[RECORD].replace(b'path = "Makefile"', f'path = "{path}"'.encode())

    def read(wanted: str) -> bytes | None:
        asked.append(wanted)
        return files.get(wanted)

    found = find_drift(read, CATALOGUE, Job())
    assert found is not None
    assert asked == [RECORD]
    assert [it.status for it in found.files] == ["not_read"]


def test_what_may_not_be_read_is_not_asked_for() -> None:
    files = project("makefile", "readme")

    def read(path: str) -> bytes | None:
        assert path != "Makefile"
        return files.get(path)

    found = find_drift(read, CATALOGUE, Job(), may=lambda path: path != "Makefile")
    assert found is not None
    assert file_of(found, "Makefile").status == "not_read"
    assert "may not be read" in file_of(found, "Makefile").reason
    assert find_drift(read, CATALOGUE, Job(), may=lambda _path: False) is None


def test_a_project_in_a_folder_is_read_from_there() -> None:
    files = {f"apps/chart/{path}": content for path, content in project("makefile").items()}
    found = find_drift(files.get, CATALOGUE, Job(), folder="apps/chart")
    assert found is not None
    assert found.file == f"apps/chart/{RECORD}"
    assert file_of(found, "Makefile").status == "unchanged"
