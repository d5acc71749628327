import pytest

from benchpin.workspace.walking import is_product_path, is_test_path


@pytest.mark.parametrize(
    "path",
    [
        "tests/helpers.py",
        "test/helpers.c",
        "t/lib.sh",
        "packages/shop/tests/order.ts",
        "a/__tests__/b.js",
        "a/__tests_dts__/b.ts",
        "src/test/java/Shop.java",
        "app/src/androidHostTest/kotlin/Shop.kt",
        "api/src/testFixtures/java/Shop.java",
        "test_a.py",
        "a/conftest.py",
        "shop/tests.py",
        "a_test.go",
        "a_spec.rb",
        "a.spec.ts",
        "ATest.java",
        "ShopTests.cs",
        "ShopIT.java",
        "packages/shop/fixtures/order.ts",
        "src/__fixtures__/order.ts",
    ],
)
def test_tests_are_known_by_their_paths(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/latest.py",
        "src/_pytest/fixtures.py",
        "src/contest/a.c",
        "contest/a.py",
        "testimony.py",
        "attest.c",
        "AUDIT.java",
        "at/a.c",
    ],
)
def test_names_that_look_alike_are_no_tests(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    "path", ["django/test/client.py", "src/Illuminate/Testing/TestCase.php", "test_helpers.go"]
)
def test_what_helps_others_to_test_is_no_test(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "playground/hmr/main.js",
        "examples/shop/app.py",
        "packages/shop/example/app.ts",
        "Samples/Shop.cs",
        "_examples/shop.go",
        "demo/shop.c",
        "tests/order.py",
    ],
)
def test_tests_and_samples_are_not_the_product(path: str) -> None:
    assert not is_product_path(path)


@pytest.mark.parametrize("path", ["src/sampler.py", "src/example.py", "democracy/a.py", "a.c"])
def test_other_files_are_the_product(path: str) -> None:
    assert is_product_path(path)
