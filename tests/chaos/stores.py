"""Everything that Benchpin keeps on disk, each as a table of names and values."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchpin.app import Workbench, configure
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.core.results import ResultStore
from benchpin.facts.store import SECTIONS, FactCache
from benchpin.memory._reductions import ReductionStore
from benchpin.performance.collector import CollectRequest, collect, read_manifest
from benchpin.performance.snapshots import Snapshot, SnapshotStore, build_snapshot
from benchpin.repository.packing import TextFacts
from benchpin.repository.packing._text_facts import TextFactsCache
from benchpin.templates.projects import BASE_PATH, PROVENANCE_PATH, base_file
from benchpin.toolsets.workspace.resources import workspace_file
from probe_plans import planned
from profile_values import log_reading, query_class, slow_log

Put = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Store:
    """One place where Benchpin keeps something."""

    name: str
    puts: tuple[Put, ...]
    """What is written, one after the other."""
    put: Callable[[Path, str, str], None]
    get: Callable[[Path], Mapping[str, str]]
    prepare: Callable[[Path], None] = lambda _folder: None
    place: str = "work"
    """Where it is; the tools that write to it also use caches, which are stores of their own."""
    is_cache: bool = False
    """Whether it may forget: nothing in it is acknowledged, but it must stay readable."""


_TWO_FILES = (("a.txt", "1"), ("new/b.txt", "1"), ("a.txt", "2"), ("new/b.txt", "2"))


def _bench(folder: Path) -> Workbench:
    settings = {"root": folder / "work", "cache_dir": folder / "cache", "allow": "write"}
    return Workbench(configure(**settings))


def _call(folder: Path, tool: str, **arguments: object) -> dict[str, object]:
    bench = _bench(folder)
    try:
        return bench.call(tool, **arguments).model_dump()
    finally:
        bench.close()


def _write_file(folder: Path, name: str, value: str) -> None:
    _call(folder, "write_file", path=name, content=f"{value}\n" * 3000)


def _whole_files(folder: Path) -> dict[str, str]:
    found = {}
    for name in {it for it, _ in _TWO_FILES}:
        place = folder / "work" / name
        if place.exists():
            text = place.read_text(encoding="utf-8")
            (value,) = set(text.split())
            assert text == f"{value}\n" * 3000
            found[name] = value
    return found


def _write_resource(folder: Path, name: str, value: str) -> None:
    bench = _bench(folder)
    assert workspace_file.write is not None
    effects = bench.configuration.effects
    call = bench.bench.for_call(
        job=bench.bench.job, caller=bench.bench.caller, client=None, effects=effects
    )
    workspace_file.write({"path": name}, f"{value}\n" * 3000, call, None)
    bench.close()


def _lines(folder: Path) -> None:
    (folder / "work" / "lines.txt").write_text("a=0\nb=0\n", encoding="utf-8")


def _edit_file(folder: Path, name: str, value: str) -> None:
    old = _edited(folder)[name]
    edit = {"old_text": f"{name}={old}\n", "new_text": f"{name}={value}\n"}
    _call(folder, "edit_file", path="lines.txt", edits=[edit])


def _edited(folder: Path) -> dict[str, str]:
    text = (folder / "work" / "lines.txt").read_text(encoding="utf-8")
    assert text.count("\n") == text.count("=")
    return dict(line.split("=") for line in text.splitlines())


def _source(folder: Path) -> None:
    (folder / "work" / "main.txt").write_text("a\nb\nc\n", encoding="utf-8")


def _add_comment(folder: Path, name: str, value: str) -> None:
    _call(folder, "add_comment", filePath="main.txt", line=int(value), text=name, tag="NOTE")


def _comments(folder: Path) -> dict[str, str]:
    shown = json.dumps(_call(folder, "get_file_comments", filePath="main.txt"), default=str)
    return {name: value for name, value in _COMMENTS if f'"{name}"' in shown}


_COMMENTS = (("first", "1"), ("second", "2"), ("third", "3"))


def _violation(folder: Path) -> None:
    body = "".join(f"    if x == {it}:\n        return {it}\n" for it in range(30))
    (folder / "work" / "main.py").write_text(f"def tangled(x):\n{body}", encoding="utf-8")


def _update_baseline(folder: Path, name: str, _value: str) -> None:
    _call(folder, "quality_gate", baseline=name, update_baseline=True)


def _baselines(folder: Path) -> dict[str, str]:
    found = {}
    for name, _ in _BASELINES:
        if (folder / "work" / name).exists():
            report = _call(folder, "quality_gate", baseline=name)
            found[name] = "passed" if report["passed"] else "failed"
    return found


_BASELINES = ((".baseline.json", "passed"),)


def _scaffold(folder: Path, name: str, _value: str) -> None:
    _call(folder, "scaffold_project", **_PROJECT, target=name, write=True, overwrite=True)


_PROJECT = {
    "toolchain": "go",
    "templates": ["ci", "license/mit"],
    "parameters": {"project_name": "shop", "author": "A", "year": 2026},
}


def _projects(folder: Path) -> dict[str, str]:
    """Return the projects that are complete; the files of others must be."""
    rendered = _call(folder, "scaffold_project", **_PROJECT)["files"]
    assert isinstance(rendered, list)
    files = {it["path"]: it["content"] for it in rendered}
    contents = [text.encode() for path, text in files.items() if path != PROVENANCE_PATH]
    files[BASE_PATH] = base_file(contents).content  # what updates merge from is not in the answer
    found = {}
    for name in ("one", "two"):
        place = folder / "work" / name
        written = {
            str(it.relative_to(place)): it.read_text(encoding="utf-8")
            for it in place.rglob("*")
            if it.is_file() and not it.name.endswith(".tmp")
        }
        assert written.items() <= files.items()
        if written == files:
            found[name] = "whole"
    return found


def _snapshot(value: str) -> Snapshot:
    return build_snapshot([log_reading(1, slow_log([query_class("A", [int(value)])]))])


_SNAPSHOTS = (("1", "1"), ("2", "2"), ("3", "3"))


def _save_snapshot(folder: Path, _name: str, value: str) -> None:
    SnapshotStore(folder / "data").save(_snapshot(value), [], time.time_ns() // 1000)


def _snapshots(folder: Path) -> dict[str, str]:
    store = SnapshotStore(folder / "data")
    stored = {run.id for run in store.runs().runs}
    assert not store.runs().damaged
    found = {}
    for name, value in _SNAPSHOTS:
        made = _snapshot(value)
        if made.id in stored:
            assert store.load(made.id) == made
            found[name] = value
    return found


def _log(folder: Path) -> None:
    (folder / "slow.log").write_text("# Query_time: 1\nSELECT 1;\n", encoding="utf-8")


def _collect(folder: Path, name: str, _value: str) -> None:
    # Nothing listens there; what was asked and the log are collected all the same.
    plan = planned("http://127.0.0.1:9", ["/"], sample_count=1, warmup_count=0)
    collect(CollectRequest(plan, (), folder / "slow.log", name), folder / "bundles", Job())


def _bundles(folder: Path) -> dict[str, str]:
    found = {}
    for bundle in (folder / "bundles").glob("bundle_*"):
        manifest = read_manifest(bundle)
        for file in (manifest.timings, *manifest.inventory):
            assert len((bundle / file.path).read_bytes()) == file.size_bytes
        found[manifest.run.correlation_id] = "whole"
    return found


def _store_result(folder: Path, _name: str, value: str) -> None:
    ResultStore(folder / "results").store(value * 20_000)


def _results(folder: Path) -> dict[str, str]:
    store = ResultStore(folder / "results")
    found = {}
    for stored in store.all():
        value = store.read(stored.id, 0, 1 << 20).text
        assert len(value) == 20_000, "a result is whole"
        found[value[0]] = value[0]
    return found


def _save_facts(folder: Path, name: str, value: str) -> None:
    cache = FactCache(folder / "facts")
    cache.save_facts({name.encode(): {it: value.encode() * 50_000 for it in SECTIONS}})
    cache.save_listings(b"root", value.encode())
    cache.close()


def _facts(folder: Path) -> dict[str, str]:
    cache = FactCache(folder / "facts")
    assert cache.is_usable
    found = {}
    for name in ("a", "b", "c"):
        data = cache.load("outline", [name.encode()]).get(name.encode())
        if data is not None:
            assert len(data) == 50_000, "facts are whole"
            found[name] = data[:1].decode()
    cache.close()
    return found


def _save_reductions(folder: Path, name: str, value: str) -> None:
    store = ReductionStore(folder / "reductions")
    store.save(name.encode(), b"slot", value.encode() * 50_000)
    store.close()


def _reductions(folder: Path) -> dict[str, str]:
    store = ReductionStore(folder / "reductions")
    assert store.is_usable
    found = {}
    for name in ("a", "b", "c"):
        data = store.load(name.encode())
        if data is not None:
            assert len(data) == 50_000, "results are whole"
            found[name] = data[:1].decode()
    store.close()
    return found


def _save_texts(folder: Path, name: str, value: str) -> None:
    cache = TextFactsCache(folder / "texts" / "facts.msgpack")
    cache.add(name, msgspec.convert(_text_facts(int(value)), TextFacts, strict=False))
    cache.save()


def _text_facts(lines: int) -> list[object]:
    defaults = {int: lines, str: "", bool: False}
    fields = msgspec.structs.fields(TextFacts)
    return [
        defaults.get(it.type, None if it.default is msgspec.NODEFAULT else it.default)
        for it in fields
    ]


def _texts(folder: Path) -> dict[str, str]:
    known = TextFactsCache(folder / "texts" / "facts.msgpack")._known
    return {name: str(facts.mtime_ns) for name, facts in known.items()}


_BUNDLES = (("one", "whole"), ("two", "whole"))
_THREE = (("a", "1"), ("b", "2"), ("c", "3"))
STORES = {
    it.name: it
    for it in (
        Store("write_file", _TWO_FILES, _write_file, _whole_files),
        Store("resources/write", _TWO_FILES, _write_resource, _whole_files),
        Store("edit_file", (("a", "1"), ("b", "1"), ("a", "2")), _edit_file, _edited, _lines),
        Store("comments", _COMMENTS, _add_comment, _comments, _source),
        Store("baseline", _BASELINES, _update_baseline, _baselines, _violation),
        Store("scaffold", (("one", "whole"), ("two", "whole")), _scaffold, _projects),
        Store("snapshots", _SNAPSHOTS, _save_snapshot, _snapshots, place="data"),
        Store(
            "results",
            (("1", "1"), ("2", "2"), ("3", "3")),
            _store_result,
            _results,
            place="results",
        ),
        Store("bundles", _BUNDLES, _collect, _bundles, _log, place="bundles"),
        Store("facts", _THREE, _save_facts, _facts, is_cache=True, place="facts"),
        Store(
            "reductions",
            _THREE,
            _save_reductions,
            _reductions,
            is_cache=True,
            place="reductions",
        ),
        Store("texts", _THREE, _save_texts, _texts, is_cache=True, place="texts"),
    )
}


def put_all(store: Store, folder: Path, send: Callable[[str], None]) -> None:
    """Write everything and report each success and each refusal, as Benchpin would to a client."""
    for number, (name, value) in enumerate(store.puts):
        try:
            store.put(folder, name, value)
        except BenchpinError as error:
            send(f"refused {number} {error.kind}")
        else:
            send(f"done {number}")
