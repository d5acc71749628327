import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made

_PUBSPECS = {"pubspec.yaml": "name: shop\n", "packages/rate/pubspec.yaml": 'name: "rate"\n'}


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("lib/main.dart", "src/cart.dart", ("lib/src/cart.dart",)),
        ("test/cart_test.dart", "package:shop/src/cart.dart", ("lib/src/cart.dart",)),
        ("lib/main.dart", "package:rate/rate.dart", ("packages/rate/lib/rate.dart",)),
        ("lib/main.dart", "package:flutter/material.dart", "external flutter"),
        ("lib/main.dart", "dart:async", "external dart:async"),
        ("lib/main.dart", "gone.dart", "unresolved"),
        ("lib/main.dart", "../../gone.dart", "unresolved"),
    ],
)
def test_an_import_of_dart_leads_to(
    path: str, module: str, expected: str | tuple[str, ...]
) -> None:
    paths = [
        "lib/main.dart",
        "lib/src/cart.dart",
        "packages/rate/lib/rate.dart",
        "test/cart_test.dart",
    ]
    files = [made(it, "dart") for it in paths]
    assert import_outcome(files, path, "dart", Import(module, (), 1), _PUBSPECS) == expected
