"""Each rule of Python: what it keeps alive, and the same without what it looks for."""

import pytest

from dead_code_kit import assert_only_first_alive, confidences, surely_dead


def _case(name: str, alive: str, dead: str, path: str = "pkg/app.py") -> object:
    return pytest.param(path, alive, dead, id=name)


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        _case("main", "def it():\n    pass\n\nif __name__ == '__main__':\n    it()\n",
              "def it():\n    pass\n\nif __name__ == '__main__':\n    pass\n"),
        _case("__all__", "__all__ = ['it']\n\ndef it():\n    pass\n",
              "__all__ = ['other']\n\ndef it():\n    pass\n"),
        _case("decorator", "import web\n\n@web.route('/')\ndef it():\n    pass\n",
              "import functools\n\n@functools.cache\ndef it():\n    pass\n"),
        _case("class decorator", "import web\n\n@web.register\nclass it:\n    pass\n",
              "from dataclasses import dataclass\n\n@dataclass\nclass it:\n    pass\n"),
        _case("special method", "class Box:\n    def __len__(it):\n        return it\n\nBox()\n",
              "class Box:\n    def _len(it):\n        return it\n\ndef it():\n    pass\n\nBox()\n"),
        _case("prefix", "def go(box, kind):\n    return getattr(box, f'do_{kind}')\n\ngo(1, 2)\n\n"
              "class Box:\n    def do_it(self):\n        pass\n\nBox()\n",
              "def go(box, kind):\n    return getattr(box, f'run_{kind}')\n\ngo(1, 2)\n\n"
              "class Box:\n    def do_it(self):\n        pass\n\nBox()\n"),
        _case("filled in", "def go(box, kind):\n    return getattr(box, 'do_%s' % kind)\n\n"
              "go(1, 2)\n\nclass Box:\n    def do_it(self):\n        pass\n\nBox()\n",
              "def go(box, kind):\n    return 'do_%s' % kind\n\n"
              "go(1, 2)\n\nclass Box:\n    def do_it(self):\n        pass\n\nBox()\n"),
        _case("globals", "for name, value in globals().items():\n    print(value)\n\n"
              "def it():\n    pass\n",
              "def go(globals):\n    return globals\n\ngo(1)\n\ndef it():\n    pass\n"),
        _case("globals of a kind", "print([v for v in vars().values() if callable(v)])\n\n"
              "def it():\n    pass\n",
              "print([v for v in vars().values() if isinstance(v, int)])\n\n"
              "def it():\n    pass\n"),
        _case("globals by name", "def go(name):\n    return globals()[name]\n\ngo(1)\n\n"
              "def it():\n    pass\n",
              "def go(name):\n    return globals()['go']\n\ngo(1)\n\ndef it():\n    pass\n"),
        _case("foreign base", "import web\n\nclass Box(web.View):\n    def it(self):\n"
              "        pass\n\nBox()\n",
              "class Box(Exception):\n    def it(self):\n        pass\n\nBox()\n"),
        _case("standard library", "import threading\n\nclass Box(threading.Thread):\n"
              "    def join(self):\n        pass\n\nBox()\n",
              "import threading\n\nclass Box(threading.Thread):\n    def it(self):\n"
              "        pass\n\nBox()\n"),
        _case("mixed in", "import web\n\nclass Mixin:\n    def it(self):\n        pass\n\n"
              "class Box(Mixin, web.View):\n    pass\n\nBox()\n",
              "class Mixin:\n    def it(self):\n        pass\n\nclass Box(Mixin):\n    pass\n\n"
              "Box()\n"),
        _case("overriding", "class Base:\n    def it(self):\n        pass\n\n"
              "class Box(Base):\n    def it(self):\n        pass\n\nBox().it()\n",
              "class Base:\n    pass\n\nclass Box(Base):\n    def it(self):\n        pass\n\n"
              "Box()\n"),
        _case("registry", "class Base:\n    def __init_subclass__(cls):\n        pass\n\n"
              "class it(Base):\n    pass\n",
              "class Base:\n    pass\n\nclass it(Base):\n    pass\n"),
        _case("metaclass", "class Meta(type):\n    pass\n\nclass Base(metaclass=Meta):\n"
              "    pass\n\nclass it(Base):\n    pass\n",
              "from abc import ABCMeta\n\nclass Base(metaclass=ABCMeta):\n    pass\n\n"
              "class it(Base):\n    pass\n"),
        _case("computed base", "from six import make\n\nclass Base(make(object)):\n    pass\n\n"
              "class it(Base):\n    pass\n",
              "from collections import namedtuple\n\nclass Base(namedtuple('Base', 'a')):\n"
              "    pass\n\nclass it(Base):\n    pass\n"),
        _case("own lookup", "class Box:\n    def do(self, key):\n"
              "        return getattr(self, key)()\n\n"
              "    def it(self):\n        pass\n\nBox().do(1)\n",
              "class Box:\n    def do(self, key):\n        return getattr(key, 'do')()\n\n"
              "    def it(self):\n        pass\n\nBox().do(1)\n"),
        _case("doctest", 'def it():\n    """\n    >>> it()\n    """\n',
              'def it():\n    """Say it()."""\n'),
        _case("subclasses", "class Base:\n    pass\n\nprint(Base.__subclasses__())\n\n"
              "class it(Base):\n    pass\n",
              "class Base:\n    pass\n\nprint(Base)\n\nclass it(Base):\n    pass\n"),
        _case("protocol", "from typing import Protocol\n\nclass Box(Protocol):\n"
              "    def it(self): ...\n\nprint(Box)\n",
              "class Box:\n    def it(self): ...\n\nprint(Box)\n"),
        _case("file-like", "class Box:\n    def readline(self):\n        pass\n\nBox()\n",
              "class Box:\n    def it(self):\n        pass\n\nBox()\n"),
        _case("class body", "class Box:\n    def it(self):\n        pass\n\n"
              "    size = property(it)\n\nBox()\n",
              "class Box:\n    def it(self):\n        pass\n\nBox()\n"),
        _case("inner function", "def go():\n    def it():\n        pass\n\n    return it\n\ngo()\n",
              "def go():\n    def it():\n        pass\n\ngo()\nit = 1\nprint(it)\n"),
        _case("dispatch", "import ast\n\nclass Box(ast.NodeVisitor):\n"
              "    def visit_it(self):\n        pass\n\nBox()\n",
              "import ast\n\nclass Box(ast.NodeVisitor):\n    def it(self):\n        pass\n\n"
              "Box()\n"),
        _case("joined", "def __getattr__(name):\n    if name in ('it',):\n"
              "        return globals()[f'_{name}']\n\ndef _it():\n    pass\n",
              "def __getattr__(name):\n    if name in ('other',):\n"
              "        return globals()[f'_{name}']\n\ndef _it():\n    pass\n"),
    ],
)  # fmt: skip
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)


@pytest.mark.parametrize(
    ("path", "text", "elsewhere"),
    [
        ("tests/test_a.py", "def test_it():\n    pass\n", "tests/helpers.py"),
        ("tests/test_a.py", "class TestIt:\n    def setup_method(self):\n        pass\n", None),
        ("conftest.py", "def pytest_addoption(parser):\n    pass\n", None),
        ("shop/management/commands/it.py", "class Command:\n    pass\n", "shop/core/it.py"),
        ("shop/models.py", "class It(Base):\n    pass\n\nclass Base:\n    pass\n", "shop/core.py"),
        ("benchmarks/speed.py", "class TimeIt:\n    pass\n", "speed/speed.py"),
        ("docs/conf.py", "def setup(app):\n    pass\n", None),
        ("pkg/shapes.pyi", "def area() -> int: ...\n", "pkg/shapes.py"),
        ("pkg/__init__.py", "def area():\n    pass\n", "pkg/shapes.py"),
    ],
)
def test_frameworks_find_code_by_its_path(path: str, text: str, elsewhere: str | None) -> None:
    assert not surely_dead({path: text})
    if elsewhere is not None and not elsewhere.startswith("tests"):
        assert surely_dead({elsewhere: text})


def test_what_a_package_imports_is_alive() -> None:
    shapes = {"pkg/shapes.py": "def area():\n    pass\n"}
    assert confidences({**shapes, "pkg/__init__.py": "from .shapes import area\n"}) == {}
    assert confidences({**shapes, "pkg/__init__.py": ""}) == {"area": 0.8}


def test_a_public_method_of_an_exported_class_is_doubted() -> None:
    text = "class Box:\n    def area(self):\n        pass\n\n    def _area(self):\n        pass\n"
    found = confidences({"pkg/shapes.py": text, "pkg/__init__.py": "from .shapes import Box\n"})
    assert found == {"Box.area": 0.1, "Box._area": 0.95}


def test_a_renamed_import_is_a_use() -> None:
    files = {
        "pkg/a.py": "def _load():\n    pass\n",
        "pkg/b.py": "from .a import _load as read\n\nread()\n",
    }
    assert confidences(files) == {}


def test_an_imported_base_is_not_a_class_of_the_same_name_here() -> None:
    files = {
        "app.py": "from wsgi import server\n\nclass Handler(server.Handler):\n"
        "    def close_it(self):\n        pass\n\nHandler()\n",
        "tests/test_a.py": "class Handler:\n    pass\n",
    }
    assert confidences(files)["Handler.close_it"] == 0.1


def test_a_keyword_argument_is_no_use() -> None:
    files = {"a.py": "def _limit():\n    pass\n\nprint(1, _limit=2)\n"}
    assert confidences(files) == {"_limit": 0.95}


_LIBRARY = """
    from lib import pool as _pool

    class A(_pool.Pool):
        def _put(self):
            pass

    class Pool:
        pass

    print(A(), Pool)
    """
_ABSTRACT = """
    import abc

    class A(abc.ABC):
        @abc.abstractmethod
        def area(self):
            pass

    class B(A):
        def area(self):
            pass

    print(B())
    """
_TEST_BESIDE = """
    import sys

    if "pytest" in sys.modules:
        import pytest

        def test_rule():
            pytest.skip()
    """


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/conf.py", "def linkcode_resolve(domain, info):\n    pass\n"),
        ("pkg/a.py", _LIBRARY),
        ("pkg/a.py", _ABSTRACT),
        ("tools/spider.py", "import scrapy\n\nclass Spider(scrapy.Spider):\n    pass\n"),
        ("pkg/rules.py", _TEST_BESIDE),
    ],
    ids=["Sphinx", "private method of a library", "abstract", "run by path", "test beside code"],
)
def test_what_other_programs_call_is_not_surely_dead(path: str, text: str) -> None:
    assert surely_dead({path: text}) == set()


def test_a_library_is_not_a_module_of_the_same_name_within_a_package() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/twisted.py": "",
        "pkg/run.py": "from twisted.python import usage\n\nclass Options(usage.Options):\n"
        "    def opt_it(self):\n        pass\n\nprint(Options())\n",
    }
    assert surely_dead(files) == set()


def test_only_what_is_private_itself_is_dead_beyond_doubt() -> None:
    text = (
        "class _Box:\n    def area(self):\n        pass\n\n    def _size(self):\n        pass\n\n"
    )
    files = {"pkg/_shapes.py": f"{text}def free():\n    pass\n\nprint(_Box())\n"}
    assert confidences(files) == {"_Box.area": 0.8, "_Box._size": 0.95, "free": 0.8}


def test_a_class_that_stands_in_for_an_import_keeps_its_methods() -> None:
    own = (
        "class Filter:\n    def skips(self):\n        return 1\n\n"
        "    def goes(self): ...\n\nFilter().goes()\n"
    )
    assert "Filter.skips" in surely_dead({"pkg/a.py": own})
    missing = "try:\n    from lib import Chunk, Filter\nexcept ImportError:\n    pass\n\n"
    assert surely_dead({"pkg/a.py": missing + own}) == set()


def test_an_implementation_that_settings_may_name_is_left_alone() -> None:
    text = (
        "class {base}:\n    pass\n\nclass Fast({base}):\n    pass\n\n"
        "class Slow({base}):\n    pass\n\nFast()\n"
    )
    assert "Slow" in surely_dead({"pkg/a.py": text.format(base="Animal")})
    assert surely_dead({"pkg/a.py": text.format(base="BaseStorage")}) == set()


def test_methods_of_settings_and_of_backends_are_called_by_frameworks() -> None:
    code = "class Form:\n    class {}:\n        def token(self): ...\nForm()\n"
    assert "Form.Meta.token" not in surely_dead({"app.py": code.format("Meta")})
    assert "Form.Inner.token" in confidences({"app.py": code.format("Inner")})
    backend = "class {0}:\n    def get_user(self): ...\n{0}()\n"
    assert confidences({"app.py": backend.format("TokenBackend")})["TokenBackend.get_user"] == 0.1
    assert confidences({"app.py": backend.format("Token")})["Token.get_user"] == 0.8


@pytest.mark.parametrize(
    "example", ["@it(1)", "from pkg.app import it", "from app import \\\n    it"]
)
def test_what_a_docstring_shows_to_users_is_not_called_unused(example: str) -> None:
    code = f'def it(x):\n    """Do it.\n\n    {example}\n    """\n'
    assert confidences({"pkg/app.py": code})["it"] == 0.7
    assert confidences({"pkg/app.py": code.replace(example, "see it")})["it"] == 0.8
