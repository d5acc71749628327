"""How names of Dart are found."""

from benchpin.facts.code import Navigation, TestWords, quoted_files

_KEYWORDS = """
    abstract as assert async await base break case catch class const continue covariant default
    deferred do dynamic else enum export extends extension external factory false final finally for
    get hide if implements import in interface is late library mixin new null of on operator part
    required rethrow return sealed set show static super switch sync this throw true try typedef var
    void when while with yield
"""
_GLOBALS = """
    BigInt Comparable DateTime Duration Error Exception Function Future Iterable Iterator List Map
    Match Null Object Pattern RegExp Set StackTrace Stream String StringBuffer Symbol Type Uri
    bool double dynamic identical int num print
"""
NAVIGATION = Navigation(
    keywords=frozenset(_KEYWORDS.split()),
    globals=frozenset(_GLOBALS.split()),
    standard_members=frozenset({"add", "contains", "forEach", "length", "map", "toList", "where"}),
    tests=TestWords(
        calls=frozenset({"test", "testWidgets", "blocTest"}),
        skips=frozenset({"skip"}),
        asserts=("expect", "assert", "verify"),
        equals=frozenset({"equals", "same", "throwsA"}),
        weak=frozenset({"isNotNull", "isTrue", "isFalse", "isNotEmpty", "findsOneWidget"}),
        partial=frozenset({"contains", "startsWith", "endsWith", "greaterThan", "lessThan"}),
        closeness=frozenset({"closeTo"}),
    ),
    silencers=("// ignore:", "// ignore_for_file:", "coverage:ignore"),
    test_command=lambda tests: f"dart test {quoted_files(tests)}",
    test_file="_test.dart",
)
