import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    decorators,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    private_names,
    type_rows,
)

FACTS = facts_of("csharp/Basket.cs")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("IPriced.IsFree", "method", 13, 1, 0, 0, 0),
        ("Basket.Basket", "method", 24, 2, 0, 0, 1),
        ("Basket.Label", "method", 33, 2, 1, 1, 0),
        ("Basket.Label", "method", 34, 1, 0, 0, 0),
        ("Basket.IsEmpty", "method", 37, 1, 0, 0, 0),
        ("Basket.Price", "method", 40, 9, 8, 2, 0),
        ("Basket.Describe", "method", 63, 6, 5, 2, 2),
        ("Basket.Dispose", "method", 77, 3, 6, 2, 0),
        ("Basket.Dispose.isGift", "closure", 79, 2, 1, 0, 1),
        ("Basket.Dispose.(anonymous)", "closure", 80, 1, 0, 0, 1),
        ("Basket.Dispose.Left", "function", 82, 2, 1, 1, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Basket.Label",
        "Basket.Describe",
        "Basket.Dispose.isGift",
        "Basket.Dispose.(anonymous)",
        "Basket.Dispose.Left",
    ]
    assert documented_names(FACTS) == ["Basket.Price"]
    assert decorators(FACTS) == {"Basket.Price": ("Pure", "Obsolete")}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("IPriced", "interface", 9, ("IDisposable",), True, True),
        ("Basket", "class", 19, ("Model", "IPriced"), True, True),
        ("Basket.Size", "enum", 108, (), False, False),
        ("Line", "record", 114, ("Model",), False, False),
        ("Point", "struct", 116, (), True, False),
    ]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("System", (), 1, 0),
        ("System.Linq", (), 2, 0),
        ("System.Math", ("*",), 3, 0),
        ("Shop.Tax.Table", (), 4, 0),
    ]


def test_exports_have_full_names() -> None:
    assert FACTS.links.exports == (
        "Shop.Baskets.IPriced",
        "Shop.Baskets.Basket",
        "Shop.Baskets.Line",
        "Shop.Baskets.Point",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "IPriced.IsFree": ("Price",),
        "Basket.Basket": ("Rates",),
        "Basket.Price": ("Round", "line.Price", "rates?.Apply"),
        "Basket.Describe": ("thing.ToString",),
        "Basket.Dispose": (
            "Left",
            "Log.Write",
            "error.Next",
            "lines.Where",
            "lines.Where(isGift).ToList",
            "lines.Where(isGift).ToList().ForEach",
        ),
        "Basket.Dispose.(anonymous)": ("line.Drop",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) {} else if (b) {} else {}", 3, 3),
        ("if (a) { while (b) { for (;;) {} } }", 4, 6),
        ("switch (a) { case 1: break; case 2: if (b) {} break; default: break; }", 4, 3),
        ("var x = a switch { 1 => 2, _ => 3 };", 3, 1),
        ("try {} catch (E) { if (a) {} } finally {}", 2, 3),
        ("var x = a && b || c && (d && e);", 5, 3),
        ("var x = a is > 1 or < 0 and > -5;", 3, 2),
        ("a?.b?.c(); a ??= b ?? c;", 5, 0),
        ("if (a) { goto end; } end: ;", 2, 3),
        ("f(x => { if (x) {} });", 2, 2),
    ],
)
def test_measures_are_those_of_sonar(body: str, cyclomatic: int, cognitive: int) -> None:
    """The rules S1541 and S3776, by the cases in SonarSource's own tests."""
    assert measured(f"class K {{ void F() {{ {body} }} }}", "csharp") == (cyclomatic, cognitive)


@pytest.mark.parametrize(
    "loop",
    [
        "foreach (var x in xs) { }",
        "foreach ((int a, var b) in pairs) { }",
        "foreach (ref var x in span) { }",
        "await foreach (var x in stream) { }",
    ],
)
def test_every_form_of_foreach_is_a_path_as_in_visual_studio(loop: str) -> None:
    # learn.microsoft.com, "Code metrics - Cyclomatic complexity": every loop is a decision.
    assert measured(f"class A {{ async Task M() {{ {loop} }} }}", "csharp") == (2, 1)


def test_only_the_first_branch_of_the_preprocessor_adds_paths() -> None:
    source = "class K { void F() {\n#if A\nif (a) {}\n#else\nif (a) {} if (b) {}\n#endif\n} }"
    assert measured(source, "csharp")[0] == 2


@pytest.mark.parametrize(
    "source",
    [
        "class K {\n  void A(bool async) => B(async);\n  void B(bool x) { }\n}\n",
        "class K {\n  bool A(bool async) => async && b;\n  void B(bool x) { }\n}\n",
        "class K {\n  void A() { }\n  void B() { }\n}\n#pragma warning restore 618",
        "class K { void A() {\n#if X\nif (a) {\n#else\nif (b) {\n#endif\n} }\nvoid B() { } }\n",
    ],
)
def test_syntax_unknown_to_the_grammar_is_masked(source: str) -> None:
    outline = extract(source.encode(), "csharp").outline
    names = [it.name for it in outline.functions]
    assert (outline.error_line, names) == (0, ["K.A", "K.B"])


def test_a_broken_file_still_has_its_functions() -> None:
    source = b"class K {\n  void A() { }\n  int = ;\n  void B() { }\n}\n"
    outline = extract(source, "csharp").outline
    assert outline.error_line == 3
    assert [it.name for it in outline.functions] == ["K.A", "K.B"]
