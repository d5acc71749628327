import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        ("own.lua", "local function it() end\nit()\n", "local function it() end\n"),
        ("member.lua", "local M = {}\nfunction M.it() end\nM.it()\n", "local function it() end\n"),
        ("main.lua", "function love.it() end\n", "function other.it() end\n"),
        (
            "kong/plugins/a/handler.lua",
            "local M = {}\nfunction M:access() end\nreturn M\n",
            "local M = {}\nlocal function it() end\nreturn M\n",
        ),
        ("table.lua", "run { it = function() end }\n", "local it = function() end\n"),
        (
            "meta.lua",
            "local M = {}\nfunction M.__add() end\n",
            "local M = {}\nlocal function it() end\n",
        ),
        (
            "hook.lua",
            "function love.load(o) o.it = function() end end\n",
            "local function it() end\n",
        ),
        ("plugin/a.lua", "function it() end\n", "local function it() end\n"),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
