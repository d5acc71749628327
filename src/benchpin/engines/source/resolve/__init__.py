"""Where imports lead: to files of the workspace, out of it, or to nothing that was found."""

from collections.abc import Callable, Sequence

from benchpin.core import Job
from benchpin.engines.source.index import FileFacts

from .bash import BashResolver
from .c import CResolver
from .csharp import CSharpResolver
from .go import GoResolver
from .javascript import JavaScriptResolver
from .jvm import JvmResolver
from .php import PhpResolver
from .project import Project, Reader, Resolution, Resolver, Status
from .python import PythonResolver
from .ruby import RubyResolver
from .rust import RustResolver
from .swift import SwiftResolver

__all__ = ["Project", "Reader", "Resolution", "Status", "resolve_imports"]

_RESOLVERS: dict[str, Callable[[Project], Resolver]] = {
    "bash": BashResolver,
    "c": CResolver,
    "cpp": CResolver,
    "csharp": CSharpResolver,
    "go": GoResolver,
    "java": JvmResolver,
    "javascript": JavaScriptResolver,
    "kotlin": JvmResolver,
    "php": PhpResolver,
    "python": PythonResolver,
    "ruby": RubyResolver,
    "rust": RustResolver,
    "scala": JvmResolver,
    "swift": SwiftResolver,
    "tsx": JavaScriptResolver,
    "typescript": JavaScriptResolver,
}


def resolve_imports(
    files: Sequence[FileFacts], read: Reader, job: Job
) -> dict[str, tuple[Resolution, ...]]:
    """Return, for each file, where its imports lead, in the order of `links.imports`.

    The files need their sections `outline` and `links`. `read` is asked for manifests.

    Raises:
        Cancelled: when the job was cancelled.
    """
    project = Project(files, read)
    resolvers: dict[Callable[[Project], Resolver], Resolver] = {}
    resolutions: dict[str, tuple[Resolution, ...]] = {}
    for file in job.each(sorted(files, key=lambda it: it.path), "files"):
        make = _RESOLVERS.get(file.language)
        if make is None:
            resolutions[file.path] = ()
            continue
        if make not in resolvers:
            resolvers[make] = make(project)
        resolver = resolvers[make]
        resolutions[file.path] = tuple(resolver.resolve(file, it) for it in file.links.imports)
    return resolutions
