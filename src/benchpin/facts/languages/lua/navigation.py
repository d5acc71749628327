"""How names of Lua are found."""

from benchpin.facts.code import Navigation, TestWords, quoted_files

_KEYWORDS = """
    and break do else elseif end false for function goto if in local nil not or repeat return then
    true until while
"""
_GLOBALS = """
    _ENV _G _VERSION arg assert bit bit32 collectgarbage coroutine debug dofile error getfenv
    getmetatable io ipairs jit load loadfile loadstring math module next ngx os package pairs pcall
    print rawequal rawget rawlen rawset require select self setfenv setmetatable string table
    tonumber tostring type unpack utf8 vim warn xpcall
"""
NAVIGATION = Navigation(
    whole_import=lambda module: (module.rpartition(".")[2], ""),
    has_unchecked_names=True,
    keywords=frozenset(_KEYWORDS.split()),
    globals=frozenset(_GLOBALS.split()),
    makes_names=frozenset({"setmetatable", "rawset", "setfenv"}),
    tests=TestWords(
        calls=frozenset({"it", "test", "spec", "pending"}),
        skips=frozenset({"pending"}),
        asserts=("assert", "expect", "lu"),
        equals=frozenset({"equal", "equals", "same", "are", "assertEquals", "eq", "=="}),
        weak=frozenset({"truthy", "falsy", "is_true", "is_not_nil", "assertTrue", "ok"}),
        partial=frozenset({"matches", "has_match", "<", "<=", ">", ">="}),
    ),
    silencers=("luacheck:", "selene: allow", "---@diagnostic disable", "stylua: ignore"),
    test_command=lambda tests: f"busted {quoted_files(tests)}",
    test_file="_spec.lua",
)
