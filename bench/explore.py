"""How often `explore` ranks the right definitions first: NDCG@10, beside plain BM25.

    python bench/explore.py CLONE...             # clones of projects, with their history
    python bench/explore.py --draw 4 CLONE...    # some of them, drawn by seed
    python bench/explore.py --trees FOLDER       # the questions of explore_questions.toml
    python bench/explore.py --held-back FOLDER   # those of explore_held_back.toml, drawn once
    python bench/explore.py --fresh FOLDER       # those of explore_fresh.toml, drawn after these
    python bench/explore.py --write FILE CLONE...   # draw questions, and ask none
    python bench/explore.py --asked FOLDER       # how many answers show the lines that decide

Questions come from two places. *Documentation*: the first sentence that documents a function or a
type is the question, without its own name, and the documentation of that definition does not count
while it is asked. *Commits*: the first line of the message is the question; the functions
that the commit changed, and that are there still, are the answer. Sentences that document more than
one definition, and commits about releases, tests and style, are left out.

A definition counts, or its file. The weights were found on click, gin, gson, saleor and syncthing;
they are judged by projects that nobody looked at.
"""

import argparse
import json
import random
import re
import subprocess
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from math import log, log2
from pathlib import Path

from benchpin.app import Workbench
from benchpin.code import documentation
from benchpin.code.names import Module
from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function, SourceIndex, SourceQuery, Type
from benchpin.facts.languages import detect_language
from benchpin.facts.store import Section
from benchpin.project.explore._ranking import (
    BODY,
    CONTAINER,
    DOC,
    NAME,
    PATH,
    Hit,
    Terms,
    asked_words,
    rank,
)
from benchpin.project.explore._terms import PRODUCTION, TermTables, part_of, stems, terms_of
from benchpin.toolsets.navigation.explore import ExploreParams, explore
from benchpin.workspace.walking import is_product_path

SEED = 20261119
QUESTIONS = 200
COMMITS = 100
WRITTEN = 50
LAST_COMMITS = 4_000
MAX_FILES, MAX_CHANGED = 4, 5
MIN_WORDS, MIN_STEMS, MAX_CHARS = 5, 4, 250
TOP = 10
SECTIONS: tuple[Section, ...] = ("outline", "links", "tokens", "comments")
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)")
_MARKS = ("todo", "fixme", "noqa", "type:", "see ", "deprecated", "@", ":")
_NO_QUESTION = re.compile(
    r"(?i)^(merge|bump|release|revert|prepare|chore|docs?[:(]|ci[:(]|test|fix typo|typo|lint|format"
    r"|version|v?\d)|changelog|typo|readme|\bbump|flake8|black|mypy|\blint|copyright|docstring"
    r"|translation|pre-commit|dependabot|ruff"
)
Ids = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Question:
    """A question, and the definitions that answer it, by path and name."""

    text: str
    answers: Ids
    muted: int = -1
    """The definition whose documentation does not count."""


class MutedTerms(Terms):
    """The words of a project, less the documentation of the definition that is asked for."""

    muted = -1
    _docs: Sequence[int] = ()

    def mute(self, number: int) -> None:
        """Leave out the documentation of one definition, and that of no other any more."""
        [part] = self.parts
        if self.muted >= 0:
            part.docs = self._docs
        self._docs, self.muted = part.docs, number
        if number >= 0:
            part.docs = [*part.docs]
            part.docs[number] = 0

    def hits(self, word: str) -> dict[int, Hit]:
        """Return the definitions with a word."""
        found = super().hits(word)
        if self.muted in found:
            found[self.muted][DOC] = 0.0
            if not any(found[self.muted][at] for at in (BODY, NAME, CONTAINER)):
                del found[self.muted]
        return found


class Clone:
    """A project with its words."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        self.index = SourceIndex(root, cache / root.name)
        self.files = self.index.read(SourceQuery(sections=SECTIONS), Job()).files
        words = [(it, terms_of(it)) for it in self.files]
        self.terms = MutedTerms(TermTables([part_of(words)], []))
        [part] = self.terms.parts
        self.ids = [
            (part.part.paths[part.file_of(at)], it) for at, it in enumerate(part.part.names)
        ]
        self.number = {it: at for at, it in enumerate(self.ids)}

    def from_documentation(self, random_: random.Random) -> list[Question]:
        """Return questions from the documentation of production code."""
        [part] = self.terms.parts
        found: list[Question] = []
        for file in self.files:
            module = Module(file, ())
            for name, symbol in module.symbols.items():
                number = self.number[file.path, name]
                if part.part.kinds[part.file_of(number)] == PRODUCTION:
                    asked = first_sentence(documentation(module, symbol), symbol.name)
                    if asked:
                        found.append(Question(asked, frozenset({self.ids[number]}), number))
        times = Counter(it.text for it in found)
        unique = [it for it in found if times[it.text] == 1]
        return random_.sample(unique, min(len(unique), QUESTIONS))

    def from_commits(self, random_: random.Random) -> list[Question]:
        """Return questions from the messages of commits."""
        found: list[Question] = []
        candidates = [*self._commits()]
        random_.shuffle(candidates)
        for commit, subject, paths in candidates:
            if len(found) == COMMITS:
                break
            sources = [it for it in paths if is_product_path(it) and (it, "") in self.number]
            if 1 <= len(sources) <= MAX_FILES:
                changed = self._changed(commit, sources)
                if 1 <= len(changed) <= MAX_CHANGED:
                    found.append(Question(subject, changed))
        return found

    def _commits(self) -> Iterator[tuple[str, str, list[str]]]:
        flags = ("--no-merges", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=AM")
        log_ = self._git("log", f"-{LAST_COMMITS}", "--format=%x01%H%x02%s", *flags)
        for block in log_.split("\x01")[1:]:
            head, *rest = block.strip("\n").split("\n")
            commit, subject = head.split("\x02")
            subject = re.sub(r"\s*\(?\(?#\d+\)?\)?", "", subject).strip()
            subject = re.sub(r"^(?:[\w/]+(?:\([^)]*\))?!?(?:, )?)+:\s+", "", subject)
            is_question = min(len(subject.split()), len(set(stems(subject))) + 1) >= MIN_STEMS
            if is_question and not _NO_QUESTION.search(subject):
                paths = [line.split("\t")[1] for line in rest if line.startswith(":")]
                yield commit, subject, paths

    def _changed(self, commit: str, paths: Sequence[str]) -> Ids:
        """Return the functions and types that a commit changed and that are there still."""
        found: set[tuple[str, str]] = set()
        texts = {}
        for path in paths:
            content = self._git("show", f"{commit}:{path}").encode(errors="replace")
            texts[path] = (detect_language(path, lambda: b"") or "", content)
        for path, file in self.index.read_texts(texts, ("outline",), Job()).items():
            diff = self._git("show", "-U0", "--format=", commit, "--", path)
            for line in changed_lines(diff):
                name = innermost(file, line)
                if name and (path, name) in self.number:
                    found.add((path, name))
        return frozenset(found)

    def _git(self, *arguments: str) -> str:
        command = ("git", "-C", str(self.root), *arguments)
        done = subprocess.run(
            command, capture_output=True, check=False, encoding="utf-8", errors="replace"
        )
        return done.stdout

    def ranked(self, question: str) -> list[tuple[str, str]]:
        """Return the definitions as `explore` ranks them."""
        words = asked_words(self.terms, question)
        return [(it.path, it.name) for it in rank(self.terms, question, words, 60)]

    def plain(self, question: str) -> list[tuple[str, str]]:
        """Return the definitions by BM25 alone: all words of a definition are one text."""
        [part] = self.terms.parts
        mean = self.terms.mean_body + sum(part.docs) / self.terms.count
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(stems(question)):
            hits = self.terms.hits(word)
            rarity = log(1 + (self.terms.count - len(hits) + 0.5) / (len(hits) + 0.5))
            for number, hit in hits.items():
                count = sum(hit[field] for field in (BODY, DOC, NAME, CONTAINER, PATH))
                length = 0.25 + 0.75 * (part.bodies[number] + part.docs[number]) / mean
                scores[number] += rarity * count * 2.2 / (count + 1.2 * length)
        return [self.ids[it] for it in sorted(scores, key=lambda it: (-scores[it], it))]


def first_sentence(text: str, name: str) -> str:
    """Return the first sentence of documentation without a name; empty if it is no question."""
    lines: list[str] = []
    for line in map(str.strip, text.strip().split("\n")):
        if line.startswith(("@", ":")) or (lines and not line):
            break
        lines.append(line)
    joined = " ".join(" ".join(lines).split())
    found = _SENTENCE.match(joined)
    sentence = (found[1] if found else joined).rstrip(".")
    sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", sentence).strip()
    is_short = len(sentence.split()) < MIN_WORDS or len(set(stems(sentence))) < MIN_STEMS
    is_other = sentence.lower().startswith(_MARKS) or "Copyright" in sentence
    return "" if is_short or is_other or len(sentence) > MAX_CHARS else sentence


def changed_lines(diff: str) -> Iterator[int]:
    """Yield the new lines of a diff without context."""
    for found in re.finditer(r"(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@", diff):
        first, count = int(found[1]), int(found[2] or 1)
        yield from range(first, first + max(count, 1))


def innermost(file: FileFacts, line: int) -> str:
    """Return the innermost function or type around a line."""
    declared: list[Function | Type] = [*file.outline.functions, *file.outline.types]
    around = [it for it in declared if it.line <= line <= it.end_line]
    return min(around, key=lambda it: it.end_line - it.line).name if around else ""


def place_of(symbol_id: str) -> tuple[str, str]:
    """Return the path and the name of an id."""
    path, _, name = symbol_id.partition("::")
    return path, name


def ndcg(found: Sequence[Hashable], wanted: AbstractSet[Hashable]) -> float:
    """Return the normalised discounted gain of the first ten, each right one gaining 1."""
    gain = sum(1 / log2(at + 2) for at, it in enumerate(found[:TOP]) if it in wanted)
    return gain / sum(1 / log2(at + 2) for at in range(min(len(wanted), TOP)))


def measure(
    clone: Clone, questions: Sequence[Question], ask: Callable[[str], list[tuple[str, str]]]
) -> tuple[float, float]:
    """Return the mean gain by definition, and by file."""
    definitions = files = 0.0
    for question in questions:
        clone.terms.mute(question.muted)
        found = ask(question.text)
        definitions += ndcg(found, frozenset(question.answers))
        paths = list(dict.fromkeys(path for path, _ in found[:60]))
        files += ndcg(paths, frozenset(path for path, _ in question.answers))
    count = max(len(questions), 1)
    return definitions / count, files / count


def show(name: str, clone: Clone, sets: Mapping[str, Sequence[Question]]) -> None:
    """Print one line for each set of questions."""
    for kind, questions in sets.items():
        if questions:
            plain = measure(clone, questions, clone.plain)
            ours = measure(clone, questions, clone.ranked)
            print(
                f"| {name} | {kind} | {len(questions)} | {plain[0]:.3f} | {ours[0]:.3f} "
                f"| {plain[1]:.3f} | {ours[1]:.3f} |",
                flush=True,
            )


def draw(root: Path, cache: Path) -> tuple[Clone, list[Question], list[Question]]:
    """Return a clone, and questions from its documentation and its commits, always the same."""
    clone, drawn = Clone(root, cache), random.Random(SEED)  # noqa: S311 - one that can be repeated
    return clone, clone.from_documentation(drawn), clone.from_commits(drawn)


def write(file: Path, roots: Sequence[Path], cache: Path) -> None:
    """Write questions of clones, so that a later ranking is asked the same ones."""
    lines = ["# Drawn by `bench/explore.py --write` before the ranking was changed.", "", "[trees]"]
    questions = list[str]()
    for root in roots:
        clone, documented, committed = draw(root, cache)
        commit = clone._git("rev-parse", "HEAD").strip()  # noqa: SLF001 - the same module
        lines.append(f'"{root.name}" = "{commit}"')
        for kind, asked in (("documentation", documented), ("commits", committed)):
            for it in asked[:WRITTEN]:
                answers = sorted(f"{path}::{name}" for path, name in it.answers)
                fields = {"tree": root.name, "from": kind, "text": it.text, "answers": answers}
                written = [f"{key} = {json.dumps(field)}" for key, field in fields.items()]
                questions += ["", "[[questions]]", *written]
        clone.index.close()
    file.write_text("\n".join([*lines, *questions, ""]), encoding="utf-8")


def ask_written(file: Path, trees: Path, cache: Path) -> None:
    """Ask the questions of a file of clones of its trees."""
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    for name in written["trees"]:
        clone = Clone(trees / name, cache)
        sets: dict[str, list[Question]] = {}
        for it in written["questions"]:
            if it["tree"] == name:
                answers = frozenset(map(place_of, it["answers"]))
                kind = it.get("from", "people")
                is_muted = kind == "documentation"
                muted = clone.number[next(iter(answers))] if is_muted else -1
                sets.setdefault(kind, []).append(Question(it["text"], answers, muted))
                if is_muted:  # as somebody asks who is near to the words of the author
                    sets.setdefault(f"{kind}, left in", []).append(Question(it["text"], answers))
        show(name, clone, sets)
        clone.index.close()


def ask_agents_questions(file: Path, trees: Path) -> None:
    """Ask the questions of agents, and print how many answers show every line that decides."""
    known = tomllib.loads(file.read_text(encoding="utf-8"))
    for kind, asked_by in product(("tuned", "apart"), ("text", "terms")):
        whole = shown = lines = chars = 0
        for question in known[kind]:
            bench = Workbench.open(trees / question["tree"])
            answer = bench.run(explore, ExploreParams(question=question[asked_by]))
            code = "\n".join(it.code for it in answer.definitions)
            found = [it in code for it in question["lines"]]
            whole, shown, lines = whole + all(found), shown + sum(found), lines + len(found)
            chars += len(answer.to_text())
            print(f"{question['tree']}: {sum(found)} of {len(found)}: {question[asked_by][:70]}")
        count = len(known[kind])
        said = f"{whole} of {count} whole, {shown} of {lines} lines"
        print(f"{kind}, {asked_by}: {said}, {chars / count:,.0f} characters each")


def main() -> None:
    """Ask the questions, and print what the first ten were worth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clones", nargs="*", type=Path)
    parser.add_argument("--draw", type=int, help="how many of the clones")
    parser.add_argument("--trees", type=Path, help="the folder of the written questions' trees")
    parser.add_argument("--held-back", type=Path, help="the folder of the held-back trees")
    parser.add_argument("--fresh", type=Path, help="the folder of the trees of explore_fresh.toml")
    parser.add_argument("--asked", type=Path, help="the folder of the trees that agents asked of")
    parser.add_argument("--write", type=Path, help="the file for drawn questions")
    asked = parser.parse_args()
    clones: list[Path] = sorted(it.resolve() for it in asked.clones)
    if asked.draw:
        drawn = random.Random(SEED)  # noqa: S311 - one that can be repeated
        clones = sorted(drawn.sample(clones, asked.draw))
    here = Path(__file__).parent
    if asked.asked:
        ask_agents_questions(here / "explore_asked.toml", asked.asked.resolve())
        return
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        if asked.write:
            write(asked.write, clones, cache)
            return
        print(
            "| project | questions from | asked | BM25 | explore | files, BM25 | files, explore |"
        )
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
        for root in clones:
            clone, documented, committed = draw(root, cache)
            show(root.name, clone, {"documentation": documented, "commits": committed})
            clone.index.close()
        if asked.trees:
            ask_written(here / "explore_questions.toml", asked.trees, cache)
        if asked.held_back:
            ask_written(here / "explore_held_back.toml", asked.held_back, cache)
        if asked.fresh:
            ask_written(here / "explore_fresh.toml", asked.fresh, cache)


if __name__ == "__main__":
    main()
