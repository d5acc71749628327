"""What is fuzzed of our own files: settings, caches, notes and stores that somebody else may write.

A folder for caches can be shared, and a store, a bundle or a template can come from anybody. What
is not ours is refused or thrown away; it is never believed, and nothing outside is touched.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from benchpin.app._config import OWN_FILES, load
from benchpin.cli.config_text import entry_of, with_entry, without_entry
from benchpin.core.calls import Job, Permissions
from benchpin.core.errors import BenchpinError
from benchpin.facts.store import FactCache
from benchpin.fleet._members import find_members
from benchpin.fleet._packs import Where, folder_of, read_facts
from benchpin.fleet._place import FolderPlace
from benchpin.fleet._schema import read_records
from benchpin.performance.collector._copying import MANIFEST, read_manifest
from benchpin.performance.snapshots import SnapshotStore
from benchpin.performance.snapshots._runs import decode_snapshot, load_baseline
from benchpin.performance.snapshots._store import STATE
from benchpin.repository.packing._text_facts import TextFactsCache
from benchpin.templates._catalogue import load_catalogue
from benchpin.workspace.walking._folder_listings import FolderListings
from benchpin.workspace.writing._journal import settle_abandoned

ENTRY = {"command": "benchpin", "args": ["serve", "--root", "/w"], "env": {"A": "é\n"}}
_KEYS = {".json": ("mcpServers", "benchpin"), ".toml": ("mcp_servers", "benchpin")}
_KINDS = {"json": ".json", "toml": ".toml", "yaml": ".yaml"}
_OUTSIDE = b"not ours to touch\n"


def named(data: bytes) -> tuple[str, bytes]:
    """Return the first line of an input, and the rest."""
    name, _, rest = data.partition(b"\n")
    return name.decode("latin-1"), rest


@contextmanager
def folder() -> Iterator[Path]:
    """Make a folder, beside a file that must stay as it is."""
    with tempfile.TemporaryDirectory() as place:
        inner, outside = Path(place, "w"), Path(place, "outside")
        inner.mkdir()
        outside.write_bytes(_OUTSIDE)
        yield inner
        assert {it.name for it in Path(place).iterdir()} == {"outside", "w"}, (
            "nothing is made outside"
        )
        assert outside.read_bytes() == _OUTSIDE, "what is outside stays as it is"


def host_configuration(data: bytes) -> None:
    """Set our entry in a host's configuration and remove it; the text must come back."""
    kind, rest = named(data)
    suffix = _KINDS.get(kind)
    with suppress(UnicodeDecodeError):
        text = rest.decode()
        if suffix is None or entry_of(text, suffix, keys := _KEYS.get(suffix, ("extensions", "x"))):
            return
        after = with_entry(text, suffix, keys, ENTRY)
        assert entry_of(after, suffix, keys) == ENTRY, "the entry is there"
        without_entry(after, suffix, keys)


def settings(data: bytes) -> None:
    """Read what a repository says about how Benchpin is to work in it."""
    name, rest = named(data)
    if name in {*OWN_FILES, "pyproject.toml"}:
        with folder() as root:
            (root / name).write_bytes(rest)
            load({"root": root}, {"XDG_CONFIG_HOME": str(root / "none"), "HOME": str(root)})


def cache(data: bytes) -> None:
    """Read files of the cache folder that hold anything, and ask a changed database everything."""
    FolderListings(data)
    key = b"k" * 16
    with folder() as place:
        with closing(FactCache(place)) as known:
            known.save_derived([(key, key, b"x")])
        [file] = place.glob("*.sqlite")
        (place / "texts").write_bytes(data)
        TextFactsCache(place / "texts")
        start, rest = named(data)
        with suppress(ValueError):
            whole = bytearray(file.read_bytes())
            at = min(int(start), len(whole))
            whole[at : at + len(rest)] = rest
            file.write_bytes(whole)
        for left in (*place.glob("*-wal"), *place.glob("*-shm")):
            left.unlink()
        with closing(FactCache(place)) as known:
            known.stamps(b"/w")
            known.listings(b"/w")
            for section in ("outline", "links", "comments", "tokens"):
                known.load(section, [key])
                known.keys_of(section)
            known.load_derived(key, [key])
            known.save_derived([(key, key, b"x")])
            known.trim()
            known.forget(b"/w")


def journal(data: bytes) -> None:
    """Settle a note that says anything."""
    state, content = named(data)
    if state not in {"prepared", "replacing", "replaced"}:
        return
    with folder() as root, tempfile.TemporaryDirectory() as caches:
        notes = Path(caches, "journal")
        notes.mkdir()
        (root / "a.py").write_bytes(b"a\n")
        (notes / f"{'0' * 32}.{state}").write_bytes(content.replace(b"@", os.fsencode(root)))
        settle_abandoned(Path(caches), root, Job())


def snapshots(data: bytes) -> None:
    """Read a store of runs, of which one file has any content, and a baseline."""
    name, rest = named(data)
    if name not in {"index.json", "snapshot.json", "metadata.json"}:
        return
    with folder() as root:
        place = root / STATE / "snapshots" / f"snapshot_{'0' * 64}"
        place.mkdir(parents=True)
        (place.parent if name == "index.json" else place).joinpath(name).write_bytes(rest)
        store = SnapshotStore(root)
        store.runs()
        for read in (store.metadata, store.load, lambda _: load_baseline(rest, name)):
            with suppress(BenchpinError):
                read("0" * 64)
        with suppress(BenchpinError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            decode_snapshot(rest)


def bundle(data: bytes) -> None:
    """Read the manifest of a bundle of artefacts."""
    with folder() as root:
        (root / MANIFEST).write_bytes(data)
        read_manifest(root)


def fleet(data: bytes) -> None:
    """Read a listing of repositories, a record of a measurement, and a pack of facts."""
    with folder() as root:
        (root / "a" / ".git").mkdir(parents=True)
        with suppress(BenchpinError):
            find_members(root, (), data, Permissions())
        place = FolderPlace(root)
        place.put("records/a/20260101.json", data)
        read_records(place, "1")
        place.put(f"{folder_of('e')}p.pack", data)
        start, rest = named(data)
        with suppress(ValueError):
            crc = int(start)
            read_facts(place, "e", [Where("k", "p", len(start) + 1, len(rest), crc)])


def templates(data: bytes) -> None:
    """Read a folder of templates of somebody else."""
    name, rest = named(data)
    files = {"template.toml": "project/x/template.toml", "parameters.toml": "parameters.toml"}
    with folder() as root:
        for each, path in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(rest if each == name else b"")
        load_catalogue([root])
