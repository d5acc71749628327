import os
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest

from benchpin.app import Workbench
from benchpin.core.content import ResourceContents
from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    EffectNotAllowed,
    InvalidParams,
    PathError,
)
from benchpin.core.text import path_of
from benchpin.toolsets.workspace.resources import workspace_file


def read(shop: Workbench, uri: str) -> ResourceContents:
    variables = workspace_file.match(uri)
    assert variables is not None
    return workspace_file.read(variables, shop.bench)


def write(shop: Workbench, uri: str, body: str | bytes, expected_sha256: str | None = None) -> None:
    variables = workspace_file.match(uri)
    assert variables is not None
    assert workspace_file.write is not None
    workspace_file.write(variables, body, shop.bench, expected_sha256)


def uris(shop: Workbench, after: str = "") -> list[str]:
    assert workspace_file.entries is not None
    return [entry.uri for entry in workspace_file.entries(shop.bench, after)]


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    for path, content in (
        ("src/main.py", b"print('Hello')\n"),
        ("README.md", b"# Read me\n"),
        ("image.png", b"\x89PNG\0"),
        ("odd name #1?.txt", b"odd"),
        ("ignored.log", b"x"),
        (".env", b"SECRET=1"),
        (".gitignore", b"*.log\n"),
    ):
        place = workspace / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)


def test_files_are_listed_by_uris_that_every_parser_understands(
    shop: Workbench, workspace: Path
) -> None:
    assert uris(shop) == [
        f"file://{workspace}/README.md",
        f"file://{workspace}/image.png",
        f"file://{workspace}/odd%20name%20%231%3F.txt",
        f"file://{workspace}/src/main.py",
    ]
    assert uris(shop, after=f"file://{workspace}/image.png") == uris(shop)[2:]
    parts = [urlsplit(uri) for uri in uris(shop)]
    assert {it.netloc for it in parts} == {""}
    assert all(Path(unquote(it.path)).is_file() for it in parts)


@pytest.mark.parametrize(
    "form",
    [
        "file://src/main.py",
        "file://{root}/src/main.py",
        "file://localhost{root}/src/main.py",
        "file://LocalHost{root}/src/main.py",
        "file://./src/main.py",
    ],
)
def test_a_file_is_read_by_every_form(shop: Workbench, workspace: Path, form: str) -> None:
    found = read(shop, form.format(root=workspace))
    assert found == ResourceContents("print('Hello')\n", "text/x-python")


def test_what_is_listed_can_be_read(shop: Workbench) -> None:
    assert [read(shop, uri).mime_type for uri in uris(shop)] == [
        "text/markdown",
        "image/png",
        "text/plain",
        "text/x-python",
    ]
    assert read(shop, "file://odd%20name%20%231%3F.txt").body == "odd"
    assert read(shop, "file://image.png").body == b"\x89PNG\0"


@pytest.mark.parametrize(
    "uri",
    [
        "file://../secret.txt",
        "file://src/../../secret.txt",
        "file://%2e%2e%2fsecret.txt",
        "file://%2e%2e/secret.txt",
        "file://%252e%252e%252fsecret.txt",
        "file://host/../secret.txt",
        "file:////etc/passwd",
        "file:///etc/passwd",
        "file://a%00b",
        "file://.env",
        "file://..\\secret.txt",
        "file://\\\\server\\share",
        "file://src/main.py%20",
        "file://src/main.py.",
    ],
)
def test_no_uri_leads_out(shop: Workbench, workspace: Path, uri: str) -> None:
    (workspace.parent / "secret.txt").write_text("secret")
    with pytest.raises(PathError):
        read(shop, uri)
    with pytest.raises(BenchpinError):
        write(Workbench.open(workspace), uri, "pwned")
    assert (workspace.parent / "secret.txt").read_text() == "secret"


@pytest.mark.parametrize(
    "uri",
    [
        "file://src/main.py?line=1",
        "file://src/main.py#L1",
        "file://new/a.txt?x",
        "file://user@src/main.py",
        "file://src:80/main.py",
        "file://localhost:80/{root}/src/main.py",
        "file://new%zz/a.txt",
    ],
)
def test_a_uri_that_says_more_than_a_path_makes_nothing(
    shop: Workbench, workspace: Path, uri: str
) -> None:
    before = sorted(workspace.rglob("*"))
    named = uri.format(root=workspace)
    with pytest.raises(InvalidParams):
        read(shop, named)
    with pytest.raises(InvalidParams):
        write(shop, named, "x")
    assert sorted(workspace.rglob("*")) == before
    assert (workspace / "src/main.py").read_text() == "print('Hello')\n"


@pytest.mark.parametrize("uri", ["file://benchpin.toml", "file://.benchpin/prompts/a.md"])
def test_the_settings_and_prompts_of_benchpin_are_read_and_not_written(
    shop: Workbench, workspace: Path, uri: str
) -> None:
    place = workspace / uri.removeprefix("file://")
    place.parent.mkdir(parents=True, exist_ok=True)
    with pytest.raises(AccessDenied):
        write(shop, uri, "new")
    assert not place.exists()
    place.write_text("kept")
    with pytest.raises(AccessDenied):
        write(shop, uri, "new")
    assert read(shop, uri).body == "kept"


def test_text_and_bytes_are_written(shop: Workbench, workspace: Path) -> None:
    write(shop, "file://output/results.txt", "All tests passed!")
    assert (workspace / "output/results.txt").read_text() == "All tests passed!"
    write(shop, "file://output/data.bin", b"\0\1")
    assert (workspace / "output/data.bin").read_bytes() == b"\0\1"


def test_writing_needs_to_be_allowed(workspace: Path) -> None:
    with pytest.raises(EffectNotAllowed):
        write(Workbench.open(workspace), "file://a.txt", "x")
    with pytest.raises(AccessDenied):
        write(Workbench.open(workspace, allow=("write",)), "file://.env", "x")


def test_paths_are_completed(shop: Workbench, workspace: Path) -> None:
    assert workspace_file.complete is not None
    assert workspace_file.complete("path", "s", shop.bench) == ["src/main.py"]
    absolute = f"{workspace}/src/main.py"
    assert workspace_file.complete("path", f"{workspace}/s", shop.bench) == [absolute]
    (workspace / "many").mkdir()
    for number in range(120):
        (workspace / f"many/{number}.txt").touch()
    assert "many/" in workspace_file.complete("path", "", shop.bench)


@pytest.mark.parametrize("prefix", ["odd", "odd name", "odd%20name", "odd name #1?"])
def test_a_completed_path_makes_a_uri_that_can_be_read(shop: Workbench, prefix: str) -> None:
    assert workspace_file.complete is not None
    [completed] = workspace_file.complete("path", prefix, shop.bench)
    assert read(shop, f"file://{completed}").body == "odd"


def test_a_change_concerns_its_own_file(shop: Workbench) -> None:
    assert workspace_file.concerns is not None
    concerns = workspace_file.concerns
    assert concerns({"path": "src/main.py"}, PurePosixPath("src/main.py"), shop.bench)
    assert concerns({"path": "odd%20name.txt"}, PurePosixPath("odd name.txt"), shop.bench)
    assert concerns(
        {"path": "/home/me/project/src/main.py"}, PurePosixPath("src/main.py"), shop.bench
    )
    assert not concerns({"path": "src/main.py"}, PurePosixPath("src/other.py"), shop.bench)


def test_every_name_is_listed_by_a_uri_that_can_be_read(shop: Workbench, workspace: Path) -> None:
    for name in ("caf\udce9.txt", "two\nlines.txt", "100%41.txt", "a@b:c.txt", "localhost/x.txt"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_bytes(os.fsencode(name))
    listed = [uri for uri in uris(shop) if read(shop, uri).body in _named(uri, workspace)]
    assert sorted(listed) == [
        f"file://{workspace}/100%2541.txt",
        f"file://{workspace}/a%40b%3Ac.txt",
        f"file://{workspace}/caf%E9.txt",
        f"file://{workspace}/localhost/x.txt",
        f"file://{workspace}/two%0Alines.txt",
    ]
    assert workspace_file.entries is not None
    assert all(it.name.isprintable() for it in workspace_file.entries(shop.bench, ""))


def _named(uri: str, workspace: Path) -> set[str | bytes]:
    """Return what a file has in it when its name is its content."""
    name = os.fsencode(path_of(uri).removeprefix(f"{workspace}/"))
    return {name, name.decode(errors="replace")}


def test_a_name_that_is_not_utf_8_goes_from_a_listing_to_read_file(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "d\udcff").mkdir()
    (workspace / "d\udcff/caf\udce9.txt").write_text("found")
    listed = shop.call("list_directory", recursive=True).model_dump()["entries"]
    folder, path = (it["path"] for it in listed if "%" in it["path"])
    assert (folder, path) == ("file://d%FF", "file://d%FF/caf%E9.txt")
    found = shop.call("search_files", pattern="found").model_dump()["matches"]
    assert [it["path"] for it in found] == [path]
    text = shop.call("read_file", path=path).model_dump()
    assert (text["content"], text["path"]) == ("found", path)
    inner = shop.call("list_directory", path=folder).model_dump()["entries"]
    assert [it["path"] for it in inner] == [path]


def test_names_that_are_not_utf_8_break_nothing(shop: Workbench, workspace: Path) -> None:
    (workspace / "caf\udce9.txt").touch()
    assert f"file://{workspace}/README.md" in uris(shop)
    for uri in ("file://%ff", "file://%c0%ae%c0%ae/x"):
        with pytest.raises(PathError):
            read(shop, uri)
        with pytest.raises(PathError, match="not UTF-8"):
            write(shop, uri, "x")
    found = shop.call("search_files", pattern="caf", search_type="filename")
    assert found.model_dump(mode="json")["matches"]
