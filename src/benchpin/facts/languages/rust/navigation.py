"""How names of Rust are found."""

from collections.abc import Sequence

from benchpin.facts.code import (
    CallRules,
    NamedTest,
    Navigation,
    Span,
    TestWords,
    TokenStream,
    after_angles,
    last_names,
)

_KEEPING = """
    iter iter_mut into_iter as_ref as_mut as_deref as_deref_mut clone cloned copied take get get_mut
    first last pop next ok ok_or ok_or_else map_err context with_context filter rev lock read write
    skip peekable or_else or as_slice to_vec first_mut last_mut find nth peek drain to_owned
    pop_front
"""
_BUILTIN_ATTRIBUTES = """
    allow cfg cfg_attr deny deprecated derive doc expect feature forbid inline must_use repr serde
    test warn
"""
_GLOBALS = """
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str std core alloc
    proc_macro test drop union auto macro_rules main concat stringify derive self super crate
"""
_LIBRARY_TYPES = """
    Arc BTreeMap BTreeSet BinaryHeap BufReader BufWriter Cell Command Cow Duration File HashMap
    HashSet Instant Mutex OnceCell OnceLock OsStr OsString Path PathBuf PhantomData Rc RefCell
    RwLock SystemTime VecDeque Weak
"""
_KEYWORDS = """
    as async await break const continue crate dyn else enum extern false fn for if impl in let loop
    match mod move mut pub ref return self Self static struct super trait true type unsafe use where
    while abstract become box do final macro override priv typeof unsized virtual yield try
"""
_PREDECLARED = """
    Box Clone Copy Debug Default Display Drop Eq Err Error Fn FnMut FnOnce From Future Hash Into
    Iterator None Ok Option Ord PartialEq PartialOrd Pending Poll Ready Result Self Send Sized Some
    String Sync ToString Unpin Vec
"""
_STANDARD_MEMBERS = """
    all and any as_mut as_ref chain clone cloned cmp collect contains count default drop enumerate
    eq expect extend filter find flush fmt fold from get get_mut hash insert into is_empty iter
    iter_mut join kind len map map_err name new next ok poll pop ptr push read remove replace send
    skip sum take to_string trim try_from unwrap unwrap_or with wrap write zip
"""


def _name_in_file(module: str, name: str, files: Sequence[str]) -> str:
    """Return `Enum.Name` for `use a::Enum::Name`, `inner.name` for `use a::inner::name`."""
    if not files:
        return name
    last = module.rpartition("::")[2]
    stem = files[0].removesuffix(".rs").removesuffix("/mod").rpartition("/")[2]
    is_file = last in {"crate", "self", "super", stem} or stem in {"lib", "main"}
    is_inside = last[:1].isupper() or not is_file  # types begin with a capital
    return f"{last}.{name}" if is_inside else name


def _whole_import(module: str) -> tuple[str, str]:
    """Return the type of `use Kind as K`, which is in the file itself."""
    return module, module if module[:1].isupper() and "::" not in module else ""


def _cargo(tests: Sequence[NamedTest]) -> str:
    names = last_names(tests)
    return f"cargo test {names[0]}" if len(names) == 1 else "cargo test"


def _implementing(stream: TokenStream, at: int) -> Span | None:
    """Return the type of `impl<…> path::Trait<…> for Type`, by the position of the trait."""
    words = stream.words
    after = after_angles(stream, at + 1, len(words)) if words[at + 1 : at + 2] == ["<"] else at + 1
    if words[after : after + 1] != ["for"]:
        return None
    start = at
    while start > 1 and words[start - 1] == "::":
        start -= 2
    before = start - 1
    if before > 0 and words[before] == ">":
        while before > 0 and words[before] != "impl" and words[before] not in {";", "{", "}"}:
            before -= 1
    if words[before] != "impl":
        return None
    ends = (it for it in range(after + 1, len(words)) if words[it] in {"{", "where"})
    return after + 1, next(ends, len(words))


NAVIGATION = Navigation(
    gives_all_fields=True,
    implementing=_implementing,
    name_in_file=_name_in_file,
    whole_import=_whole_import,
    opens_types=True,
    path_words={"crate": "root", "$crate": "root", "self": "here", "super": "parent"},
    namespace_words=frozenset({"mod"}),
    builtin_attributes=frozenset(_BUILTIN_ATTRIBUTES.split()),
    has_variants=True,
    has_traits=True,
    has_aliases=True,
    methods="imported",
    wrappers=frozenset({"Box", "Rc", "Arc"}),
    unwrapping=frozenset(
        {
            *("unwrap", "expect", "unwrap_or_default", "unwrap_or", "unwrap_or_else"),
            *("borrow", "borrow_mut", "lock_owned", "into_inner", "load", "get_or_init"),
        }
    ),
    keeping=frozenset(_KEEPING.split()),
    copying=frozenset({"clone", "to_owned"}),
    keywords=frozenset(_KEYWORDS.split()),
    predeclared=frozenset(_PREDECLARED.split()),
    globals=frozenset(_GLOBALS.split()),
    library_types=frozenset(_LIBRARY_TYPES.split()),
    standard_members=frozenset(_STANDARD_MEMBERS.split()),
    calls=CallRules(),
    test_modules=frozenset({"test", "tests"}),
    tests=TestWords(
        skips=frozenset({"ignore"}),
        asserts=("assert", "debug_assert", "panic"),
        equals=frozenset({"assert_eq", "assert_ne", "==", "assert_matches"}),
        partial=frozenset(
            {"<", "<=", ">", ">=", "is_empty", "starts_with", "ends_with", "contains"}
        ),
        weak=frozenset({"is_some", "is_ok", "is_err", "is_none"}),
        closeness=frozenset({"abs", "abs_diff", "assert_relative_eq", "assert_abs_diff_eq"}),
    ),
    silencers=("#[allow(", "#![allow(", "#[expect(", "#![expect("),
    test_command=_cargo,
)
