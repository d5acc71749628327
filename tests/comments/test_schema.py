"""Sidecars fit the schema in docs/comments.md."""

import json
import re
from pathlib import Path, PurePosixPath

import jsonschema
import pytest

from benchpin.comments import CommentStore, SidecarEditor, parse
from benchpin.comments.anchoring import TrackedText
from benchpin.core.calls import Job
from comment_kit import CODE, NOON, SHAPES, add, placed, write_source

PAGE = Path(__file__).parents[2] / "docs/comments.md"


def blocks() -> list[str]:
    return re.findall(r"```json(?: schema)?\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def check(raw: object) -> None:
    _, schema = (json.loads(block) for block in blocks())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(raw, schema)


def test_the_example_fits_the_schema_and_is_parsed() -> None:
    example = blocks()[0]
    check(json.loads(example))
    found = parse(example.encode())
    assert not found.problem
    assert found.markers[0].anchor is not None
    assert found.comments[0].line == 42


def test_written_sidecars_fit_the_schema(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    comment = add(store, "src/app.py", 5, "hello")
    with store.editing([PurePosixPath("src/app.py")], Job()) as [editor]:
        editor.resolve(comment.id, "resolved", "ann", NOON)
        editor.set_place(comment.marker_id, placed(comment, 4))
    check(json.loads((workspace / "src/app.py.comments").read_bytes()))


@pytest.mark.parametrize("name", SHAPES)
def test_converted_sidecars_fit_the_schema(name: str) -> None:
    editor = SidecarEditor("src/app.ts", parse(json.dumps(SHAPES[name]).encode()))
    editor.edit(SHAPES[name]["comments"][0]["id"], "changed", NOON)
    editor.anchor_line_numbers(TrackedText(CODE.encode()), NOON)
    check(json.loads(editor.encode()))
