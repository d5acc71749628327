"""What templates make works: the projects build, pass their own tests and their own checks."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.facts.parsing import extract
from template_kit import CATALOGUE, VARIANTS, example_parameters, make_project, program, run

pytestmark = pytest.mark.slow
DESCRIPTION = 'Draws "stars" for 100 % of $HOME, it\'s {{ fine }} <here> & there.'
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every project, by toolchain and variant."""
    folder = tmp_path_factory.mktemp("projects")
    for toolchain, variant in VARIANTS:
        make_project(folder, toolchain, variant, description=DESCRIPTION)
    return folder


def python_tool(name: str) -> list[str | Path]:
    return [sys.executable, "-m", name]


@pytest.mark.parametrize("variant", ["cli", "library", "web"])
def test_a_python_project_passes_its_own_checks(projects: Path, variant: str) -> None:
    folder = projects / "python-uv" / variant
    run(*python_tool("ruff"), "format", "--check", ".", folder=folder)
    run(*python_tool("ruff"), "check", "--no-cache", ".", folder=folder)
    run(*python_tool("pytest"), "-q", "-p", "no:cacheprovider", folder=folder, PYTHONPATH="src")
    if variant == "cli":  # the others have the same settings, and take their time
        run(*python_tool("mypy"), folder=folder, MYPYPATH="src")


def test_a_python_project_is_installed_and_runs(projects: Path, tmp_path: Path) -> None:
    if not all(importlib.util.find_spec(it) for it in ("hatchling", "pip")):
        pytest.skip("hatchling and pip are not both installed, and there is no network")
    folder, target = projects / "python-uv" / "cli", tmp_path / "installed"
    pip = (*python_tool("pip"), "install", "--quiet", "--no-index", "--no-deps")
    run(*pip, "--no-build-isolation", "--target", target, folder, folder=tmp_path)
    said = run(target / "bin" / "star-chart", "Ada", folder=tmp_path, PYTHONPATH=str(target))
    assert said == "Hello, Ada!\n"


@pytest.mark.parametrize("variant", ["cli", "library", "web"])
def test_a_node_project_passes_its_own_tests(projects: Path, variant: str) -> None:
    said = run(program("node"), "--test", folder=projects / "node" / variant)
    assert re.search(r"^(# |ℹ )fail 0$", said, re.MULTILINE)  # noqa: RUF001 - node's own mark
    assert not re.search(r"^(# |ℹ )pass 0$", said, re.MULTILINE)  # noqa: RUF001 - likewise


@pytest.mark.parametrize("variant", ["cli", "library"])
def test_a_c_project_passes_its_own_tests(projects: Path, variant: str) -> None:
    program("ninja")
    folder, cmake = projects / "c-cmake" / variant, program("cmake")
    run(cmake, "--preset", "dev", folder=folder)
    run(cmake, "--build", "--preset", "dev", folder=folder)
    assert "100% tests passed" in run("ctest", "--preset", "dev", folder=folder)


@pytest.mark.parametrize("variant", ["cli", "library", "web"])
def test_a_rust_project_passes_its_own_tests(projects: Path, variant: str) -> None:
    """The web server needs crates from the network, so only its format is looked at."""
    folder, cargo = projects / "rust" / variant, program("cargo")
    (folder / "rust-toolchain.toml").unlink()  # it would fetch another toolchain
    if variant != "web":
        run(cargo, "test", "--offline", "--quiet", folder=folder)
    if shutil.which("rustfmt"):
        run(cargo, "fmt", "--check", folder=folder)


def test_the_longest_name_leaves_the_format_as_it_must_be(tmp_path: Path) -> None:
    name = "a-very-long-project-name-with-many-words"
    for toolchain, variant in VARIANTS:
        if toolchain in {"python-uv", "rust"}:
            make_project(tmp_path, toolchain, variant, project_name=name)
    run(*python_tool("ruff"), "format", "--check", "python-uv", folder=tmp_path)
    if shutil.which("rustfmt"):
        sources = sorted((tmp_path / "rust").rglob("*.rs"))
        run("rustfmt", "--check", "--edition", "2024", *sources, folder=tmp_path)


@pytest.mark.usefixtures("go_cache")
def test_a_go_project_passes_its_own_tests(projects: Path) -> None:
    go = program("go")
    for variant in ("cli", "library"):  # the other has the whole of net/http compiled first
        run(go, "vet", "./...", folder=projects / "go" / variant)
        run(go, "test", "./...", folder=projects / "go" / variant)


def test_a_java_project_passes_its_own_tests(projects: Path) -> None:
    """Where Maven can be had without the network: its default plugin for tests is older."""
    folder = projects / "java-maven" / "web"
    settings = ("--offline", "--batch-mode", "--quiet", "-Dmaven-surefire-plugin.version=3.2.5")
    done = subprocess.run(
        [program("mvn"), *settings, "test"], cwd=folder, capture_output=True, check=False, text=True
    )
    if "offline mode" in done.stdout:
        pytest.skip("Maven has not got its plugins at hand, and there is no network")
    assert done.returncode == 0, done.stdout
    reports = list((folder / "target/surefire-reports").glob("*.txt"))
    assert len(reports) == 2


@pytest.mark.parametrize("variant", ["cli", "library", "web"])
def test_a_java_project_compiles_without_a_warning(
    projects: Path, tmp_path: Path, variant: str
) -> None:
    sources = sorted((projects / "java-maven" / variant / "src/main").rglob("*.java"))
    options = ("-Xlint:all", "-Werror", "-encoding", "UTF-8", "-d", tmp_path)
    run(program("javac"), *options, *sources, folder=tmp_path)


@pytest.mark.parametrize("variant", ["cli", "library", "web"])
def test_a_php_project_passes_its_own_tests(projects: Path, variant: str) -> None:
    """The tests run on a stand-in for PHPUnit, which has the few assertions that they use."""
    folder, php = projects / "php-composer" / variant, program("php")
    for file in sorted(folder.rglob("*.php")):
        run(php, "-l", file, folder=folder)
    said = run(php, HERE / "phpunit_stand_in.php", folder, folder=folder)
    passed = re.fullmatch(r"(\d+) passed\n", said)
    assert passed is not None
    assert int(passed[1]) >= 3


@pytest.mark.parametrize("toolchain", ["deno", "go", "rust"])
def test_sources_parse(projects: Path, toolchain: str) -> None:
    """A real grammar reads what cannot be compiled everywhere."""
    languages = {".go": "go", ".rs": "rust", ".ts": "typescript"}
    sources = [it for it in (projects / toolchain).rglob("*") if it.suffix in languages]
    assert len(sources) >= 6
    for source in sources:
        facts = extract(source.read_bytes(), languages[source.suffix])
        assert facts.outline.error_line == 0, source


@pytest.mark.parametrize(("toolchain", "variant"), VARIANTS)
def test_every_target_of_a_makefile_can_be_made(
    projects: Path, toolchain: str, variant: str
) -> None:
    folder = projects / toolchain / variant
    rules = (folder / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):", rules, re.MULTILINE)
    assert {"help", "setup", "lint", "test", "clean"} <= set(targets)
    assert ("run" in targets) == (variant != "library")
    for target in targets:
        run(program("make"), "-n", target, folder=folder)
    assert "Run the tests" in run(program("make"), folder=folder)


def test_the_commands_of_makefiles_and_workflows_are_sound_shell(
    projects: Path, tmp_path: Path
) -> None:
    scripts: list[Path] = []
    for makefile in sorted(projects.rglob("Makefile")):
        commands = run(program("make"), "-n", "lint", "test", "clean", folder=makefile.parent)
        script = tmp_path / f"{len(scripts)}.sh"
        script.write_text(f"#!/bin/sh\n{commands}", encoding="utf-8")
        scripts.append(script)
    run("bash", "-n", *scripts, folder=tmp_path)
    shellcheck = shutil.which("shellcheck") or shutil.which(
        "shellcheck", path=str(Path(sys.executable).parent)
    )
    if shellcheck is None:
        pytest.skip("shellcheck is not installed; bash alone read the scripts")
    run(shellcheck, *scripts, folder=tmp_path)


def test_workflows_pass_actionlint(projects: Path) -> None:
    workflows = sorted(projects.rglob(".github/workflows/*.yml"))
    run(program("actionlint"), *workflows, folder=projects)


def test_the_seeds_example_gives_a_makefile_that_works(tmp_path: Path) -> None:
    template = CATALOGUE.find("template://makefile/rust/cli")
    values, problems = CATALOGUE.check(template, {"project_name": "my-project", "has_tests": False})
    assert not problems
    [file] = CATALOGUE.render(template, values)
    (tmp_path / "Makefile").write_text(file.content, encoding="utf-8")
    assert "Run the tests" not in run(program("make"), folder=tmp_path)
    assert example_parameters(template) == {"has_tests": True}
