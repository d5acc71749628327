"""What the imports of a file bind, and the files that they lead to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.facts import Import
from benchpin.facts.imports import Resolution

if TYPE_CHECKING:
    from ._module import Module


@dataclass(frozen=True, slots=True)
class Binding:
    files: tuple[str, ...]
    name: str
    """The name in those files; empty when the file itself is imported."""
    is_external: bool = False


def bind(
    module: "Module", imported: Import, resolution: Resolution
) -> Iterator[tuple[str, Binding]]:
    rules = module.navigation
    all_files = files_of(module, imported, resolution)
    is_external = not all_files and resolution.status in {"external", "outside"}
    modules = dict(resolution.modules)
    aliases = imported.aliases or imported.names
    for name, alias in zip(imported.names, aliases, strict=False):
        if name in modules:
            yield alias, Binding((modules[name],), "")
        elif name == "*":
            if alias != "*":
                yield alias, Binding(all_files, "", is_external)
        else:
            files = tuple(it for it in all_files if it not in modules.values()) or all_files
            yield (
                alias,
                Binding(files, rules.name_in_file(imported.module, name, files), is_external),
            )
    if not imported.names:
        alias, name = rules.whole_import(imported.module)
        if imported.aliases:
            alias = imported.aliases[0]
        yield alias, Binding(all_files, name, is_external)


def files_of(module: "Module", imported: Import, resolution: Resolution) -> tuple[str, ...]:
    """Return the files of an import; that of the module for names inside of a file of Rust."""
    if resolution.files or not module.navigation.has_paths:
        return resolution.files
    first = imported.module.partition("::")[0]
    return (module.path,) if first in module.namespaces or first in module.symbols else ()


def is_type_path(path: str) -> bool:
    """Whether a path of Rust ends with a type, by its spelling."""
    return path.rpartition("::")[2][:1].isupper()
