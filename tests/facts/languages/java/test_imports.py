import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made

_JVM = [
    made("app/src/main/java/org/shop/Cart.java", "java", types=["Cart", "Cart.Line"]),
    made("app/src/main/java/org/shop/Item.java", "java", types=["Item"]),
    made("app/src/main/kotlin/org/shop/Util.kt", "kotlin", functions=["round"]),
    made("app/src/test/java/org/shop/CartTest.java", "java", types=["CartTest"]),
    made("app/src/main/kotlin/short/Odd.kt", "kotlin", exports=["org.shop.odd.Odd"]),
    made("app/src/main/scala/org/alias/package.scala", "scala"),
]


@pytest.mark.parametrize(
    ("module", "names", "uses", "expected"),
    [
        ("org.shop", ("Cart",), (), ("app/src/main/java/org/shop/Cart.java",)),
        ("org.shop.Cart", ("Line",), (), ("app/src/main/java/org/shop/Cart.java",)),
        ("org.shop.Cart", ("total",), (), ("app/src/main/java/org/shop/Cart.java",)),
        ("org.shop", ("round",), (), ("app/src/main/kotlin/org/shop/Util.kt",)),
        ("org.shop", ("*",), ("Item", "x"), ("app/src/main/java/org/shop/Item.java",)),
        ("org.shop.odd", ("Odd",), (), ("app/src/main/kotlin/short/Odd.kt",)),
        ("org.alias", ("Eq",), (), ("app/src/main/scala/org/alias/package.scala",)),
        ("org.shop", ("Missing",), (), "unresolved"),
        ("java.util", ("List",), (), "external java.util"),
        ("org.other", ("Cart",), (), "external org.other"),
    ],
)
def test_an_import_of_the_jvm_leads_to(
    module: str, names: tuple[str, ...], uses: tuple[str, ...], expected: str | tuple[str, ...]
) -> None:
    path = "app/src/test/java/org/shop/CartTest.java"
    assert import_outcome(_JVM, path, "java", Import(module, names, 1), uses=uses) == expected
