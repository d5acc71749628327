"""What is said of a project with two builds of the Java world; the traits are of real ones."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.repository.analyze_repository import RepositoryReport
from repository_kit import write_files

FILES: dict[str, str | bytes] = {
    "settings.gradle.kts": 'rootProject.name = "oven"\ninclude(":core")\ninclude(":cli")\n',
    "build.gradle.kts": 'plugins {\n  id("com.diffplug.spotless") version "8.8"\n}\n',
    "gradlew": "#!/bin/sh\n",
    "gradle/libs.versions.toml": (
        '[versions]\njunit = "6.0"\n\n[libraries]\n'
        'junit-api = { module = "org.junit:junit-api", version.ref = "junit" }\n'
    ),
    "core/build.gradle.kts": "dependencies {\n  testImplementation(libs.junit.api)\n}\n",
    "core/src/main/kotlin/Oven.kt": (
        "/** Bakes. */\nclass Oven : Heater() {\n  override fun heat() {}\n  fun bake() {}\n}\n"
    ),
    "core/src/test/kotlin/OvenTest.kt": "class OvenTest\n",
    "cli/build.gradle.kts": (
        "dependencies {\n  implementation(projects.core)\n"
        '  implementation("com.github:clikt:5.1")\n}\n'
        'application {\n  mainClass = "oven.MainKt"\n}\n'
    ),
    "cli/src/main/kotlin/Main.kt": "fun main() {}\n",
    "maven-tests/pom.xml": (
        "<project><groupId>org.oven</groupId><artifactId>tests</artifactId><version>1</version>"
        "<properties><v>2.5</v></properties><dependencies><dependency><groupId>org.oven</groupId>"
        "<artifactId>core</artifactId><version>${v}</version></dependency></dependencies></project>"
    ),
    "src/site/index.md": "# Oven\n",
    "docs/gen.kt": "fun made() {}\n" * 50,
    ".gitattributes": "*.kt linguist-language=Kotlin\n",
    "README.md": "# Oven\n\n## Usage\n",
}


@pytest.fixture
def report(shop: Workbench, workspace: Path) -> RepositoryReport:
    write_files(workspace, FILES)
    found = shop.call("analyze_repository", path=".", depth="deep")
    assert isinstance(found, RepositoryReport)
    return found


def test_packages_dependencies_and_programs_of_gradle_and_maven(report: RepositoryReport) -> None:
    packages = [(it.name, it.path, it.is_member) for it in report.structure.packages or ()]
    assert packages == [("oven", ".", False), ("cli", "cli", True), ("core", "core", True)]
    assert report.dependencies is not None
    needed = [(it.name, it.version, it.kind, it.path) for it in report.dependencies.items]
    assert needed == [
        ("com.github:clikt", "5.1", "direct", "cli/build.gradle.kts"),
        ("org.oven:core", "2.5", "direct", "maven-tests/pom.xml"),
        ("com.diffplug.spotless", "8.8", "build", "build.gradle.kts"),
        ("org.junit:junit-api", "6.0", "dev", "core/build.gradle.kts"),
    ]
    programs = [(it.name, it.runs, it.path, it.line) for it in report.entry_points or ()]
    assert programs == [("MainKt", "oven.MainKt", "cli/build.gradle.kts", 6)]
    commands = [(it.purpose, it.command) for it in report.commands or ()]
    assert commands == [("build", "./gradlew build"), ("test", "./gradlew test")]


def test_shares_folders_and_coverage(report: RepositoryReport) -> None:
    shares = {it.language: it.share for it in report.structure.languages or () if it.share}
    assert shares == {"Kotlin": 1.0}
    assert report.documentation.folders == ["docs", "src/site"]
    assert report.structure.test_files == 1
    api = report.documentation.api
    assert api is not None
    assert (api.public_symbols, api.documented) == (3, 1)
