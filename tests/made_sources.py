"""Projects for tests: facts of source texts, facts made by hand, and manifests."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function, Halstead, Import, Links, Outline, Type
from benchpin.facts.imports import Resolution, resolve_imports
from benchpin.facts.parsing import extract
from benchpin.facts.store import AnySection

_LANGUAGES = {
    "c": "c",
    "go": "go",
    "h": "c",
    "js": "javascript",
    "mjs": "javascript",
    "mts": "typescript",
    "kt": "kotlin",
    "py": "python",
    "pyi": "python",
    "rs": "rust",
    "ts": "typescript",
    "tsx": "tsx",
}


def parsed(texts: Mapping[str, str]) -> list[FileFacts]:
    """Return the facts of those texts that are source code."""
    return [_parse(path, text) for path, text in sorted(texts.items()) if _language(path)]


def _language(path: str) -> str | None:
    return _LANGUAGES.get(path.rpartition(".")[2])


def _parse(path: str, text: str) -> FileFacts:
    language = _language(path) or ""
    facts = extract(text.encode(), language)
    sections: dict[str, AnySection] = {"outline": facts.outline, "links": facts.links}
    return FileFacts(path, language, len(text), sections, key=text.encode())


def made(
    path: str,
    language: str,
    *imports: Import,
    types: Sequence[str] = (),
    functions: Sequence[str] = (),
    exports: Sequence[str] = (),
    uses: Sequence[str] = (),
    calls: Mapping[str, Sequence[str]] | None = None,
) -> FileFacts:
    """Return facts made by hand, for languages and cases that no text here is needed for."""
    made_functions = tuple(_function(name, types) for name in functions)
    called = calls or {}
    outline = Outline(
        language=language,
        lines=1,
        code_lines=1,
        comment_lines=0,
        is_generated=False,
        error_line=0,
        cyclomatic=1,
        cognitive=0,
        halstead=Halstead(0, 0, 0, 0),
        functions=made_functions,
        types=tuple(Type(name, "class", 1, 1, (), True, False) for name in types),
    )
    links = Links(
        imports=imports,
        exports=tuple(exports),
        calls=tuple(tuple(called.get(owner, ())) for owner in ("", *functions)),
        references=dict.fromkeys(uses, 1),
        mentions=(),
    )
    return FileFacts(path, language, 1, {"outline": outline, "links": links})


def _function(name: str, types: Sequence[str]) -> Function:
    is_method = name.rpartition(".")[0] in types
    kind: Literal["method", "function"] = "method" if is_method else "function"
    return Function(name, kind, 1, 1, 1, 0, 0, 0, 1, 0, 0, name, True, False, ())


def reader_of(texts: Mapping[str, str]) -> Callable[[str], bytes | None]:
    """Return what reads from a mapping as from a workspace, names of a folder included."""

    def read(path: str) -> bytes | None:
        if path.endswith("/"):
            folder = path.removeprefix("/")
            names = (it.removeprefix(folder) for it in texts if it.startswith(folder))
            return "\n".join(it for it in names if "/" not in it).encode()
        return texts[path].encode() if path in texts else None

    return read


def resolve(
    files: Sequence[FileFacts], path: str, manifests: Mapping[str, str] | None = None
) -> list[Resolution]:
    """Return where the imports of one file lead."""
    return list(resolve_imports(files, reader_of(manifests or {}), Job())[path])


def resolve_texts(texts: Mapping[str, str], path: str) -> list[Resolution]:
    """Return where the imports of one text lead; everything else is beside it."""
    return resolve(parsed(texts), path, texts)


def outcome(resolution: Resolution) -> str | tuple[str, ...]:
    """Say in short where an import leads: files, `external name`, `outside` or `unresolved`."""
    if resolution.status == "file":
        return resolution.files
    return f"{resolution.status} {resolution.package}".strip()


def import_outcome(
    files: Sequence[FileFacts],
    path: str,
    language: str,
    imported: Import,
    manifests: Mapping[str, str] | None = None,
    uses: Sequence[str] = (),
) -> str | tuple[str, ...]:
    """Say in short where one import leads that is added to a file."""
    others = [it for it in files if it.path != path]
    functions = [it.name for file in files if file.path == path for it in file.outline.functions]
    importing = made(path, language, imported, uses=uses, functions=functions)
    [resolution] = resolve([*others, importing], path, manifests)
    return outcome(resolution)
