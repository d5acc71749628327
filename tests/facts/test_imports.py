"""Whatever the code and the manifests say, resolving ends, and leads to files that are there."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.facts import Import, languages
from benchpin.facts.imports import resolve_imports
from made_sources import made, resolve

_PARTS = st.sampled_from(
    ["", ".", "..", "/", "a", "b", "lib", "src", "crate", "super", "self", "*", "$x", "@s", "#i"]
)
_MODULES = st.one_of(
    st.text(max_size=20),
    st.tuples(st.sampled_from(["/", ".", "::", "\\"]), st.lists(_PARTS, max_size=5)).map(
        lambda it: it[0].join(it[1])
    ),
)
_MANIFESTS = st.one_of(
    st.none(),
    st.binary(max_size=30),
    st.sampled_from(
        [
            b'{"name": "a", "exports": {"./*": "./*"}, "imports": {"#i/*": ["./src/*"]}}',
            b'{"extends": ["./tsconfig.json"], "compilerOptions": {"paths": {"*": ["*"]}}}',
            b'[package]\nname = "a"\n[lib]\npath = 3\n',
            b"package = 1\nlib = []\n",
            b"module a\n",
            b'{"autoload": {"psr-4": {"a\\\\": ["src", 1]}}}',
        ]
    ),
)


@given(
    language=st.sampled_from(languages.NAMES),
    paths=st.sets(st.sampled_from(["a.x", "src/a.rs", "src/b.py", "lib/a/b.js", "a/b/c.h", "a/b"])),
    module=_MODULES,
    names=st.lists(_PARTS, max_size=2).map(tuple),
    level=st.integers(0, 6),
    manifest=_MANIFESTS,
)
def test_any_import_leads_to_known_files_or_nowhere(
    language: str,
    paths: set[str],
    module: str,
    names: tuple[str, ...],
    level: int,
    manifest: bytes | None,
) -> None:
    imported = Import(module, names, 1, level)
    files = [made(path, language, types=["a"], exports=["a.b"], uses=["a"]) for path in paths]
    files.append(made("src/main.x", language, imported, uses=["a"]))
    [resolution] = resolve_imports(files, lambda _path: manifest, Job())["src/main.x"]
    assert set(resolution.files) <= {*paths, "src/main.x"}
    assert resolution.status == "file" or not resolution.files
    assert (resolution.status == "unresolved") == bool(resolution.reason)


def test_files_that_are_imported_but_not_measured_are_not_kept() -> None:
    imports = [Import(f"./data{at}.json", (), 1) for at in range(40)]
    files = [made("main.js", "javascript", *imports)]
    tracemalloc.start()
    try:
        resolutions = resolve_imports(
            files, lambda path: bytes(1 << 20) if path.startswith("data") else None, Job()
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {it.status for it in resolutions["main.js"]} == {"outside"}
    assert peak < 10 << 20


def test_a_language_without_a_resolver_resolves_nothing() -> None:
    assert resolve([made("a.x", "unheard-of", Import("b", (), 1))], "a.x") == []
