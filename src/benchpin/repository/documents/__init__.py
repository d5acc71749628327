"""The documents of a repository: what they promise, link to and lack."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._documentation import (
        ApiCoverage,
        DocumentationProblem,
        KindOfDocument,
        ReadmeFacts,
        describe_readme,
        documentation_folders,
        find_documents,
        measure_api,
        sort_documents,
        written_by_people,
    )
    from ._documents import find_readme, read_readme

__all__ = [
    "ApiCoverage",
    "DocumentationProblem",
    "KindOfDocument",
    "ReadmeFacts",
    "describe_readme",
    "documentation_folders",
    "find_documents",
    "find_readme",
    "measure_api",
    "read_readme",
    "sort_documents",
    "written_by_people",
]

__getattr__ = lazy(__name__)
