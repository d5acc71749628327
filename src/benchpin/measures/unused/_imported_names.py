"""The names that a file imports."""

from benchpin.facts import FileFacts


class ImportedNames:
    """The names that a file imports, also those that it gives them."""

    def __init__(self, file: FileFacts) -> None:
        self.names = frozenset(name for it in file.links.imports for name in it.names)
        self._origins = {
            name: it.module
            for it in file.links.imports
            if not it.level
            # Bundlers use `@/` and `~/` for the source folder of the package itself.
            if not it.module.startswith(("./", "../", "@/", "~/"))
            for name in (*it.names, *it.aliases) or (it.module.partition(".")[0],)
        }
        self._is_open = "*" in self.names or any(
            not it.names and it.module.startswith((".", "/")) for it in file.links.imports
        )

    def origin(self, name: str) -> str | None:
        """Return the module of an absolute import that a name comes from."""
        return self._origins.get(name)

    def may_provide(self, name: str) -> bool:
        """Whether a bare name may come from an import."""
        return name in self.names or self._is_open
