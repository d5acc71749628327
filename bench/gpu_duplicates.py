"""The search for clones on a CUDA device and on the processor: the same result, and how long each.

    python bench/gpu_duplicates.py pack FOLDER FACTS      write the facts of a project to a file
    python bench/gpu_duplicates.py run FACTS [FILES …]    search that many files, on both

A project is repeated until there are as many files as asked for; in every copy all names are other
ones, so that copies are renamed clones of one another and not the same. Up to 30,000 files the
whole search is run on both and compared; beyond, only the search for candidates, which is what
the device does: hashing and sorting windows, and the bands of near-duplicates. Transfers are
included.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Outline, SourceIndex, SourceQuery, TokenKind, Tokens
from benchpin.measures.clones import Device, DuplicateOptions, Minimum, find_duplicates
from benchpin.measures.clones._bands import Signed, changed_pairs
from benchpin.measures.clones._copies import ExactCopies, RenamedCopies
from benchpin.measures.clones._corpus import Corpus, build_corpus, gather
from benchpin.measures.clones._hashing import windows_of
from benchpin.measures.clones._minhash import neighbours, signatures
from benchpin.measures.clones._near_types import SHINGLE
from benchpin.system.zstd import compress, decompress
from results import help_if_asked

T = TypeVar("T")
Packed = tuple[str, str, int, Outline, Tokens]
WHOLE_FILES = 30_000
WANTED = 0.85 / (2 - 0.85) - 0.15


def pack(folder: str, target: str) -> None:
    """Write the facts of a project."""
    index = SourceIndex(Path(folder), Path(target).with_suffix(".cache"))
    query = SourceQuery(sections=("outline", "tokens"))
    files = [it for it in index.read(query, Job()).files if not it.outline.is_generated]
    index.close()
    rows = [(it.path, it.language, it.size_bytes, it.outline, it.tokens) for it in files]
    Path(target).write_bytes(compress(msgspec.msgpack.encode(rows), 10))
    print(f"{len(rows):,} files")


def load(source: str) -> list[FileFacts]:
    """Read the facts of a project."""
    data = decompress(Path(source).read_bytes())
    rows = msgspec.msgpack.decode(data, type=list[Packed])
    return [
        FileFacts(path, language, size, {"outline": outline, "tokens": tokens}, path.encode())
        for path, language, size, outline, tokens in rows
    ]


def renamed(file: FileFacts, copy: int) -> FileFacts:
    """Return a file with other names."""
    if not copy:
        return file
    tokens = file.tokens
    end = b"_%d" % copy
    texts = tuple(
        text + end if kind == TokenKind.IDENTIFIER else text
        for text, kind in zip(tokens.texts, tokens.kinds, strict=True)
    )
    sections = {**file.sections, "tokens": msgspec.structs.replace(tokens, texts=texts)}
    path = f"copy{copy}/{file.path}"
    return msgspec.structs.replace(file, path=path, sections=sections, key=path.encode())


def timed(what: Callable[[], T]) -> tuple[float, T]:
    """Return how long something takes, and what it returns."""
    began = time.perf_counter()
    result = what()
    return time.perf_counter() - began, result


def repeated(corpus: Corpus, copies: int) -> Corpus:
    """Return a corpus several times over, with other names and other ends of files in each."""
    most, files = int(corpus.tokens.max()) + 1, len(corpus.paths)
    is_name, is_end = corpus.shapes != corpus.tokens, corpus.tokens < 0

    def shifted(row: Any, copy: int) -> Any:
        return np.where(is_end, row - copy * files, row)

    tokens = np.concatenate(
        [
            shifted(np.where(is_name & ~is_end, corpus.tokens + copy * most, corpus.tokens), copy)
            for copy in range(copies)
        ]
    ).astype(np.int32)
    shapes = np.concatenate([shifted(corpus.shapes, copy) for copy in range(copies)])
    return Corpus(
        paths=corpus.paths * copies,
        starts=np.append(0, np.flatnonzero(tokens < 0) + 1),
        tokens=tokens,
        shapes=shapes.astype(np.int32),
        lines=corpus.lines,  # those of the first copy: candidates need none
        checksums=corpus.checksums,
    )


def candidates(corpus: Corpus, units: "tuple[Any, Any]", device: Device | None) -> list[Any]:
    """Return the windows of exact and renamed clones, and the pairs of near-duplicates."""
    on = Corpus(
        **{it: getattr(corpus, it) for it in corpus.__slots__ if it != "device"}, device=device
    )
    minimum = Minimum()
    exact, same = ExactCopies(on, minimum).windows(), RenamedCopies(on, minimum).windows()
    elements, starts = gather(windows_of(corpus.shapes, SHINGLE), *units)
    rows = (signatures if device is None else device.signatures)(elements, starts)
    functions = Signed(rows, len(rows), np.full(len(rows), -1))
    find = neighbours if device is None else device.neighbours
    pairs = changed_pairs(functions, np.zeros(0, np.int64), [], WANTED, find)
    return [*exact, *same, pairs.added, pairs.missed]


def compare(files: list[FileFacts], wanted: int, device: Device) -> None:
    """Print one row of the table."""
    copies = max(1, round(wanted / len(files)))
    corpus = build_corpus(files, Job(), splits_literals=False)
    spans = [
        (int(start) + it.first_token, int(start) + it.last_token - SHINGLE + 1)
        for start, file in zip(corpus.starts, files, strict=False)
        for it in file.outline.functions
        if it.last_token - it.first_token >= 50 and it.code_lines <= 500  # noqa: PLR2004
    ]
    size = len(corpus.tokens)
    begins = np.array([begin for begin, _ in spans])
    ends = np.array([end for _, end in spans])
    shift = np.repeat(np.arange(copies) * size, len(spans))
    units = np.tile(begins, copies) + shift, np.tile(ends, copies) + shift
    large = repeated(corpus, copies)
    candidates(corpus, (begins, ends), device)  # compile the kernels
    cpu_s, here = timed(lambda: candidates(large, units, None))
    gpu_s, there = timed(lambda: candidates(large, units, device))
    is_same = all(np.array_equal(one, other) for one, other in zip(here, there, strict=True))
    whole = "-"
    if wanted <= WHOLE_FILES:
        many = [renamed(file, copy) for copy in range(copies) for file in files]
        options = DuplicateOptions()
        cpu_whole, one = timed(lambda: find_duplicates(many, options, Job()))
        gpu_whole, other = timed(lambda: find_duplicates(many, options, Job(), device=device))
        is_same &= (one.groups, one.summary) == (other.groups, other.summary)
        whole = f"{cpu_whole:.1f} s / {gpu_whole:.1f} s"
    print(
        f"| {copies * len(files):,} | {len(large.tokens) / 1e6:.1f} M | {cpu_s:.2f} s | "
        f"{gpu_s:.2f} s | {cpu_s / gpu_s:.1f} | {whole} | {'yes' if is_same else 'NO'} |",
        flush=True,
    )


def main(command: str, *arguments: str) -> None:
    """Pack facts, or run the comparison."""
    if command == "pack":
        pack(*arguments)
        return
    source, *sizes = arguments
    device = Device()
    files = load(source)
    print(f"{device.name}; {len(files):,} files\n")
    print("| files | tokens | candidates, CPU | GPU | ratio | whole search, CPU / GPU | same |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for wanted in map(int, sizes or ("3000", "30000", "300000")):
        compare(files, wanted, device)


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(*sys.argv[1:])
