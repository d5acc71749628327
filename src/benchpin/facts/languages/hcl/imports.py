"""Imports of HCL: the files of a folder are one module, and a local `source` is another folder."""

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import (
    LEAVES_WORKSPACE,
    MakeResolver,
    ProjectFiles,
    Resolution,
    external,
    folder_of,
    found,
    join,
    unresolved,
)


class HclResolver:
    """Resolves the modules of Terraform."""

    looks_into_files = False

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project

    def resolve(self, file: FileFacts, imported: Import) -> Resolution:
        """Return the files of a module; one from a registry or a repository is external."""
        source = imported.module
        if not source.startswith("."):
            return external(source.partition("?")[0].removesuffix(".git"))
        folder = join(folder_of(file.path), source.partition("//")[0])
        if folder is None:
            return LEAVES_WORKSPACE
        files = self._project.in_folder(folder, "hcl")
        return found(*files) if files else unresolved(f"no file in {folder}")


RESOLVER: MakeResolver = HclResolver
