"""The steps with which a change is proved in a copy, each with a share of the time."""

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchpin.code.references import RelatedTest
from benchpin.core.calls import Job
from benchpin.core.text import counted
from benchpin.run.tests import FailedTest

from ._asking import BOTH_STATES, NO_CHECKER, NOT_NEEDED, ask_in
from ._certificate import (
    FAILING,
    PASSES,
    UNCHECKED,
    UNNOTICED,
    UNTESTED,
    Proof,
    State,
    TriedMistake,
    first_of,
    gap,
)
from ._changed import DIRECT, Changed, ChangedFunction, name_untested
from ._mutants import Mutant, mutants_of
from ._test_bed import TestBed, TestOutcome, cause_outside, did_not_load, names_of
from ._working_copy import WorkingCopy

# The shares of the time that is left which a step may take.
_TESTS_SHARE, _BEFORE_SHARE, _CHECKERS_SHARE = 0.6, 0.6, 0.4
_MISTAKE_SHARE, _BUILD_SHARE = 0.3, 0.9
_MAX_FUNCTIONS = 12
_MAX_MISTAKES = 2
# Mistakes that turn out not to be code any more, before the next function is looked at.
_MAX_TRIES = 4
_MAX_TESTS_OF_MISTAKE = 25
_MAX_FAILURES = 20
_LOOP = re.compile(r"\b(?:while|for|loop|until|goto|forEach)\b")
_COMPILERS = frozenset({"javac", "cargo check"})


class Proving:
    """The steps in a copy, each with a share of the time."""

    def __init__(
        self, changed: Changed, copy: WorkingCopy, bed: TestBed, job: Job, proof: Proof
    ) -> None:
        self._changed, self._copy, self._bed = changed, copy, bed
        self._job, self._proof = job, proof
        self._took_s = 0.0
        self._now = TestOutcome()
        self._possible: list[str] = []
        self._ran: set[str] = set()
        self._unended: set[str] = set()
        """Functions with a mistake of which it is not known whether a test notices it in time."""

    def run(self) -> None:
        if not self._changed.related and not self._changed.tests:
            self._proof.check("tests", "not done", "no test is related to what changed")
            self._ask_checkers()
            self._say_coverage()
            # Functions of one line are not named one by one.
            if self._changed.symbols and not any(it.rule == UNTESTED for it in self._proof.gaps):
                text = "No test reaches what changed"
                self._proof.gaps.append(gap(UNTESTED, *self._changed.place, text))
            return
        has_run = self._run_affected()
        if has_run and (spoilt := self._spoilt()) is not None:
            text = f"The tests change or remove {spoilt} of the project: nothing after them counts"
            self._proof.gaps.append(gap(UNCHECKED, spoilt, 1, text))
            self._left_out("what would come after tests that change the project")
            return
        if has_run:
            self._run_without_change()
        self._ask_checkers()
        if not has_run:
            return
        if any(it.level == "error" for it in self._proof.gaps):
            self._proof.check("mistakes", "not done", "something is broken: fix that first")
        else:
            self._try_mistakes()
            self._run_possible()
        self._say_coverage()

    def _spoilt(self) -> str | None:
        """Return a file of the change that is no longer what it was before tests ran."""
        files = self._changed.deltas.files
        return next((it.path for it in files if self._copy.read(it.path) != it.after), None)

    def _left_s(self, share: float = 1.0) -> float:
        self._job.check()
        return share * (self._job.time_left_s() or 0.0)

    def _left_out(self, what: str) -> None:
        """Say what there was no time for; the verdict is about the rest."""
        self._proof.check("left out", "not done", what)

    # The tests that the change affects, with the change.

    def _run_affected(self) -> bool:
        """Run the tests that reach what changed; return whether any ran."""
        changed = self._changed
        direct = [it.id for it in changed.related if it.reason in DIRECT]
        self._possible = [it.id for it in changed.related if it.reason not in DIRECT]
        chosen = list(dict.fromkeys([*changed.tests, *direct]))
        if not chosen:
            chosen, self._possible = self._possible, []
        self._ran = set(chosen)
        started = time.monotonic()
        covering = [it.path for it in changed.code if it.after is not None]
        proof = self._proof
        now = self._bed.run(chosen, self._left_s(_TESTS_SHARE), covering=covering)
        if now.is_timed_out and not now.has_run:
            # What was compiled until then is not compiled again.
            now = self._bed.run(chosen, self._left_s(_BUILD_SHARE), covering=covering)
        self._now = now
        self._took_s = time.monotonic() - started
        for problem in now.problems:
            proof.gaps.append(gap(UNCHECKED, *changed.place, problem))
        if now.is_timed_out and not now.has_run:
            text = (
                f"The tests did not end in time: none had ended after {self._took_s:.0f} s: they "
                "were still being built, or one hangs. What was compiled is kept: run it again, or "
                "raise the budget"
            )
            proof.gaps.append(gap(UNCHECKED, *changed.place, text))
        elif now.is_timed_out:
            text = (
                f"The tests did not end in time; {counted(len(now.passed), 'test')} had passed: "
                "raise the budget, or look for one that hangs"
            )
            proof.gaps.append(gap(UNCHECKED, *changed.place, text))
        if not now.has_run:
            why = "time was up" if now.is_timed_out else "; ".join(now.problems) or "no test ran"
            proof.check("tests", "not done", why)
            return False
        self._judge_failures()
        if now.unbuilt and not now.passed and not now.failed:
            first = now.unbuilt[0]
            text = f"No test could be built or loaded, {first.name} for one: {first.message}"
            proof.gaps.append(gap(UNCHECKED, *changed.place, text.removesuffix(": ")))
        failed = len(now.failed) + len(now.unbuilt)
        said = f"{len(now.passed)} passed, {failed} failed of those that reach what changed"
        is_broken = any(it.rule == FAILING for it in proof.gaps)
        is_whole = not failed and not now.is_timed_out
        outcome: State = "failed" if is_broken else "passed" if is_whole else "incomplete"
        proof.check("tests", outcome, said)
        return True

    def _judge_failures(self) -> None:
        """Say of each failure whether the change is why."""
        now = self._now
        failures = [*now.failed.values(), *now.unbuilt]
        if not failures:
            return
        again = self._bed.run(self._ids_of(failures), self._left_s(0.4))
        if not again.has_run:
            again = TestOutcome(failed=now.failed, unbuilt=now.unbuilt)
        # As it was, tests included: a new test is not there, and is to blame on the change.
        with self._copy.reverted(self._changed.deltas.files):
            before = self._bed.run(self._ids_of(failures), self._left_s(0.5))
        failed_before = {*before.failed, *(it.name for it in before.unbuilt)}
        for failure in failures[:_MAX_FAILURES]:
            place = (failure.file or self._changed.place[0], failure.line or 1)
            if failure.name in again.passed:
                text = f"{failure.name} fails sometimes: it passed when it was run again"
                self._proof.gaps.append(gap(UNCHECKED, *place, text, failure.name))
            elif (cause := cause_outside(failure, self._changed.paths)) is not None:
                text = f"{failure.name} {cause}"
                self._proof.gaps.append(gap(UNCHECKED, *place, text, failure.name))
            elif failure.name in failed_before and failure in now.unbuilt:
                text = "cannot be loaded, with and without the change"
                self._proof.check("not a test", "nothing to do", f"{failure.name} {text}")
            elif failure.name in failed_before:
                text = f"{failure.name} fails with and without the change: {failure.message}"
                self._proof.gaps.append(gap(UNCHECKED, *place, text, failure.name))
            elif before.is_timed_out and failure.name not in before.passed:
                text = f"{failure.name} fails; there was no time to run it without the change"
                self._proof.gaps.append(gap(UNCHECKED, *place, text, failure.name))
            else:
                since = (
                    "" if failure.name not in before.passed else ", and passes without the change"
                )
                text = f"{failure.name} fails{since}: {failure.message}"
                found = gap(FAILING, *place, text, failure.name, is_error=True)
                self._proof.gaps.append(found)

    def _ids_of(self, failures: Sequence[FailedTest]) -> list[str]:
        """Return the tests that were asked for and that these failures are of, or their files."""
        known = [*self._changed.tests, *(it.id for it in self._changed.related)]
        found: dict[str, None] = {}
        for failure in failures:
            own = [it for it in known if names_of(TestOutcome(passed={failure.name}), it)]
            near = [it for it in known if failure.file and it.startswith(failure.file)]
            found |= dict.fromkeys(own[:3] or near[:20] or known[:20])
        return list(found)

    # The new tests, without the change.

    def _run_without_change(self) -> None:
        tests, proof = self._changed.tests, self._proof
        if not self._changed.taken_back or not self._changed.code:
            proof.check("new tests without the change", "nothing to do", "only tests changed")
            return
        if not tests:
            text = "no test is new or changed"
            proof.check("new tests without the change", "nothing to do", text)
            return
        with self._copy.reverted(self._changed.taken_back):
            before = self._bed.run(tests, self._left_s(_BEFORE_SHARE))
        fails = [it for it in tests if "failed" in names_of(before, it).values()]
        unloaded = [it for it in tests if it not in fails and did_not_load(before, it)]
        passes = [it for it in tests if it not in fails and names_of(before, it)]
        passes = [it for it in passes if "passed" in names_of(before, it).values()]
        unknown = len(tests) - len(fails) - len(unloaded) - len(passes)
        said = [f"{len(fails)} of {len(tests)} fail there"] if tests else []
        said += [f"{len(unloaded)} cannot be loaded there"] if unloaded else []
        said += [f"these pass there: {first_of(passes)}"] if passes else []
        said += [f"of {unknown} it is not known"] if unknown else []
        if fails or unloaded:
            proof.check("new tests without the change", "passed", "; ".join(said))
        elif passes:
            proof.check("new tests without the change", "failed", "; ".join(said))
            file = passes[0].partition("::")[0]
            text = f"No new test fails without the change: {first_of(passes)}"
            proof.gaps.append(gap(PASSES, file, 1, text))
        else:
            why = "time was up" if before.is_timed_out else "; ".join(before.problems)
            why = why or "the runner named none of them"
            proof.check("new tests without the change", "not done", why)
            file = tests[0].partition("::")[0]
            text = f"It is not known whether the new tests fail without the change: {why}"
            proof.gaps.append(gap(UNCHECKED, file, 1, text))

    def _ask_checkers(self) -> None:
        """Ask the checkers of the project; an error that the review names too is said once."""
        proof, left_s = self._proof, self._left_s(_CHECKERS_SHARE)
        bed, deltas = self._bed, self._changed.deltas
        # Their tests are compiled, with libraries that a compiler on its own does not find.
        needless = _COMPILERS if self._now.passed else frozenset()
        found, said = ask_in(self._copy, deltas, bed.bench, left_s, bed.environment, needless)
        known = {(it.file, it.line) for it in proof.gaps}
        new = [it for it in found if (it.file, it.line) not in known]
        errors = [it for it in new if it.level == "error"]
        proof.gaps += errors
        proof.findings += [it for it in new if it not in errors]
        state: State = "failed" if errors else "passed" if BOTH_STATES in said else "not done"
        if NO_CHECKER in said or NOT_NEEDED in said:
            state = "nothing to do"
        more = (
            f"; new: {counted(len(errors), 'error')}, {counted(len(new) - len(errors), 'warning')}"
        )
        proof.check("checkers", state, said + (more if new else ""))

    # Mistakes in what changed.

    def _try_mistakes(self) -> None:
        proof = self._proof
        tried = noticed = 0
        left_out: list[str] = []
        for changed in self._changed.functions[:_MAX_FUNCTIONS]:
            tests = self._tests_of(changed)
            if not tests:
                continue
            if self._left_s() < max(2.0, 0.5 * self._took_s):
                left_out.append(changed.symbol.qualified)
                continue
            found = list(self._tried(changed, tests))
            # No call may lead there that is known, such as one of a macro or an operator.
            noticing = [it for _, it in found if it]
            covered = [RelatedTest(it, it, 1, "covered it", "certain", 1) for it in noticing]
            changed.tests = [*changed.tests, *covered]
            if not found and changed.symbol.qualified in self._unended:
                left_out.append(changed.symbol.qualified)
            tried += len(found)
            noticed += sum(bool(by) for _, by in found)
            proof.mistakes += [
                TriedMistake(
                    file=made.path,
                    line=made.line,
                    function=made.function,
                    mistake=f"{made}",
                    noticed_by=by,
                )
                for made, by in found
            ]
            # One of several may happen to change nothing that can be seen.
            if found and not any(by for _, by in found):
                made = found[0][0]
                text = f"No test notices {made} in {made.function}"
                proof.gaps.append(gap(UNNOTICED, made.path, made.line, text, made.function))
        left_out += [it.symbol.qualified for it in self._changed.functions[_MAX_FUNCTIONS:]]
        if left_out:
            self._left_out(f"mistakes in {first_of(left_out)}")
        if not tried:
            text = "no time was left" if left_out else "no line that changed has one to try"
            proof.check("mistakes", "not done" if left_out else "nothing to do", text)
            return
        state: State = "passed" if noticed == tried else "incomplete"
        proof.check("mistakes", state, f"tests notice {noticed} of {tried} in what changed")

    def _tests_of(self, changed: ChangedFunction) -> list[str]:
        """Return the tests of a function that pass, closest first; the new ones before others."""
        now = self._now
        own = [it.id for it in changed.tests]
        files = {it.partition("::")[0] for it in own}
        new = [it for it in self._changed.tests if it.partition("::")[0] in files or not own]
        known = [*new, *own]
        passing = [it for it in known if "passed" in names_of(now, it).values()]
        if not passing and now.passed:
            passing = [it for it in known if "::" not in it] or known or sorted(self._ran)
        return list(dict.fromkeys(passing))[:_MAX_TESTS_OF_MISTAKE]

    def _tried(
        self, changed: ChangedFunction, tests: Sequence[str]
    ) -> Iterator[tuple[Mutant, str]]:
        """Yield mistakes, each with the first test that noticed it, or nothing."""
        content = self._copy.read(changed.symbol.file)
        if content is None:
            return
        ran = self._now.lines.get(changed.symbol.file)
        lines = [it for it in changed.lines if ran is None or ran.get(it, True)]
        made = mutants_of(changed.facts, content, changed.function, lines)
        own = content.split(b"\n")[changed.function.line - 1 : changed.function.end_line]
        can_loop = may_loop(b"\n".join(own).decode(errors="replace"), changed.symbol.name)
        done = 0
        for tries, mutant in enumerate(_spread(made)):
            enough = 3 * self._took_s + 10
            limit = min(self._left_s(_MISTAKE_SHARE), enough)
            if done >= _MAX_MISTAKES or tries >= _MAX_TRIES or limit < 1:
                return
            with self._copy.replaced(mutant.path, mutant.content):
                found = self._bed.run(tests, limit, stops_early=True)
                by = self._noticed_by(found)
                # A test that fails only sometimes has noticed nothing.
                if by in found.failed:
                    ids = self._ids_of([found.failed[by]])
                    by = "" if by in self._bed.run(ids, limit, stops_early=True).passed else by
            # Without enough time, or without a loop, a run that does not end says nothing.
            if found.is_timed_out and not by and limit >= enough and can_loop:
                by = "a test that no longer ends"
            elif found.is_timed_out and not by:
                self._unended.add(changed.symbol.qualified)
                continue
            if by is None:
                continue
            done += 1
            yield mutant, by

    def _noticed_by(self, found: TestOutcome) -> str | None:
        """Return the test that noticed; empty if none did, None if the mistake was no code."""
        failing = sorted(
            it for it in found.failed if it in self._now.passed or not self._now.failed
        )
        if failing:
            return failing[0]
        loads = [it for it in found.unbuilt if it.name != "build" and it.file == it.name]
        if loads:
            return loads[0].name
        return "" if found.passed and not found.unbuilt else None

    # What is left.

    def _run_possible(self) -> None:
        """Run the tests that may reach what changed, if there is time for them."""
        left = [it for it in self._possible if it not in self._ran]
        if not left:
            return
        if self._left_s() < max(2.0, self._took_s):
            self._left_out(f"{counted(len(left), 'test')} that may reach what changed")
            return
        covering = [it.path for it in self._changed.code if it.after is not None]
        more = self._bed.run(left, self._left_s(_TESTS_SHARE), covering=covering)
        before, self._now = self._now, more
        self._judge_failures()
        before.take(more)
        self._now = before
        if more.is_timed_out:
            self._left_out("tests that may reach what changed, when the time was up")
        said = f"{len(more.passed)} passed, {len(more.failed)} failed of those that may reach it"
        self._proof.check("further tests", "failed" if more.failed else "passed", said)

    def _say_coverage(self) -> None:
        name_untested(self._changed, self._now, self._proof)


def may_loop(source: str, name: str) -> bool:
    """Whether a function has a loop, or calls itself, so that a mistake in it may never end."""
    return bool(_LOOP.search(source)) or len(re.findall(rf"\b{re.escape(name)}\s*\(", source)) > 1


def _spread(made: Sequence[Mutant]) -> list[Mutant]:
    """Return mistakes so that the first ones are on different lines."""
    by_line: defaultdict[int, list[Mutant]] = defaultdict(list)
    for mutant in made:
        by_line[mutant.line].append(mutant)
    rounds = max(map(len, by_line.values()), default=0)
    return [them[at] for at in range(rounds) for them in by_line.values() if at < len(them)]
