"""JUnit through Maven or Gradle, by the XML that both write for each class."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from benchpin.system.processes import home_folder

from ._command import TMP, Runner, RunnerCommand, RunnerOutput
from ._project_view import ProjectView
from ._results import JUnitCase, Place, RunResults, UnreadableReport, read_junit

_ENDINGS = (".java", ".kt", ".groovy", ".scala")
_SOURCES = tuple(
    f"src/{kind}/{language}" for kind in ("test", "main") for language in ("java", "kotlin")
)
_FRAME = re.compile(
    r"^[ \t]*+at (?P<code>[^\s(]{1,400})\((?P<file>[^\s:()]{1,200}):(?P<line>\d{1,7})\)",
    re.MULTILINE,
)
_STACK_LINE = re.compile(r"[ \t]*+at [^\s(]{1,400}\(|[ \t]*+\.\.\. \d+ more$")
_ERROR = re.compile(
    r"^(?:\[ERROR\] |e: (?:file://)?)?(?P<file>/[^\s:]{1,400}\.(?:java|kt)):"
    r"(?:\[)?(?P<line>\d{1,7})(?:,\d+\])?:? *(?P<message>[^\n]{0,300})$",
    re.MULTILINE,
)
_DISTRIBUTION = re.compile(
    r"^distributionUrl=.*/(?P<name>gradle-(?P<version>[\w.-]{1,40}?)-(?:bin|all))\.zip",
    re.MULTILINE,
)
_RULED_OUT = ("target/surefire-reports/", "build/test-results/")
_MAX_FRAMES = 8
# A heap of a quarter of the memory of the machine is more than the sandbox gives a process. A short
# run is faster without the second compiler. What a project gives its own JVMs goes before these.
# Its frames are larger, though: long chains of calls in tests overflow the stack of javac.
_JVM = {
    "JAVA_TOOL_OPTIONS": "-Xmx768m -XX:TieredStopAtLevel=1",
    "JDK_JAVA_OPTIONS": "-Xss4m",  # that of the first thread is read by the launcher
}


def _classes(tests: Sequence[str], separator: str) -> list[str]:
    """Return tests as the runner names them; a file means its class."""
    named = (PurePosixPath(it).stem if it.endswith(_ENDINGS) else it for it in tests)
    return [re.sub(r"::|#", separator, it) for it in named]


def _maven_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    # A wrapper that has not fetched its program before cannot do so in the sandbox.
    is_fetched = (home_folder() / ".m2" / "wrapper" / "dists").is_dir()
    start = ("sh", "mvnw") if project.has("mvnw") and is_fetched else ("mvn",)
    fetched = home_folder() / ".m2" / "repository"
    where = (f"-Dmaven.repo.local={fetched}", "-Dmaven.legacyLocalRepo=true")
    chosen = (f"-Dtest={','.join(_classes(tests, '#'))}", "-DfailIfNoTests=false") if tests else ()
    more = ("-Dsurefire.failIfNoSpecifiedTests=false",) if tests else ()
    return RunnerCommand(
        # The settings beside the repository are not seen: they have passwords. Without them, Maven
        # takes what came from a mirror only with its old way to look there.
        (*start, "-o", "-B", "-fae", *where, "test", *chosen, *more),
        environment=_JVM,
        reports=("target/surefire-reports/TEST-*.xml",),
    )


def _gradle(project: ProjectView) -> str:
    """Return the program that the wrapper has fetched for this project, or the one of PATH.

    The wrapper itself looks in the folder that Gradle writes to, which is another one inside.
    """
    settings = project.read("gradle/wrapper/gradle-wrapper.properties")
    wanted = _DISTRIBUTION.search(settings)
    folder = home_folder() / ".gradle" / "wrapper" / "dists"
    if wanted is None:
        return "gradle"
    fetched = folder.glob(f"{wanted['name']}/*/gradle-{wanted['version']}/bin/gradle")
    return str(next(iter(sorted(fetched)), "gradle"))


def _gradle_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    cache = home_folder() / ".gradle" / "caches"
    chosen = [it for name in _classes(tests, ".") for it in ("--tests", name)]
    options = ("--offline", "--no-daemon", "--console=plain", "--continue")
    return RunnerCommand(
        (_gradle(project), *options, "test", *chosen),
        environment={
            **_JVM,
            "GRADLE_USER_HOME": f"{TMP}/gradle",
            **({"GRADLE_RO_DEP_CACHE": str(cache)} if cache.is_dir() else {}),
        },
        reports=("build/test-results/*/TEST-*.xml",),
    )


def _read(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    if not outcome.reports:
        return _read_compiler(outcome, project)
    report = read_junit(outcome.reports)
    results = RunResults("JUnit XML", passed=report.passed, skipped=report.skipped)
    for case, is_passed in report.others:
        name = f"{case.class_name}#{case.name.removesuffix('()')}"
        results.add_name(name, is_passed=is_passed)
    for case in report.failures:
        place, lines = _own_frames(case, project)
        head = [it for it in case.text.splitlines() if it.strip() and not _STACK_LINE.match(it)]
        message = case.message or (head[0] if head else "")
        name = f"{case.class_name}#{case.name.removesuffix('()')}"
        results.add_failure(name, place, message, "\n".join([*head, *lines]))
    results.failed = report.failed
    return results


def _own_frames(case: JUnitCase, project: ProjectView) -> tuple[Place | None, list[str]]:
    """Return the place of the failure in the project, and the lines of the stack in it."""
    module = next(
        (case.report.partition(it)[0] for it in _RULED_OUT if it in case.report), "./"
    ).removeprefix("./")
    places: list[tuple[str, int]] = []
    lines = []
    for match in _FRAME.finditer(case.text):
        package = "/".join(match["code"].split(".")[:-2])
        found = _source(module, f"{package}/{match['file']}", project)
        if found is not None:
            places.append((found, int(match["line"])))
            lines.append(match[0])
        if len(places) >= _MAX_FRAMES:
            break
    stem = case.class_name.rpartition(".")[2].partition("$")[0]
    in_test = [it for it in places if PurePosixPath(it[0]).stem == stem]
    if in_test or places:
        return (in_test or places)[0], lines
    path = case.class_name.partition("$")[0].replace(".", "/")
    found = next(
        (it for end in (".java", ".kt") if (it := _source(module, path + end, project))), None
    )
    return ((found, None) if found else None), lines


def _source(module: str, path: str, project: ProjectView) -> str | None:
    return next(
        (it for folder in _SOURCES if (it := project.place(f"{module}{folder}/{path}"))), None
    )


def _read_compiler(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    """Read errors of the compiler, for which no test ran."""
    results = RunResults("messages of the compiler")
    seen = set()
    for match in _ERROR.finditer(outcome.stdout + outcome.stderr):
        file = project.place(match["file"])
        key = (file, match["line"], match["message"])
        if file is not None and key not in seen:
            seen.add(key)
            results.add_failure("build", (file, int(match["line"])), match["message"], match[0])
    if not results.failed:
        raise UnreadableReport("no test report was written")
    return results


def _uses_gradle(project: ProjectView) -> bool:
    names = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    return any(project.has(it) for it in names)


MAVEN = Runner(
    "maven",
    _ENDINGS,
    lambda it: it.has("pom.xml"),
    _maven_command,
    _read,
    needs_write=True,
    to_profile="mvn test",
)
GRADLE = Runner(
    "gradle",
    _ENDINGS,
    _uses_gradle,
    _gradle_command,
    _read,
    needs_write=True,
    to_profile="gradle test",
)
