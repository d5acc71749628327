"""The rule of doors for import-linter: a private module is imported only inside its own package.

Modules that are loaded by their name, as commands and languages are, cannot be private. Their
packages are closed: others may import from their `__init__`, and no module of theirs.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class DoorContract(Contract):
    """`benchpin.facts._index` may be imported by modules of `benchpin.facts` alone."""

    closed = fields.ListField(subfield=fields.StringField())
    """Packages of which others import no module, whatever its name."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - as import-linter calls it
        """Find every import that passes a door."""
        past = sorted(
            (importer, module)
            for module in graph.modules
            for importer in graph.find_modules_that_directly_import(module)
            if self._passes_a_door(importer, module, graph)
        )
        return ContractCheck(kept=not past, metadata={"past": past})

    def _passes_a_door(self, importer: str, module: str, graph: ImportGraph) -> bool:
        if is_private(module):
            return package_of(importer, graph) != module.rpartition(".")[0]
        closed: list[str] = self.closed  # type: ignore[assignment]  # what the field gives
        rooms = (it for it in closed if module.startswith(f"{it}."))
        is_past = any(not f"{importer}.".startswith(f"{room}.") for room in rooms)
        return is_past and not graph.find_children(module)

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
