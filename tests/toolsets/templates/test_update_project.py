"""update_project, called from Python."""

from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import (
    AccessDenied,
    EffectNotAllowed,
    FileChanged,
    InvalidParams,
    ToolDisabled,
)

WISH = {
    "toolchain": "rust",
    "templates": ["readme", "license"],
    "parameters": {"project_name": "star-chart", "license": "MIT", "author": "Ada"},
}


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench that may write, with a project that is under the MIT licence."""
    bench = Workbench.open(workspace, allow=("write",))
    bench.call("scaffold_project", **WISH, target="made", write=True)
    return bench


def call(shop: Workbench, **arguments: object) -> Any:
    return shop.call("update_project", path="made", **arguments).model_dump(mode="json")


def test_a_project_of_today_is_up_to_date(shop: Workbench) -> None:
    found = shop.call("update_project", path="made")
    assert found.to_text() == "[up to date with the templates]"
    assert call(shop)["digest"] == ""


def test_another_licence_is_shown_first_and_written_by_its_digest(
    shop: Workbench, workspace: Path
) -> None:
    other = {"license": "Apache-2.0"}
    before = (workspace / "made/LICENSE").read_bytes()
    preview = call(shop, parameters=other)
    assert not preview["is_written"]
    assert {it["path"]: it["status"] for it in preview["files"]} == {
        "LICENSE": "updated",
        "README.md": "updated",
    }
    assert ".benchpin" not in preview["diff"]
    assert (workspace / "made/LICENSE").read_bytes() == before
    with pytest.raises(FileChanged, match="is not what would be written now"):
        call(shop, parameters=other, apply="0123456789abcdef")
    written = call(shop, parameters=other, apply=preview["digest"])
    assert written["is_written"]
    assert b"Apache License" in (workspace / "made/LICENSE").read_bytes()
    assert call(shop)["digest"] == ""


def test_a_file_that_changed_after_the_preview_is_not_overwritten(
    shop: Workbench, workspace: Path
) -> None:
    other = {"license": "Apache-2.0"}
    digest = call(shop, parameters=other)["digest"]
    (workspace / "made/README.md").write_text("mine\n", encoding="utf-8")
    with pytest.raises(FileChanged):
        call(shop, parameters=other, apply=digest)
    assert (workspace / "made/README.md").read_text(encoding="utf-8") == "mine\n"


def test_conflicts_are_counted_and_are_the_exit_status(shop: Workbench, workspace: Path) -> None:
    readme = workspace / "made/README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(text.replace("MIT", "my own"), encoding="utf-8")
    found = shop.call("update_project", path="made", parameters={"license": "Apache-2.0"})
    assert found.exit_status() == 1
    assert "conflict README.md (1 conflict)" in found.to_text()
    assert "1 conflict to resolve" in found.to_text()


def test_marks_that_are_left_are_named_until_they_are_resolved(
    shop: Workbench, workspace: Path
) -> None:
    readme, other = workspace / "made/README.md", {"license": "Apache-2.0"}
    text = readme.read_text(encoding="utf-8").replace("MIT", "my own")
    readme.write_text(text, encoding="utf-8")
    call(shop, parameters=other, apply=call(shop, parameters=other)["digest"])
    found = shop.call("update_project", path="made")
    assert found.exit_status() == 1
    assert call(shop)["unresolved"] == ["README.md"]
    assert "marked   README.md: resolve what is between" in found.to_text()
    assert "[up to date with the templates, but 1 file with unresolved" in found.to_text()
    readme.write_text(text, encoding="utf-8")
    found = shop.call("update_project", path="made")
    assert (found.to_text(), found.exit_status()) == ("[up to date with the templates]", 0)


def test_a_file_that_cannot_be_read_does_not_stop_an_update_without_changes(
    shop: Workbench, workspace: Path
) -> None:
    readme = workspace / "made/README.md"
    readme.unlink()
    readme.symlink_to("LICENSE")
    assert shop.call("update_project", path="made").exit_status() == 0


def test_a_digest_is_refused_when_there_is_nothing_to_write(shop: Workbench) -> None:
    digest = call(shop, parameters={"license": "Apache-2.0"})["digest"]
    with pytest.raises(FileChanged, match="There is nothing to write") as refused:
        call(shop, apply=digest)
    assert "`parameters`" in refused.value.suggestion


def test_the_preview_says_how_to_write_it_with_all_that_was_given(shop: Workbench) -> None:
    other = {"license": "Apache-2.0"}
    found = shop.call("update_project", path="made", parameters=other)
    digest = call(shop, parameters=other)["digest"]
    expected = f'path=made, parameters={{"license": "Apache-2.0"}}, apply={digest}]'
    assert found.to_text().endswith(f"to write it: {expected}")


def test_a_folder_without_a_record_is_refused(shop: Workbench, workspace: Path) -> None:
    (workspace / "other").mkdir()
    with pytest.raises(InvalidParams, match=r"has no \.benchpin/scaffold\.toml"):
        shop.call("update_project", path="other")


def test_updating_needs_the_permission_to_write(workspace: Path) -> None:
    with pytest.raises((EffectNotAllowed, ToolDisabled)):
        Workbench.open(workspace).call("update_project")


def test_a_file_that_may_not_be_written_stops_the_update(workspace: Path) -> None:
    open_bench = Workbench.open(workspace, allow=("write",))
    open_bench.call("scaffold_project", **WISH, target="made", write=True)
    rules = [{"pattern": "**/*", "operations": ["read"]}]
    bench = Workbench.open(workspace, allow=("write",), resource_permissions=rules)
    with pytest.raises(AccessDenied, match="May not write"):
        bench.call("update_project", path="made", parameters={"license": "Apache-2.0"})
