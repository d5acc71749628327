"""The rule of doors for import-linter: a private module is imported only inside its own package."""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class DoorContract(Contract):
    """`benchpin.facts._index` may be imported by modules of `benchpin.facts` alone."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - as import-linter calls it
        """Find every import that passes a door."""
        past = sorted(
            (importer, module)
            for module in graph.modules
            if is_private(module)
            for importer in graph.find_modules_that_directly_import(module)
            if package_of(importer, graph) != module.rpartition(".")[0]
        )
        return ContractCheck(kept=not past, metadata={"past": past})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print them."""
        for importer, module in check.metadata["past"]:
            door = module.rpartition(".")[0]
            output.print_error(f"{importer} imports {module}: import from {door}", bold=False)


def is_private(module: str) -> bool:
    """Whether only its package may import a module; those beside `__init__` are for all."""
    package, _, name = module.rpartition(".")
    return name.startswith("_") and not name.startswith("__") and "." in package


def package_of(module: str, graph: ImportGraph) -> str:
    """Return the package that a module is in, or that it is."""
    return module if graph.find_children(module) else module.rpartition(".")[0]
