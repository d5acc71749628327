import pytest

from benchpin.core.calls import Job
from benchpin.project.bridges import find_bridges
from bridge_kit import bridges, lines
from dead_code_kit import facts_of

C = """\
static int hidden(int a) { return a; }
int shown(int a) { return a; }
int other(int a) { return a; }
"""


@pytest.mark.parametrize(
    "use",
    [
        'lib = ctypes.CDLL("libx.so")\nlib.shown(1)\n',
        'lib = ctypes.CDLL("libx.so")\nlib.shown.argtypes = []\n',
        'lib = ctypes.cdll.LoadLibrary(find())\nf = getattr(lib, "shown")\n',
        'lib = ctypes.CDLL(name)\nf = lib["shown"]\n',
        "lib: ctypes.CDLL = ctypes.CDLL(name)\nsame = lib\nsame.shown(2)\n",
        'pass\nctypes.CDLL("libx.so").shown(1)\n',
    ],
)
def test_ctypes_reaches_a_function_of_c(use: str) -> None:
    found = bridges({"a/x.c": C, "use.py": f"import ctypes\n{use}"}).references
    assert [(it.kind, it.symbol, it.to_file, it.to_line) for it in found] == [
        ("ctypes", "shown", "a/x.c", 2)
    ]
    assert found[0].from_line == 1 + len(use.splitlines())
    assert found[0].evidence == use.splitlines()[-1]


def test_a_handle_may_be_an_attribute_or_come_from_a_function_or_another_module() -> None:
    files = {
        "x.c": C,
        "pkg/__init__.py": "",
        "pkg/core.py": """\
            import ctypes

            def _load():
                lib = ctypes.CDLL("libx.so")
                return lib

            LIB = _load()

            class Held:
                def __init__(self):
                    self._lib = ctypes.CDLL("libx.so")

                def use(self):
                    return self._lib.other(1)
            """,
        "pkg/use.py": "from .core import LIB as X\n\nX.shown(1)\n",
        "pkg/again.py": "from . import core\n\ncore.LIB.shown(1)\n",
        "pkg/last.py": "from .use import X\n\nX.other(1)\n",
    }
    assert lines(files) == [
        "ctypes shown pkg/again.py:3 -> x.c:2",
        "ctypes other pkg/core.py:14 -> x.c:3",
        "ctypes other pkg/last.py:3 -> x.c:3",
        "ctypes shown pkg/use.py:3 -> x.c:2",
    ]


def test_what_the_project_does_not_define_has_a_reason_that_names_the_library() -> None:
    files = {
        "x.c": C,
        "x.h": "int declared(int);\n",
        "use.py": """\
            import ctypes
            lib = ctypes.CDLL("libz.so.1")
            lib.hidden(1)
            lib.declared(1)
            ctypes.windll.kernel32.Beep(1)
            """,
    }
    found = {it.symbol: it for it in bridges(files).references}
    assert {it.to_file for it in found.values()} == {None}
    assert "libz.so.1" in found["hidden"].reason
    assert found["declared"].reason == "declared in x.h, defined outside of the project"
    assert "kernel32" in found["Beep"].reason


def test_what_python_itself_puts_onto_a_handle_is_no_function() -> None:
    use = 'import ctypes\nlib = ctypes.CDLL("x")\nlib.path = "x"\nprint(lib.path, lib._name)\n'
    assert lines({"x.c": C, "use.py": use}) == []


def test_comments_and_strings_reach_nothing() -> None:
    use = 'import ctypes\nlib = ctypes.CDLL("x")\n# lib.shown(1)\nt = "lib.shown(1)"\n'
    assert lines({"x.c": C, "use.py": use}) == []


def test_in_cpp_only_what_has_c_linkage_is_reached() -> None:
    files = {
        "linked.cpp": 'extern "C" {\nint linked(int a) { return a; }\n}\n',
        "macro.cpp": "FOO_EXPORT int exported(int a) { return a; }\n",
        "plain.cpp": "int plain(int a) { return a; }\n",
        "use.py": 'import ctypes\nl = ctypes.CDLL("x")\nl.linked(1)\nl.exported(1)\nl.plain(1)\n',
    }
    assert lines(files) == [
        "ctypes linked use.py:3 -> linked.cpp:2",
        "ctypes exported use.py:4 -> macro.cpp:1",
        "ctypes plain use.py:5 -> ?",
    ]


def test_rust_and_go_offer_functions_to_c_too() -> None:
    files = {
        "lib.rs": """\
            #[no_mangle]
            pub extern "C" fn plain() {}
            #[unsafe(no_mangle)]
            pub extern "C" fn careful() {}
            #[export_name = "renamed"]
            pub extern "C" fn inside() {}
            pub fn mangled() {}
            """,
        "lib.go": 'package main\n\nimport "C"\n\n//export Gone\nfunc Gone() {}\n',
        "use.py": """\
            import ctypes
            lib = ctypes.CDLL("x")
            lib.plain()
            lib.careful()
            lib.renamed()
            lib.mangled()
            lib.Gone()
            """,
        "use.c": "void renamed(void);\nvoid f(void) { renamed(); }\n",
    }
    assert lines(files) == [
        "c_abi renamed use.c:1 -> lib.rs:6",
        "ctypes plain use.py:3 -> lib.rs:2",
        "ctypes careful use.py:4 -> lib.rs:4",
        "ctypes renamed use.py:5 -> lib.rs:6",
        "ctypes Gone use.py:7 -> lib.go:5",
        "ctypes mangled use.py:6 -> ?",
    ]


def test_cffi_declares_functions_and_calls_what_it_built() -> None:
    files = {
        "x.c": C,
        "build.py": '''\
            from cffi import FFI
            ffi = FFI()
            ffi.cdef("""
                typedef int (*callback)(int);
                // int commented(int a);
                int shown(int a);
                int inline_one(void);
            """)
            ffi.set_source("_x", """
                static int inline_one(void) { return 1; }
            """)
            ''',
        "use.py": "from _x import ffi, lib as C\n\nC.other(1)\nprint(C.CONSTANT)\nC.gone()\n",
    }
    assert lines(files) == [
        "cffi shown build.py:6 -> x.c:2",
        "cffi inline_one build.py:7 -> build.py:10",
        "cffi other use.py:3 -> x.c:3",
        "cffi gone use.py:5 -> ?",
    ]
    inside = bridges(files).references[1]
    assert (inside.from_language, inside.to_language) == ("python", "c")


def test_the_first_definition_in_the_c_of_a_file_is_reached_whatever_stands_before_it() -> None:
    source = '''\
        from cffi import FFI
        ffi = FFI()
        ffi.cdef("int one(void); char *two(int a); int three(void);")
        ffi.set_source("_x", """
            #define CALL me(
            int one (void)
            { return three(); }
            static char **two(int (*f)(int), char *b) { return 0; }
            int one(void) { return 2; }
            int three(void);
        """)
        '''
    assert lines({"build.py": source}) == [
        "cffi one build.py:3 -> build.py:6",
        "cffi two build.py:3 -> build.py:8",
        "cffi three build.py:3 -> ?",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("filler", ["int q; ", "a b(", "a ", "a *", "(", ")"])
def test_very_many_declarations_come_to_an_end(filler: str) -> None:
    declared = "".join(f"int a{at}(void);\n" for at in range(10_000))
    rest = f'ffi.set_source("_x", """\n{filler * (350_000 // len(filler))}\n""")\n'
    source = f'from cffi import FFI\nffi = FFI()\nffi.cdef("""\n{declared}""")\n{rest}'
    facts = facts_of({"build.py": "from cffi import FFI\nffi = FFI()\nffi.cdef('')\n"})
    found = find_bridges(facts, lambda _path: source.encode(), Job(), most=1)
    assert found.total == 10_000


def test_rust_reaches_the_c_that_it_declares_and_not_what_javascript_gives() -> None:
    files = {
        "src/lib.rs": """\
            #[link(name = "x")]
            extern "C" {
                pub fn shown(a: i32) -> i32;
                #[link_name = "other"]
                fn renamed(a: i32) -> i32;
            }
            // extern "C" { fn commented(); }
            unsafe extern "C" { fn elsewhere(); }
            #[wasm_bindgen]
            extern "C" {
                fn alert(text: &str);
            }
            """,
        "c/x.c": C,
    }
    assert lines(files) == [
        "c_abi shown src/lib.rs:3 -> c/x.c:2",
        "c_abi other src/lib.rs:5 -> c/x.c:3",
        "c_abi elsewhere src/lib.rs:8 -> ?",
    ]
