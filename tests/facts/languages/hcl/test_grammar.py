from benchpin.facts.parsing import extract
from language_facts import calls, facts_of, function_rows, import_rows, type_rows

FACTS = facts_of("hcl/main.tf")


def test_blocks_and_locals_are_symbols_under_the_names_that_expressions_use() -> None:
    assert type_rows(FACTS) == [
        ("var.name", "variable", 8, (), True, True),
        ("var.unused", "variable", 18, (), True, False),
        ("local.label", "local", 22, (), True, True),
        ("local.ids", "local", 23, (), True, False),
        ("local.late", "local", 24, (), True, False),
        ("data.aws_ami.ubuntu", "data", 27, (), True, False),
        ("aws_instance.web", "resource", 31, (), True, False),
        ("module.vpc", "module", 48, (), True, False),
        ("module.far", "module", 53, (), True, False),
        ("output.id", "output", 58, (), True, False),
        ("provider.aws", "provider", 62, (), True, False),
    ]
    assert function_rows(FACTS) == []


def test_the_sources_of_modules_are_imports() -> None:
    assert import_rows(FACTS) == [
        ("./modules/vpc", (), 49, 0),
        ("terraform-aws-modules/vpc/aws", (), 54, 0),
    ]
    assert calls(FACTS) == {"": ("length", "merge")}


def test_comments_of_all_kinds_are_read() -> None:
    assert [it.text for it in FACTS.comments.comments] == [
        "# What runs the shop.",
        "/* Who it is for. */",
        "# The name of everything.",
    ]


def test_names_in_templates_are_references() -> None:
    facts = extract(b'a = "x${var.name}-%{ if local.b }y%{ endif }"\n', "hcl")
    assert {"var", "name", "local", "b"} <= facts.links.references.keys()


def test_a_broken_file_still_has_its_blocks() -> None:
    outline = extract(b'variable "a" {}\n\nx = = 1\n\nvariable "b" {}\n', "hcl").outline
    assert outline.error_line == 3
    assert "var.a" in [it.name for it in outline.types]
