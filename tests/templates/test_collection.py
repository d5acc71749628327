import os
from pathlib import Path

import pytest

from benchpin.templates import BUILT_IN
from benchpin.templates._catalogue import load_catalogue
from benchpin.templates._template import InvalidTemplateUri, TemplateNotFound
from template_kit import CATALOGUE, EVERYTHING

TOOLCHAINS = {
    "rust",
    "python-uv",
    "deno",
    "node",
    "go",
    "java-maven",
    "php-composer",
    "c-cmake",
}
URI = "template://makefile/rust/cli"


def place(folder: Path, where: str, definition: str, **sources: str) -> None:
    home = folder / where
    home.mkdir(parents=True)
    (home / "template.toml").write_text(definition, encoding="utf-8")
    for name, text in sources.items():
        (home / f"{name}.j2").write_text(text, encoding="utf-8")


PLAIN = """
title = "Ours"
description = "Our own."
mime_type = "text/plain"
version = "2"
[[files]]
source = "own.j2"
path = "Makefile"
"""


def test_every_category_has_every_toolchain() -> None:
    assert not CATALOGUE.notes
    assert set(CATALOGUE.categories) == set(EVERYTHING)
    for category in set(EVERYTHING) - {"license", "mcp"}:
        assert {it.toolchain for it in CATALOGUE.select(category=category)} == TOOLCHAINS


def test_no_two_templates_have_the_same_title() -> None:
    titles = [it.name for it in CATALOGUE.templates.values()]
    assert len(set(titles)) == len(titles)


def test_a_template_is_described() -> None:
    template = CATALOGUE.find(URI)
    assert template.name == "Rust CLI Makefile"
    assert template.mime_type == "text/x-makefile"
    assert template.origin == BUILT_IN
    assert [it.name for it in template.parameters] == ["has_tests"]


@pytest.mark.parametrize("template", CATALOGUE.templates.values(), ids=lambda it: it.uri)
def test_every_parameter_has_an_example_and_a_description(template: object) -> None:
    for parameter in getattr(template, "parameters", ()):
        assert parameter.description.endswith(".")
        assert parameter.example is not None


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "template://",
        "template://../",
        "template://../../etc/passwd",
        "template://makefile/rust/../cli",
        "template://makefile/rust/..",
        "template://makefile/rust",
        "template://makefile/rust/cli/",
        "template://makefile/rust/cli/extra",
        "template://makefile//cli",
        "template://makefile/rust/%2e%2e",
        "template://makefile%2Frust%2Fcli/a/b",
        "template://makefile/rust/cli\0",
        "template://makefile/rust/c li",
        "template://makefile/rust/cli?x",
        "template:/makefile/rust/cli",
        "file://makefile/rust/cli",
        "TEMPLATE://makefile/rust/cli",
    ],
)
def test_what_is_no_uri_of_a_template_is_refused(uri: str) -> None:
    with pytest.raises(InvalidTemplateUri):
        CATALOGUE.find(uri)


def test_the_nearest_three_are_named_for_one_that_does_not_exist() -> None:
    with pytest.raises(TemplateNotFound) as caught:
        CATALOGUE.find("template://makefile/rst/cli")
    nearest = caught.value.data["nearest"]
    assert isinstance(nearest, list)
    assert nearest[0] == URI
    assert len(nearest) == 3


def test_a_users_template_shadows_a_built_in_one(tmp_path: Path) -> None:
    place(tmp_path, "makefile/rust/cli", PLAIN, own="ours\n")
    catalogue = load_catalogue((tmp_path,))
    template = catalogue.find(URI)
    assert (template.name, template.origin, template.shadows) == ("Ours", tmp_path.name, BUILT_IN)
    assert catalogue.render(template, {})[0].content == "ours\n"
    assert catalogue.find("template://makefile/rust/web").origin == BUILT_IN


def test_the_first_folder_wins_over_the_second(tmp_path: Path) -> None:
    folders = (tmp_path / "first" / "mine", tmp_path / "second" / "mine")
    for folder in folders:
        place(folder, "makefile/rust/cli", PLAIN, own=f"{folder.parent.name}\n")
    catalogue = load_catalogue(folders)
    template = catalogue.find(URI)
    assert (template.origin, template.shadows) == ("mine", "mine (2)")
    assert catalogue.render(template, {})[0].content == "first\n"


def test_a_folder_may_serve_many_toolchains_and_variants(tmp_path: Path) -> None:
    definition = PLAIN.replace(
        'version = "2"', 'version = "2"\ntoolchains = ["x", "y"]\nvariants = ["a", "b"]'
    ).replace('"Ours"', '"{toolchain} {variant}"')
    place(tmp_path, "new", definition, own="x\n")
    found = load_catalogue((tmp_path,)).select(category="new")
    assert [(it.uri, it.name) for it in found] == [
        ("template://new/x/a", "x a"),
        ("template://new/x/b", "x b"),
        ("template://new/y/a", "y a"),
        ("template://new/y/b", "y b"),
    ]


def test_our_own_templates_may_use_shared_sources_and_parameters(tmp_path: Path) -> None:
    definition = PLAIN.replace('version = "2"', 'version = "2"\nuses = ["project_name"]')
    place(tmp_path, "makefile/rust/cli", definition, own='{% include "_shared/tasks.j2" %}x\n')
    catalogue = load_catalogue((tmp_path,))
    assert catalogue.render(catalogue.find(URI), {"project_name": "a"})[0].content == "x\n"


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (('title = "Ours"', ""), "missing required field `title`"),
        (('version = "2"', 'version = "2"\nodd = 1'), "unknown field `odd`"),
        (('version = "2"', 'version = "2"\nuses = ["odd"]'), "no shared parameter: odd"),
        (('path = "Makefile"', 'path = "Makefile"\nformat = "odd"'), "there is no format 'odd'"),
        (('source = "own.j2"', 'source = "odd.j2"'), "there is no source makefile/rust/cli/odd.j2"),
        (('title = "Ours"', "title = "), "template.toml"),
        (
            ("[[files]]", '[parameters.x]\ndescription = "X."\npattern = "("\n[[files]]'),
            "parameters.x",
        ),
        (
            ("[[files]]", '[parameters.variant]\ndescription = "X."\n[[files]]'),
            "'variant' cannot be the name",
        ),
    ],
)
def test_a_template_that_cannot_be_read_is_left_out_with_a_note(
    tmp_path: Path, change: tuple[str, str], note: str
) -> None:
    place(tmp_path, "makefile/rust/cli", PLAIN.replace(*change), own="x\n")
    catalogue = load_catalogue((tmp_path,))
    assert catalogue.find(URI).origin == BUILT_IN
    assert len(catalogue.notes) == 1
    assert note in catalogue.notes[0]


def test_a_missing_folder_adds_nothing(tmp_path: Path) -> None:
    assert load_catalogue((tmp_path / "missing",)).templates.keys() == CATALOGUE.templates.keys()


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    (note,) = load_catalogue((tmp_path / "missing",)).notes
    assert note.endswith("there is no such folder")


def test_a_source_that_leads_out_of_its_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    place(tmp_path / "own", "makefile/rust/cli", PLAIN)
    place(tmp_path / "own", "makefile/rust/fine", PLAIN, own="fine")
    (tmp_path / "own/makefile/rust/cli/own.j2").symlink_to(tmp_path / "secret.txt")
    catalogue = load_catalogue([tmp_path / "own"])
    assert "secret" not in catalogue.sources["own"].values()
    assert catalogue.templates[URI].origin == BUILT_IN
    assert catalogue.templates["template://makefile/rust/fine"].origin == "own"
    assert catalogue.notes == (
        "own: makefile/rust/cli/own.j2: own.j2 cannot be read: it leads out of the folder",
        f"{URI}: there is no source makefile/rust/cli/own.j2",
    )


def test_a_source_may_be_a_link_inside_its_folder(tmp_path: Path) -> None:
    place(tmp_path / "own", "makefile/rust/cli", PLAIN)
    (tmp_path / "own/shared.txt").write_text("shared")
    (tmp_path / "own/makefile/rust/cli/own.j2").symlink_to("../../../shared.txt")
    (tmp_path / "link").symlink_to("own")
    catalogue = load_catalogue([tmp_path / "link"])
    assert catalogue.notes == ()
    assert catalogue.sources["link"]["makefile/rust/cli/own.j2"] == "shared"


@pytest.mark.parametrize("kind", ["pipe", "device", "long"])
def test_a_definition_that_is_no_small_file_is_named_and_the_rest_is_read(
    tmp_path: Path, kind: str
) -> None:
    own = tmp_path / "own"
    place(own, "makefile/rust/fine", PLAIN, own="fine")
    bad = own / "makefile/rust/bad"
    bad.mkdir()
    for name in ("template.toml", "own.j2"):
        if kind == "pipe":
            os.mkfifo(bad / name)
        elif kind == "long":
            with (bad / name).open("wb") as file:
                file.truncate(1 << 40)
        else:
            (bad / name).symlink_to("/dev/zero")
    catalogue = load_catalogue([own])
    assert catalogue.templates["template://makefile/rust/fine"].origin == "own"
    assert any(note.startswith("makefile/rust/bad: template.toml") for note in catalogue.notes)
