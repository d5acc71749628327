import pytest

from made_sources import outcome, parsed, resolve, resolve_texts

PROJECT = {
    "pyproject.toml": "",
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "",
    "src/shop/json.py": "",
    "src/shop/money/__init__.py": "",
    "src/shop/money/coins.py": "",
    "src/shop/plugins/paypal.py": "",
    "src/shop/stubs.pyi": "",
    "tests/conftest.py": "",
    "tests/helpers.py": "",
    "examples/a/setup_db.py": "",
    "examples/b/setup_db.py": "",
}


@pytest.mark.parametrize(
    ("path", "statement", "expected"),
    [
        ("src/shop/cart.py", "import shop.money.coins", ("src/shop/money/coins.py",)),
        ("src/shop/cart.py", "import shop", ("src/shop/__init__.py",)),
        ("src/shop/cart.py", "from shop import money", ("src/shop/money/__init__.py",)),
        ("src/shop/cart.py", "from shop.money import coins", ("src/shop/money/coins.py",)),
        (
            "src/shop/cart.py",
            "from shop.money import coins, Coin",
            ("src/shop/money/__init__.py", "src/shop/money/coins.py"),
        ),
        ("src/shop/cart.py", "from shop.money import *", ("src/shop/money/__init__.py",)),
        ("src/shop/cart.py", "from . import money", ("src/shop/money/__init__.py",)),
        ("src/shop/cart.py", "from .money.coins import Coin", ("src/shop/money/coins.py",)),
        ("src/shop/money/coins.py", "from ..cart import Cart", ("src/shop/cart.py",)),
        ("src/shop/money/__init__.py", "from .coins import Coin", ("src/shop/money/coins.py",)),
        ("src/shop/cart.py", "from .stubs import x", ("src/shop/stubs.pyi",)),
        ("src/shop/cart.py", "import shop.plugins.paypal", ("src/shop/plugins/paypal.py",)),
        ("src/shop/cart.py", "from .plugins import paypal", ("src/shop/plugins/paypal.py",)),
        ("src/shop/cart.py", "import json", "external json"),
        ("src/shop/cart.py", "from .json import dumps", ("src/shop/json.py",)),
        ("src/shop/cart.py", "import requests.sessions", "external requests"),
        ("src/shop/cart.py", "from .missing import x", "unresolved"),
        ("src/shop/cart.py", "import shop.missing", "unresolved"),
        ("src/shop/cart.py", "from ..... import x", "unresolved"),
        ("tests/conftest.py", "import shop.cart", ("src/shop/cart.py",)),
        ("tests/conftest.py", "import helpers", ("tests/helpers.py",)),
        ("tests/helpers.py", "from conftest import x", ("tests/conftest.py",)),
        ("tests/helpers.py", "import setup_db", "external setup_db"),
        ("examples/a/setup_db.py", "import setup_db", ("examples/a/setup_db.py",)),
    ],
)
def test_an_import_leads_to(path: str, statement: str, expected: str | tuple[str, ...]) -> None:
    [resolution] = resolve_texts(PROJECT | {path: statement}, path)
    assert outcome(resolution) == expected


def test_names_that_are_modules_are_distinguished_from_names_in_a_module() -> None:
    [resolution] = resolve_texts(
        PROJECT | {"src/shop/cart.py": "from shop.money import coins, Coin"}, "src/shop/cart.py"
    )
    assert resolution.modules == (("coins", "src/shop/money/coins.py"),)


def test_a_file_that_was_left_out_is_outside_not_unresolved() -> None:
    files = parsed({"app/__init__.py": "", "app/main.py": "from .wire_pb2 import Message"})
    [resolution] = resolve(files, "app/main.py", {"app/wire_pb2.py": "generated"})
    assert outcome(resolution) == "outside"


def test_a_package_of_tests_does_not_claim_the_library_of_its_name() -> None:
    texts = {
        "pyproject.toml": "",
        "app/__init__.py": "",
        "docs/conf.py": "import sphinx.util",
        "tests/sphinx/__init__.py": "",
    }
    [resolution] = resolve_texts(texts, "docs/conf.py")
    assert outcome(resolution) == "external sphinx"


def test_a_workspace_that_is_a_package_goes_by_the_name_that_its_files_use() -> None:
    texts = {
        "__init__.py": "",
        "cart.py": "import shop.money.coins\nfrom shop import util\nimport yaml.util",
        "money/__init__.py": "",
        "money/coins.py": "import shop\nfrom shop.cart import Cart\nimport yaml.nodes",
        "util.py": "import json.decoder",
        "json/__init__.py": "",
    }
    assert [outcome(it) for it in resolve_texts(texts, "cart.py")] == [
        ("money/coins.py",),
        ("util.py",),
        "external yaml",
    ]
    assert [outcome(it) for it in resolve_texts(texts, "util.py")] == ["external json"]
    assert [outcome(it) for it in resolve_texts(texts, "money/coins.py")] == [
        ("__init__.py",),
        ("cart.py",),
        "external yaml",
    ]


def test_the_standard_library_wins_over_a_module_beside_the_package_of_a_file() -> None:
    texts = {
        "src/shop/json/__init__.py": "",
        "src/shop/config/__init__.py": "",
        "src/shop/config/read.py": "import json\n",
        "src/shop/run.py": "import json\n",
    }
    assert [outcome(it) for it in resolve_texts(texts, "src/shop/config/read.py")] == [
        "external json"
    ]
    assert [outcome(it) for it in resolve_texts(texts, "src/shop/run.py")] == [
        ("src/shop/json/__init__.py",)
    ]


def test_a_generated_module_of_a_folder_without_measured_files_is_outside() -> None:
    texts = {
        "shop/__init__.py": "",
        "shop/run.py": "from shop.proto import shop_pb2\nfrom shop.proto import gone\n",
        "shop/proto/shop_pb2.py": "",
    }
    measured = {path: text for path, text in texts.items() if "proto/" not in path}
    found = [outcome(it) for it in resolve(parsed(measured), "shop/run.py", texts)]
    assert found == ["outside", "unresolved"]


def test_a_namespace_package_in_a_source_folder_is_found_from_the_tests() -> None:
    files = parsed(
        {
            "src/tool/core/__init__.py": "",
            "src/tool/factory.py": "class Factory: ...\n",
            "tests/__init__.py": "",
            "tests/test_factory.py": "from tool.factory import Factory\n",
        }
    )
    [found] = resolve(files, "tests/test_factory.py", {"pyproject.toml": "[project]\n"})
    assert found.files == ("src/tool/factory.py",)
