import pytest

from benchpin.facts import Import
from made_sources import import_outcome, made


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("main.tf", "./modules/vpc", ("modules/vpc/main.tf", "modules/vpc/variables.tf")),
        ("examples/full/main.tf", "../..", ("main.tf",)),
        ("main.tf", "./modules/gone", "unresolved"),
        ("main.tf", "../outside", "unresolved"),
        ("main.tf", "terraform-aws-modules/vpc/aws", "external terraform-aws-modules/vpc/aws"),
        (
            "main.tf",
            "git::https://example.com/vpc.git?ref=v1",
            "external git::https://example.com/vpc",
        ),
    ],
)
def test_the_source_of_a_module_leads_to(
    path: str, source: str, expected: str | tuple[str, ...]
) -> None:
    paths = ["main.tf", "modules/vpc/main.tf", "modules/vpc/variables.tf", "examples/full/main.tf"]
    files = [made(it, "hcl") for it in paths]
    assert import_outcome(files, path, "hcl", Import(source, (), 1)) == expected
