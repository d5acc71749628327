from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Workspace
from benchpin.core.errors import InvalidPath, PathOutsideWorkspace


@pytest.fixture
def room(tmp_path: Path) -> Workspace:
    """Return a workspace with a file, beside a folder whose name begins alike."""
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("pass\n", encoding="utf-8")
    evil = tmp_path / "ws-evil"
    evil.mkdir()
    (evil / "loot.txt").write_text("loot\n", encoding="utf-8")
    return Workspace.at(root)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../src/a.py", "src/a.py"),
        ("src/new/file.py", "src/new/file.py"),
        ("", "."),
        (".", "."),
        ("src/..", "."),
        ("..hidden", "..hidden"),
        ("%2e%2e%2fx", "%2e%2e%2fx"),
        ("~", "~"),
    ],
)
def test_paths_inside_are_resolved(room: Workspace, path: str, place: str) -> None:
    found = room.resolve(path)
    assert found == room.root / place
    assert room.relative(found) == PurePosixPath(place)


def test_an_absolute_path_inside_is_taken(room: Workspace) -> None:
    assert room.resolve(str(room.root / "src" / "a.py")) == room.root / "src" / "a.py"


@pytest.mark.parametrize(
    "path",
    [
        *("..", "../x", "src/../../x", "src/../../ws-evil/loot.txt", "/", "/etc/passwd"),
        *("../ws-evil", "../ws-evil/loot.txt", "/proc/self/root/etc/passwd"),
    ],
)
def test_paths_outside_are_refused(room: Workspace, path: str) -> None:
    with pytest.raises(PathOutsideWorkspace) as caught:
        room.resolve(path)
    assert caught.value.data == {"path": path}


def test_a_sibling_whose_name_begins_alike_is_outside(room: Workspace) -> None:
    with pytest.raises(PathOutsideWorkspace):
        room.resolve(f"{room.root}-evil/loot.txt")


@pytest.mark.parametrize("leaf", ["loot.txt", "not-there-yet.txt", ""])
def test_a_link_that_leads_out_is_outside(room: Workspace, leaf: str) -> None:
    (room.root / "door").symlink_to(room.root.parent / "ws-evil")
    with pytest.raises(PathOutsideWorkspace):
        room.resolve(f"door/{leaf}")


def test_a_link_to_a_link_that_leads_out_is_outside(room: Workspace) -> None:
    (room.root / "far").symlink_to("/etc")
    (room.root / "near").symlink_to("far")
    with pytest.raises(PathOutsideWorkspace):
        room.resolve("near/passwd")


def test_a_link_that_stays_inside_is_followed(room: Workspace) -> None:
    (room.root / "short").symlink_to("src")
    assert room.resolve("short/a.py") == room.root / "src" / "a.py"


def test_dots_after_a_link_count_from_where_the_link_leads(room: Workspace) -> None:
    (room.root / "src" / "deep").mkdir()
    (room.root / "short").symlink_to("src/deep")
    assert room.resolve("short/../a.py") == room.root / "src" / "a.py"


def test_a_link_to_itself_is_refused_or_stays_inside(room: Workspace) -> None:
    (room.root / "loop").symlink_to("loop")
    try:
        place = room.resolve("loop")
    except InvalidPath:
        return  # Python 3.11 and 3.12 notice; later ones leave the last step unresolved
    assert place.is_relative_to(room.root)


@pytest.mark.parametrize("path", ["a\0b", "\0", "src/a.py\0.txt", "\ud800", "src/\udfff/a.py"])
def test_a_text_that_cannot_be_a_path_is_refused(room: Workspace, path: str) -> None:
    with pytest.raises(InvalidPath):
        room.resolve(path)


def test_a_name_longer_than_the_system_takes_stays_inside(room: Workspace) -> None:
    assert room.resolve("a" * 5000).parent == room.root


def test_a_root_that_is_a_link_is_its_target(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    room = Workspace.at(tmp_path / "link")
    assert room.root == real
    assert room.resolve(str(tmp_path / "link" / "a.py")) == real / "a.py"


@pytest.mark.parametrize("folder", ["nowhere", "file.txt", "file.txt/under", "~nosuchuser", "a\0b"])
def test_a_root_that_is_no_folder_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file.txt").write_text("", encoding="utf-8")
    place = Path(folder) if folder.startswith("~") else tmp_path / folder
    with pytest.raises(InvalidPath):
        Workspace.at(place)


def test_a_root_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "code").mkdir()
    assert Workspace.at(Path("~/code")).root == tmp_path / "code"


@pytest.mark.parametrize("piece", ["a/", "../", "./"])
def test_a_path_that_no_system_has_is_refused(tmp_path: Path, piece: str) -> None:
    with pytest.raises(InvalidPath, match="more than 4,096 names"):
        Workspace(tmp_path).resolve(piece * 200_000)
