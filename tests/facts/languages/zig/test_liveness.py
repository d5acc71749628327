import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        ("a.zig", "fn it() void {}\nconst a = it();\n", "fn it() void {}\n"),
        ("a.zig", "export fn it() void {}\n", "fn it() void {}\n"),
        ("a.zig", "fn main() void {}\n", "fn it() void {}\n"),
        (
            "a.zig",
            "const A = struct { fn format() void {} };\nconst b = A{};\n",
            "fn it() void {}\n",
        ),
        (
            "a.zig",
            "const It = struct { a: u8 };\nconst b: *const It = 0;\n",
            "const It = struct { a: u8 };\n",
        ),
        (
            "a.zig",
            "const A = struct { fn it() u8 { return 1; } const b = it(); };\nconst c = A;\n",
            "fn it() void {}\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
