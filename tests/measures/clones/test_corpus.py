from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.measures.clones._corpus import build_corpus
from clones import read

DOCUMENTED = '''\
def f(a):
    """Say it.

    Twice: x.
    """
    return a not in """one line"""
'''


def lines_of(files: Sequence[FileFacts], *, splits_literals: bool) -> list[list[tuple[int, int]]]:
    """Return the first and the last line of every word of each file."""
    corpus = build_corpus(files, Job(), splits_literals=splits_literals)
    places = np.arange(len(corpus.tokens))
    lines, end_lines = corpus.lines.of(places), corpus.lines.ends_of(places)
    spans = list(zip(lines.tolist(), end_lines.tolist(), strict=True))
    return [spans[start : end - 1] for start, end in pairwise(corpus.starts.tolist())]


def test_words_of_a_long_literal_have_lines_of_their_own() -> None:
    [spans] = lines_of(read({"a.py": DOCUMENTED}), splits_literals=True)
    assert [line for line, _ in spans] == [1] * 6 + [2] * 6 + [4] * 4 + [5] * 3 + [6] * 12
    assert all(line == end_line for line, end_line in spans)


def test_a_literal_that_is_not_read_ends_some_lines_below() -> None:
    [spans] = lines_of(read({"a.py": DOCUMENTED}), splits_literals=False)
    assert spans[6:] == [(2, 5)] + [(6, 6)] * 4


@pytest.mark.parametrize("splits_literals", [True, False])
def test_many_files_are_read_as_each_alone(*, splits_literals: bool) -> None:
    files = read({f"{at:03}.py": "\n" * (at % 5) + DOCUMENTED for at in range(150)})
    files += read({"empty.py": "", "open.py": "def f(:\n    a = (\n", "z.c": "int f;\n"})
    alone = [lines_of([file], splits_literals=splits_literals)[0] for file in files]
    assert lines_of(files, splits_literals=splits_literals) == alone


def test_words_have_one_number_in_languages_that_share_them() -> None:
    files = read({"a.js": "f(1)\n", "b.py": "f(1)\n", "c.ts": "f(1)\n"})
    corpus = build_corpus(files, Job(), splits_literals=True)
    starts = corpus.starts.tolist()
    script, python, typed = (
        corpus.tokens[start : end - 1].tolist() for start, end in pairwise(starts)
    )
    assert script == typed
    assert not set(script) & set(python)


@pytest.mark.parametrize("fitting", [1, 63, 64, 65, 100])
def test_files_beyond_the_limit_are_left_out_whole(fitting: int) -> None:
    files = read({f"{at:03}.py": DOCUMENTED for at in range(130)})
    size = len(build_corpus(files[:1], Job(), splits_literals=True).tokens)
    job = Job()
    limit = (fitting + 1) * size - 1
    corpus = build_corpus(files, job, splits_literals=True, most_tokens=limit)
    assert corpus.paths == [file.path for file in files[:fitting]]
    assert len(corpus.tokens) == fitting * size
    assert job.missing == [f"{130 - fitting} of 130 files: over {limit:,} tokens"]


def test_a_corpus_holds_few_bytes_for_each_token() -> None:
    body = "".join(
        f"    total += rows[{at}] * parts[{at}] - load(total, {at})\n" for at in range(50)
    )
    corpus = build_corpus(read({"a.py": f"def f():\n{body}"}), Job(), splits_literals=False)
    lines = (getattr(corpus.lines, it.name) for it in fields(corpus.lines))
    held = sum(it.nbytes for it in (corpus.tokens, corpus.shapes, *lines))
    assert held <= 10 * len(corpus.tokens)
