"""How names of Zig are found."""

from benchpin.facts.code import Navigation, TestWords, quoted_files

_KEYWORDS = """
    addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime
    const continue defer else enum errdefer error export extern fn for if inline linksection noalias
    noinline nosuspend opaque or orelse packed pub resume return struct suspend switch test
    threadlocal try union unreachable usingnamespace var volatile while
"""
_GLOBALS = """
    anyerror anyopaque bool c_char c_int c_long c_longdouble c_longlong c_short c_uint c_ulong
    c_ulonglong c_ushort comptime_float comptime_int f128 f16 f32 f64 f80 false i128 i16 i32 i64 i8
    isize noreturn null true type u1 u128 u16 u21 u32 u64 u8 undefined usize void
"""
NAVIGATION = Navigation(
    whole_import=lambda module: (module.rpartition("/")[2].removesuffix(".zig"), ""),
    keywords=frozenset(_KEYWORDS.split()),
    globals=frozenset(_GLOBALS.split()),
    tests=TestWords(
        skips=frozenset({"SkipZigTest"}),
        asserts=("assert", "expect"),
        equals=frozenset({"expectEqual", "expectEqualStrings", "expectEqualSlices", "expectError"}),
        weak=frozenset({"expect"}),
        partial=frozenset({"expectStringStartsWith", "expectStringEndsWith"}),
        closeness=frozenset({"expectApproxEqAbs", "expectApproxEqRel"}),
    ),
    silencers=("zig fmt: off", "zlint-disable"),
    test_command=lambda tests: f"zig test {quoted_files(tests)}",
)
