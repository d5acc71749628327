"""Versions that manifests take from each other, and conventions of Ruby and Gradle."""

from textwrap import dedent

from benchpin.repository.manifests import PackageManifest, complete, read_manifest


def read(path: str, text: str) -> PackageManifest:
    manifest = read_manifest(path, dedent(text).encode())
    assert isinstance(manifest, PackageManifest), manifest
    return manifest


def needs(manifests: list[PackageManifest]) -> list[tuple[str, str | None, str, int]]:
    found = [it for manifest in complete(manifests) for it in manifest.dependencies]
    return [(it.name, it.version, it.kind, it.line) for it in found]


PARENT = """\
    <project>
      <groupId>org.example</groupId><artifactId>parent</artifactId><version>7</version>
      <properties><junit.version>5.1</junit.version></properties>
      <dependencyManagement><dependencies>
        <dependency><groupId>org.junit</groupId><artifactId>junit</artifactId>
          <version>${junit.version}</version></dependency>
        <dependency><groupId>org.example</groupId><artifactId>bom</artifactId>
          <version>7</version><type>pom</type><scope>import</scope></dependency>
      </dependencies></dependencyManagement>
    </project>
    """
BOM = """\
    <project><groupId>org.example</groupId><artifactId>bom</artifactId><version>7</version>
      <dependencyManagement><dependencies>
        <dependency><groupId>org.log</groupId><artifactId>log</artifactId>
          <version>2.0</version></dependency>
      </dependencies></dependencyManagement></project>
    """
CHILD = """\
    <project>
      <parent><groupId>org.example</groupId><artifactId>parent</artifactId>
        <version>7</version></parent>
      <artifactId>child</artifactId>
      <dependencies>
        <dependency><groupId>org.junit</groupId><artifactId>junit</artifactId>
          <scope>test</scope></dependency>
        <dependency><groupId>org.log</groupId><artifactId>log</artifactId></dependency>
        <dependency><groupId>a</groupId><artifactId>b</artifactId>
          <version>${junit.version}-x</version></dependency>
        <dependency><groupId>a</groupId><artifactId>open</artifactId></dependency>
      </dependencies>
    </project>
    """


def test_maven_takes_versions_from_parents_and_from_imported_lists() -> None:
    manifests = [read("pom.xml", PARENT), read("bom/pom.xml", BOM), read("c/pom.xml", CHILD)]
    assert needs(manifests) == [
        ("org.junit:junit", "5.1", "dev", 6),
        ("org.log:log", "2.0", "direct", 8),
        ("a:b", "5.1-x", "direct", 9),
        ("a:open", None, "direct", 11),
    ]


def test_a_child_whose_parent_is_elsewhere_keeps_what_is_written() -> None:
    versions = [version for _, version, _, _ in needs([read("c/pom.xml", CHILD)])]
    assert versions == [None, None, "${junit.version}-x", None]


def test_parents_that_go_round_in_a_circle_do_no_harm() -> None:
    text = """\
        <project><parent><groupId>g</groupId><artifactId>a</artifactId></parent>
        <groupId>g</groupId><artifactId>a</artifactId>
        <dependencies><dependency><groupId>x</groupId><artifactId>y</artifactId></dependency>
        </dependencies></project>
        """
    assert needs([read("pom.xml", text)]) == [("x:y", None, "direct", 3)]


def test_cargo_has_the_real_names_of_crates_and_the_lines_of_tables() -> None:
    manifest = read(
        "Cargo.toml",
        """\
        [dependencies]
        memmap = { package = "memmap2", version = "0.9" }

        [dependencies.regex-syntax]
        version = "0.8"

        [target.'cfg(unix)'.dependencies.libc]
        version = "0.2"
        """,
    )
    assert needs([manifest]) == [
        ("memmap2", "0.9", "direct", 2),
        ("regex-syntax", "0.8", "direct", 4),
        ("libc", "0.2", "direct", 7),
    ]


def test_crates_take_versions_from_their_workspace() -> None:
    space = '[workspace]\nmembers = ["a"]\n\n[workspace.dependencies]\nserde = "1.2"\n'
    member = '[package]\nname = "a"\n\n[dependencies]\nserde.workspace = true\n'
    found = needs([read("Cargo.toml", space), read("a/Cargo.toml", member)])
    assert found == [("serde", "1.2", "direct", 5), ("serde", "1.2", "direct", 5)]


def test_gradle_builds_name_what_they_need_directly_or_by_the_catalogue() -> None:
    catalogue = """\
        [versions]
        junit = "6.0"

        [libraries]
        junit-api = { module = "org.junit:junit-api", version.ref = "junit" }
        okio = "com.squareup:okio:3.1"
        bare = { group = "g", name = "bare" }
        """
    build = """\
        plugins {
          id("com.diffplug.spotless") version "8.8"
        }
        dependencies {
          api(projects.core)
          implementation(libs.okio)
          testImplementation(libs.junit.api)
          implementation 'g:old:1.0'
          compileOnly("g:tool:2")
          // implementation("g:gone:3")
          runtimeOnly(libs.bare)
          implementation(libs.unknown)
        }
        application {
          mainClass.set("org.example.RunKt")
        }
        """
    manifests = [read("gradle/libs.versions.toml", catalogue), read("app/build.gradle.kts", build)]
    assert needs(manifests) == [
        ("com.diffplug.spotless", "8.8", "build", 2),
        ("com.squareup:okio", "3.1", "direct", 6),
        ("org.junit:junit-api", "6.0", "dev", 7),
        ("g:old", "1.0", "direct", 8),
        ("g:tool", "2", "build", 9),
        ("g:bare", None, "direct", 11),
        ("libs.unknown", None, "direct", 12),
    ]
    assert manifests[1].name == "app"
    assert [(it.name, it.runs, it.line) for it in manifests[1].commands] == [
        ("RunKt", "org.example.RunKt", 15)
    ]


def test_gradle_settings_name_projects() -> None:
    manifest = read(
        "settings.gradle.kts",
        """\
        includeBuild("build-logic")
        rootProject.name = "parent"
        include(":app", ":libs:core")
        include(
          ":tools",
        )
        """,
    )
    assert (manifest.name, manifest.members) == ("parent", ("app", "libs/core", "tools"))


def test_next_to_a_gemspec_a_gemfile_is_for_development() -> None:
    manifest = read("Gemfile", 'source "x"\ngemspec name: "a"\ngem "rake"\n')
    assert needs([manifest]) == [("rake", None, "dev", 3)]


def test_a_gemspec_names_the_programs_of_a_gem() -> None:
    manifest = read(
        "a.gemspec",
        """\
        Gem::Specification.new do |s|
          s.name = "a"
          s.executables = ["a", 'b']
          s.executables << "c"
          s.bindir = "exe"
        end
        """,
    )
    assert [(it.name, it.runs, it.line) for it in manifest.commands] == [
        ("a", "exe/a", 3),
        ("b", "exe/b", 3),
        ("c", "exe/c", 4),
    ]
    computed = read("a.gemspec", "s.executables = Dir['exe/*'].map { |f| File.basename(f) }\n")
    assert computed.commands == ()


def test_a_node_package_declares_its_main_module() -> None:
    def main(text: str) -> list[tuple[str, str, int]]:
        commands = read("package.json", text).commands
        return [(it.name, it.runs, it.line) for it in commands if it.kind == "library"]

    assert main('{"name": "a",\n "main": "lib/a.js"}') == [("a", "lib/a.js", 2)]
    conditions = '{"name": "a", "exports": {".": {"types": "t", "import": {"default": "a.mjs"}}}}'
    assert main(conditions) == [("a", "a.mjs", 1)]
    assert main('{"name": "a", "exports": "./x.js", "main": "y.js"}') == [("a", "./x.js", 1)]
    assert main('{"name": "a"}') == []


def test_a_go_mod_with_only_a_module_is_whole() -> None:
    assert read("go.mod", "module example.org/m\n").name == "example.org/m"
