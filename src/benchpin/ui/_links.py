"""The addresses of pages. Names of files come in the query: browsers change paths with `..`."""

from urllib.parse import urlencode


class Links:
    """Where the names and numbers of a page lead; an empty address is no link."""

    def source(self, path: str, line: int | None = None) -> str:
        """Return the page of a file, at a line."""
        start = {} if not line or line <= PAGE_LINES else {"start": line - (line - 1) % PAGE_LINES}
        return f"/source?{urlencode({'path': path, **start})}" + (f"#L{line}" if line else "")

    def folder(self, path: str) -> str:
        """Return the map of a folder."""
        return f"/map?{urlencode({'path': path})}"

    def symbol(self, name: str) -> str:
        """Return the page of a function or type."""
        return f"/symbol?{urlencode({'name': name})}"

    def findings(self, tool: str, **arguments: str) -> str:
        """Return the list of a tool."""
        return f"/findings/{tool}" + (f"?{urlencode(arguments)}" if arguments else "")


class LinksInFile(Links):
    """Links of a report that is one file: only what is in it can be reached."""

    def source(self, path: str, line: int | None = None) -> str:  # noqa: ARG002 - as the base
        """Return nothing: the file has no sources."""
        return ""

    def symbol(self, name: str) -> str:  # noqa: ARG002 - as the base
        """Return nothing: the file has no sources."""
        return ""

    def findings(self, tool: str, **arguments: str) -> str:  # noqa: ARG002 - as the base
        """Return the part of the report with the list of a tool."""
        return f"#{tool}"


# Lines of a file on one page, as read_file returns them.
PAGE_LINES = 2_000
