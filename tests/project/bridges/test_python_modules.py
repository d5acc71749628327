from bridge_kit import lines

RUST = """\
use pyo3::prelude::*;

#[pyfunction]
#[pyo3(name = "total", signature = (a, name=None))]
fn sum(a: i32, name: Option<i32>) -> i32 { a }

#[pyclass(name = "Thing")]
pub struct PyThing {}

#[pymethods]
impl PyThing {
    #[pyo3(name = "length")]
    fn len(&self) -> usize { 0 }
}

#[pymodule]
#[pyo3(name = "_native")]
fn make(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("VERSION", "1")?;
    m.add_function(wrap_pyfunction!(sum, m)?)?;
    Ok(())
}
"""
C = """\
static PyObject *spam_run(PyObject *self, PyObject *args) { return 0; }
static PyMethodDef methods[] = {
    {"run", (PyCFunction)spam_run, METH_VARARGS, "Run."},
    {NULL}
};
static PyTypeObject Kind = {.tp_name = "Kind", .tp_dealloc = spam_run};
PyMODINIT_FUNC PyInit_spam(void) {
    PyModule_AddIntConstant(m, "LEVEL", 3);
    return PyModule_Create(&module);
}
"""


def test_python_imports_what_pyo3_offers() -> None:
    files = {
        "src/lib.rs": RUST,
        "python/pkg/__init__.py": "from ._native import (\n    Thing,\n    total as t,\n)\n",
        "python/pkg/_native.pyi": "class Thing: ...\n",
        "python/pkg/use.py": "from . import _native\n\n_native.total(1)\nprint(_native.VERSION)\n",
        "python/pkg/bare.py": "from pkg import _native as n\n",
    }
    assert lines(files) == [
        "pyo3 Thing python/pkg/__init__.py:2 -> src/lib.rs:8",
        "pyo3 total python/pkg/__init__.py:3 -> src/lib.rs:5",
        "pyo3 _native python/pkg/bare.py:1 -> src/lib.rs:18",
        "pyo3 total python/pkg/use.py:3 -> src/lib.rs:5",
        "pyo3 VERSION python/pkg/use.py:4 -> src/lib.rs:19",
    ]


def test_submodules_of_pyo3_are_followed() -> None:
    files = {
        "src/lib.rs": """\
            #[pymodule]
            mod _rust {
                #[pymodule_export]
                use crate::keys::keys;
            }
            """,
        "src/keys.rs": """\
            #[pyo3::pyfunction]
            fn load() {}
            #[pyo3::pymodule]
            pub mod keys {}
            """,
        "pkg/__init__.py": "",
        "pkg/use.py": "from pkg import _rust\n\n_rust.keys.load()\n",
    }
    assert lines(files) == ["pyo3 load pkg/use.py:3 -> src/keys.rs:2"]


def test_a_module_of_python_or_of_others_is_not_meant() -> None:
    files = {
        "src/lib.rs": "#[pymodule]\nfn helper() {}\n#[pymodule]\nfn hmac() {}\n",
        "pkg/__init__.py": "",
        "pkg/helper.py": "x = 1\n",
        "pkg/use.py": "from .helper import x\nfrom . import helper\nimport hmac\nhmac.new()\n",
        "pkg/theirs.py": "from pip.helper import y\nfrom pip import helper\n",
    }
    assert lines(files) == []


def test_python_imports_what_the_c_api_offers() -> None:
    files = {
        "src/spam.c": C,
        "use.py": "import spam\n\nspam.run()\nspam.Kind()\nspam.LEVEL\nspam.unknown\n",
    }
    assert lines(files) == [
        "python_extension run use.py:3 -> src/spam.c:1",
        "python_extension Kind use.py:4 -> src/spam.c:6",
        "python_extension LEVEL use.py:5 -> src/spam.c:8",
        "python_extension spam use.py:6 -> src/spam.c:7",
    ]


def test_python_imports_what_pybind11_offers() -> None:
    files = {
        "src/fast.cpp": """\
            int add(int a, int b) { return a + b; }
            PYBIND11_MODULE(fast, m) {
                m.def("add", &add, "Adds.");
                py::class_<Pet>(m, "Pet").def(py::init<>());
            }
            """,
        "use.py": "from fast import add, Pet\n",
    }
    assert lines(files) == [
        "python_extension Pet use.py:1 -> src/fast.cpp:4",
        "python_extension add use.py:1 -> src/fast.cpp:1",
    ]


def test_among_namesakes_the_one_with_the_same_words_is_chosen() -> None:
    row = '{"name", get_name, METH_O}'
    module = (
        f"static PyMethodDef m[] = {{{row}}};\nPyMODINIT_FUNC PyInit__os(void) {{ return 0; }}\n"
    )
    function = "PyObject *get_name(PyObject *self, PyObject *a) { return 0; }\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/_linux.py": "from . import _os\n\n_os.name()\n",
        "pkg/_windows.py": "from . import _os\n\n_os.name()\n",
        "pkg/ext_linux.c": module,
        "pkg/ext_windows.c": module,
        "pkg/arch/linux/name.c": function,
        "pkg/arch/windows/name.c": function,
    }
    assert lines(files) == [
        "python_extension name pkg/_linux.py:3 -> pkg/arch/linux/name.c:1",
        "python_extension name pkg/_windows.py:3 -> pkg/arch/windows/name.c:1",
    ]
