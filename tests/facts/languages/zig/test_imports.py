import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made

_BUILD = """
const core = b.addModule("core", .{ .root_source_file = b.path("src/core.zig") });
exe.root_module.addImport("gone", b.dependency("gone", .{}).module("gone"));
"""


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("src/main.zig", "core.zig", ("src/core.zig",)),
        ("src/main.zig", "../build.zig", ("build.zig",)),
        ("src/main.zig", "core", ("src/core.zig",)),
        ("src/main.zig", "gone", "external gone"),
        ("src/main.zig", "std", "external std"),
        ("src/main.zig", "late.zig", "unresolved"),
        ("main.zig", "../late.zig", "unresolved"),
    ],
)
def test_an_import_of_zig_leads_to(path: str, module: str, expected: str | tuple[str, ...]) -> None:
    files = [made(it, "zig") for it in ("src/main.zig", "src/core.zig", "build.zig", "main.zig")]
    found = import_outcome(files, path, "zig", Import(module, (), 1), {"build.zig": _BUILD})
    assert found == expected
