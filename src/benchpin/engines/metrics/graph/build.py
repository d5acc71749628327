"""Build the graph of a project from the facts of its files."""

from collections.abc import Mapping, Sequence
from functools import cache

from benchpin.core import Job
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.resolve import Reader, Resolution, resolve_imports

from .model import DagType, Draft, Graph, Node, Outcome
from .names import Names
from .symbols import Symbol, Symbols


def build_graph(files: Sequence[FileFacts], read: Reader, dag_type: DagType, job: Job) -> Graph:
    """Return the graph of a kind; the files need their sections `outline` and `links`.

    `import-graph` has files; `call-graph` functions, with files for code outside any; `inheritance`
    types; `full-dependency` all of these, with an edge from each file to what it defines.

    Raises:
        Cancelled: when the job was cancelled.
    """
    resolutions = resolve_imports(files, read, job)
    known = [file for file in files if file.path in resolutions]
    draft = Draft()
    if dag_type in {"import-graph", "full-dependency"}:
        _add_imports(draft, known, resolutions)
    if dag_type != "import-graph":
        symbols = Symbols(known, resolutions)
        names = Names(symbols)
        if dag_type != "inheritance":
            _add_calls(draft, symbols, names, job)
        if dag_type != "call-graph":
            _add_inheritance(draft, symbols, names, job)
        if dag_type == "full-dependency":
            _add_definitions(draft, symbols)
    return draft.finish()


def _add_imports(
    draft: Draft, files: Sequence[FileFacts], resolutions: Mapping[str, Sequence[Resolution]]
) -> None:
    draft.add_nodes(Node.of_file(file.path) for file in files)
    for file in files:
        for imported, resolution in zip(file.links.imports, resolutions[file.path], strict=True):
            status = resolution.status
            outcome: Outcome = "resolved" if status == "file" else status
            draft.count("imports", outcome)
            if status == "unresolved":
                draft.lose(file.path, imported, resolution.reason)
            for path in resolution.files:
                draft.link(Node.of_file(file.path), Node.of_file(path), "imports")


def _add_calls(draft: Draft, symbols: Symbols, names: Names, job: Job) -> None:
    node_of = cache(Symbol.node)
    for module in job.each(list(symbols.modules.values()), "files"):
        draft.add_nodes(node_of(it) for it in module.symbols.values() if not it.is_type)
        for owner, callees in module.calls:
            caller = module.symbols.get(owner)
            source = module.node if caller is None else node_of(caller)
            for callee in callees:
                meaning = names.callee(module, owner, callee)
                draft.count("calls", meaning.outcome)
                if meaning.symbol is not None:
                    target = node_of(meaning.symbol)
                    draft.link(source, target, "calls", meaning.confidence)


def _add_inheritance(draft: Draft, symbols: Symbols, names: Names, job: Job) -> None:
    for module in job.each(list(symbols.modules.values()), "files"):
        draft.add_nodes(it.node() for it in module.symbols.values() if it.is_type)
        for owner, bases in module.bases:
            source = module.symbols[owner].node()
            for base in bases:
                meaning = names.base(module, owner, base)
                draft.count("inherits", meaning.outcome)
                if meaning.symbol is not None:
                    draft.link(source, meaning.symbol.node(), "inherits", meaning.confidence)


def _add_definitions(draft: Draft, symbols: Symbols) -> None:
    for module in symbols.modules.values():
        for symbol in module.symbols.values():
            draft.link(module.node, symbol.node(), "defines")
