"""How names of Java are found."""

from collections.abc import Sequence

from benchpin.facts.code import CallRules, NamedTest, Navigation, TestWords

_UNIVERSAL_METHODS = "getClass hashCode equals toString notify notifyAll wait clone finalize"
_KEYWORDS = """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends false final finally float for goto if implements import instanceof int interface
    long native new null package private protected public return short static strictfp super switch
    synchronized this throw throws transient true try void volatile while
"""
# Small types of the library, each with the methods that a type gets from it.
_SMALL_BASES = {
    **dict.fromkeys(("Object", "Serializable", "Cloneable", "Enum"), ""),
    **dict.fromkeys(("Exception", "RuntimeException"), ""),
    **dict.fromkeys(("AutoCloseable", "Closeable"), "close"),
    "Comparable": "compareTo",
    "Comparator": "compare reversed thenComparing thenComparingInt thenComparingLong",
    "Runnable": "run",
    "Callable": "call",
    "Iterable": "iterator forEach spliterator",
    "Iterator": "next hasNext remove forEachRemaining",
    "Supplier": "get",
    "Predicate": "test and or negate",
    "InvocationHandler": "invoke",
    **dict.fromkeys(("Consumer", "BiConsumer"), "accept andThen"),
    **dict.fromkeys(("Function", "UnaryOperator"), "apply compose andThen"),
    **dict.fromkeys(("BiFunction", "BinaryOperator"), "apply andThen"),
}


def _name_in_file(module: str, name: str, files: Sequence[str]) -> str:
    """Return `Outer.name` for `import a.Outer.name`."""
    parts = module.split(".")
    outer = files[0].rpartition("/")[2].partition(".")[0] if files else ""
    return ".".join((*parts[parts.index(outer) :], name)) if outer in parts else name


def _maven(tests: Sequence[NamedTest]) -> str:
    methods = []
    for test in tests:
        stem = test.file.rpartition("/")[2].partition(".")[0]
        last = f"#{test.name.rpartition('.')[2]}" if test.name else ""
        methods.append(f"{stem}{last}")
    return f"mvn test -Dtest='{','.join(dict.fromkeys(methods))}'"


NAVIGATION = Navigation(
    name_in_file=_name_in_file,
    opens_types=True,
    has_new_arrays=True,
    names_file_by_type=True,
    unwrapping=frozenset(
        {
            *("get", "getFirst", "getLast", "next", "poll", "peek", "pop", "take", "element"),
            *("orElse", "orElseThrow", "orElseGet", "join", "cast", "newInstance"),
        }
    ),
    keywords=frozenset(_KEYWORDS.split()),
    universal_methods=frozenset(_UNIVERSAL_METHODS.split()),
    small_bases={name: frozenset(methods.split()) for name, methods in _SMALL_BASES.items()},
    calls=CallRules(),
    tests=TestWords(
        skips=frozenset({"Disabled", "Ignore", "assumeTrue", "assumeFalse"}),
        asserts=("assert", "fail", "verify"),
        equals=frozenset(
            {
                *("assertEquals", "assertSame", "assertArrayEquals", "==", "isEqualTo", "hasSize"),
                *("withMessage", "hasMessage", "containsExactly", "isSameAs"),
            }
        ),
        partial=frozenset(
            {
                *("withMessageStartingWith", "withMessageContaining", "withMessageEndingWith"),
                *("hasMessageStartingWith", "hasMessageContaining", "hasMessageEndingWith"),
                *("startsWith", "endsWith", "contains", "isEmpty", "<", "<=", ">", ">="),
                *("isGreaterThan", "isLessThan", "isGreaterThanOrEqualTo", "isLessThanOrEqualTo"),
                *("hasSizeGreaterThan", "hasSizeLessThan", "isNotEmpty"),
            }
        ),
        weak=frozenset({"assertTrue", "assertNotNull", "assertFalse", "isNotNull", "isNotEmpty"}),
        closeness=frozenset({"assertEquals", "closeTo", "within", "offset", "abs"}),
    ),
    silencers=("@SuppressWarnings", "NOSONAR", "CHECKSTYLE:OFF", "NOPMD", "@SuppressFBWarnings"),
    test_command=_maven,
)
