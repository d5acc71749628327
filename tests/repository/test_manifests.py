from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.repository.manifests import (
    DamagedManifest,
    PackageManifest,
    is_manifest,
    read_manifest,
)

NAMES = """
    CMakeLists.txt Cargo.toml Directory.Packages.props Gemfile Package.swift Pipfile
    a.csproj a.gemspec build.gradle build.gradle.kts build.sbt composer.json conanfile.txt
    go.mod libs.versions.toml package.json packages.config pom.xml pyproject.toml
    requirements.txt settings.gradle setup.cfg setup.py vcpkg.json
""".split()  # noqa: SIM905 - a table


def read(path: str, text: str) -> PackageManifest:
    manifest = read_manifest(path, dedent(text).encode())
    assert isinstance(manifest, PackageManifest), manifest
    return manifest


def needs(manifest: PackageManifest) -> list[tuple[str, str | None, str, int]]:
    return [(it.name, it.version, it.kind, it.line) for it in manifest.dependencies]


def test_pyproject_has_dependencies_extras_groups_and_build_requirements() -> None:
    manifest = read(
        "lib/pyproject.toml",
        """\
        [build-system]
        requires = ["hatchling>=1.27"]

        [project]
        name = "flask-thing"
        dependencies = ["flask", "celery[redis] >= 5 ; python_version > '3'"]

        [project.optional-dependencies]
        dev = ["flask-debug"]
        speed = ["orjson @ https://example.org/orjson.whl"]

        [dependency-groups]
        lint = ["ruff", {include-group = "types"}]
        types = ["mypy==2.0"]

        [project.scripts]
        thing = "thing:main"
        """,
    )
    assert needs(manifest) == [
        ("flask", None, "direct", 6),
        ("celery", ">= 5", "direct", 6),
        ("flask-debug", None, "dev", 9),
        ("orjson", "https://example.org/orjson.whl", "optional", 10),
        ("ruff", None, "dev", 13),
        ("mypy", "==2.0", "dev", 14),
        ("hatchling", ">=1.27", "build", 2),
    ]
    assert [(it.name, it.runs, it.line) for it in manifest.commands] == [
        ("thing", "thing:main", 17)
    ]
    assert manifest.folder == "lib/"


def test_pyproject_of_poetry_has_groups_and_optional_dependencies() -> None:
    manifest = read(
        "pyproject.toml",
        """\
        [tool.poetry]
        name = "old"
        [tool.poetry.dependencies]
        python = "^3.11"
        httpx = "^0.27"
        rich = {version = "^14", optional = true}
        [tool.poetry.group.test.dependencies]
        pytest = "^9"
        """,
    )
    assert needs(manifest) == [
        ("httpx", "^0.27", "direct", 5),
        ("rich", "^14", "optional", 6),
        ("pytest", "^9", "dev", 8),
    ]


def test_requirements_leave_out_options_and_follow_continuations() -> None:
    manifest = read(
        "requirements/dev.txt",
        """\
        # what we test with
        -r base.txt
        pytest==9.0 \\
            --hash=sha256:abc
        ruff  # the linter
        -e git+https://example.org/x.git#egg=own
        ./local
        """,
    )
    assert needs(manifest) == [
        ("pytest", "==9.0", "dev", 3),
        ("ruff", None, "dev", 5),
        ("own", "git+https://example.org/x.git#egg=own", "dev", 6),
    ]


def test_package_json_has_four_kinds_scripts_programs_and_workspaces() -> None:
    manifest = read(
        "package.json",
        """\
        {
          "name": "@a/b",
          "bin": "cli.js",
          "workspaces": {"packages": ["packages/*"]},
          "scripts": {"test": "vitest"},
          "dependencies": {"vite": "^8"},
          "devDependencies": {
            "vite": "^7",
            "vite-plugin": "1"
          },
          "peerDependencies": {"sass": "*"},
          "optionalDependencies": {"fsevents": "2"}
        }
        """,
    )
    assert needs(manifest) == [
        ("vite", "^8", "direct", 6),
        ("vite", "^7", "dev", 8),
        ("vite-plugin", "1", "dev", 9),
        ("sass", "*", "peer", 11),
        ("fsevents", "2", "optional", 12),
    ]
    assert [(it.name, it.kind) for it in manifest.commands] == [
        ("test", "script"),
        ("b", "executable"),
    ]
    assert manifest.members == ("packages/*",)


def test_cargo_has_dependencies_of_targets_and_of_the_workspace() -> None:
    manifest = read(
        "Cargo.toml",
        """\
        [package]
        name = "x"
        version.workspace = true

        [dependencies]
        regex-syntax = "0.8"
        regex = { version = "1", optional = true }
        own = { path = "own" }
        shared.workspace = true

        [build-dependencies]
        cc = "1"

        [target.'cfg(unix)'.dev-dependencies]
        nix = "0.3"

        [workspace]
        members = ["crates/*"]
        exclude = ["crates/old"]

        [workspace.package]
        version = "3.0.0"

        [workspace.dependencies]
        shared = "2"
        """,
    )
    assert needs(manifest) == [
        ("regex-syntax", "0.8", "direct", 6),
        ("regex", "1", "optional", 7),
        ("own", "own", "direct", 8),
        ("shared", "workspace", "direct", 9),
        ("cc", "1", "build", 12),
        ("nix", "0.3", "dev", 15),
        ("shared", "2", "direct", 25),
    ]
    assert manifest.version == "3.0.0"
    assert manifest.members == ("crates/*", "!crates/old")


def test_go_mod_distinguishes_direct_and_indirect() -> None:
    manifest = read(
        "go.mod",
        """\
        module example.org/mill // the mill

        go 1.25

        require github.com/a/b v1.2.3

        require (
        \tgithub.com/c/d v0.0.0-2026 // indirect
        \tgithub.com/e/f/v2 v2.0.0
        )

        replace github.com/a/b => ../b
        """,
    )
    assert manifest.name == "example.org/mill"
    assert needs(manifest) == [
        ("github.com/a/b", "v1.2.3", "direct", 5),
        ("github.com/c/d", "v0.0.0-2026", "indirect", 8),
        ("github.com/e/f/v2", "v2.0.0", "direct", 9),
    ]


def test_pom_fills_in_properties_and_knows_scopes() -> None:
    manifest = read(
        "pom.xml",
        """\
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <parent><groupId>org.mill</groupId><artifactId>p</artifactId><version>7</version></parent>
          <artifactId>stone</artifactId>
          <licenses><license><name>Apache-2.0</name></license></licenses>
          <modules><module>core</module></modules>
          <properties><guava.version>33.0</guava.version></properties>
          <dependencyManagement><dependencies><dependency>
            <groupId>managed</groupId><artifactId>only</artifactId>
          </dependency></dependencies></dependencyManagement>
          <dependencies>
            <dependency>
              <groupId>com.google.guava</groupId><artifactId>guava</artifactId>
              <version>${guava.version}</version>
            </dependency>
            <dependency>
              <groupId>${project.groupId}</groupId><artifactId>own</artifactId>
              <version>${unknown}</version><scope>test</scope>
            </dependency>
          </dependencies>
        </project>
        """,
    )
    assert (manifest.name, manifest.version) == ("org.mill:stone", "7")
    assert (manifest.licence, manifest.members) == ("Apache-2.0", ("core",))
    assert needs(manifest) == [
        ("com.google.guava:guava", "33.0", "direct", 11),
        ("org.mill:own", "${unknown}", "dev", 15),
    ]


def test_a_pom_that_declares_entities_is_refused() -> None:
    bomb = (
        '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
        '<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<project>&b;&x;</project>'
    )
    manifest = read_manifest("pom.xml", bomb.encode())
    assert manifest == DamagedManifest(
        path="pom.xml", line=1, reason="declares an entity, which is not read"
    )


def test_composer_has_requirements_scripts_and_programs() -> None:
    manifest = read(
        "composer.json",
        """\
        {
          "name": "mill/stone",
          "license": ["MIT", "GPL-3.0"],
          "require": {"php": "^8.2"},
          "require-dev": {"phpunit/phpunit": "^12"},
          "bin": ["bin/stone"],
          "scripts": {"test": ["@lint", "phpunit"]}
        }
        """,
    )
    assert needs(manifest) == [
        ("php", "^8.2", "direct", 4),
        ("phpunit/phpunit", "^12", "dev", 5),
    ]
    assert manifest.licence == "MIT OR GPL-3.0"
    found = {it.name: it.runs for it in manifest.commands}
    assert found == {"test": "@lint && phpunit", "stone": "bin/stone"}


def test_a_gemfile_knows_groups_blocks_and_inline() -> None:
    manifest = read(
        "Gemfile",
        """\
        source "https://rubygems.org"
        ruby "3.4"
        gem "rake", "~> 13.0" # build
        group :development, :test do
          gem "pry", ">= 0.14", "< 1"
          if RUBY_ENGINE == "jruby"
            gem 'launchy'
          end
          gem "cucumber"
        end
        gem "rails", require: false
        gem "mocha", group: :test
        # gem "gone"
        """,
    )
    assert needs(manifest) == [
        ("rake", "~> 13.0", "direct", 3),
        ("pry", ">= 0.14, < 1", "dev", 5),
        ("launchy", None, "dev", 7),
        ("cucumber", None, "dev", 9),
        ("rails", None, "direct", 11),
        ("mocha", None, "dev", 12),
    ]


def test_a_gemspec_distinguishes_runtime_and_development() -> None:
    manifest = read(
        "mill.gemspec",
        """\
        Gem::Specification.new do |s|
          s.name = "mill"
          s.license = "MIT"
          s.add_dependency("addressable", "~> 2.4")
          s.add_runtime_dependency "csv"
          s.add_development_dependency 'rspec', '~> 3'
        end
        """,
    )
    assert (manifest.name, manifest.licence) == ("mill", "MIT")
    assert needs(manifest) == [
        ("addressable", "~> 2.4", "direct", 4),
        ("csv", None, "direct", 5),
        ("rspec", "~> 3", "dev", 6),
    ]


def test_cmake_finds_fetches_and_builds() -> None:
    manifest = read(
        "CMakeLists.txt",
        """\
        cmake_minimum_required(VERSION 3.20)
        project(mill VERSION 1.23.0 LANGUAGES CXX)
        # find_package(Gone)
        #[[ find_package(AlsoGone) ]]
        find_package(Threads REQUIRED)
        find_package(Boost 1.80 COMPONENTS system)
        FetchContent_Declare(googletest
          GIT_REPOSITORY https://example.org/googletest.git
          GIT_TAG v1.17.0)
        pkg_check_modules(GLIB REQUIRED glib-2.0>=2.40 zlib)
        add_executable(mill src/main.cpp)
        add_executable(${NAME} x.cpp)
        find_package(${PACKAGE})
        """,
    )
    assert (manifest.name, manifest.version) == ("mill", "1.23.0")
    assert needs(manifest) == [
        ("Threads", None, "direct", 5),
        ("Boost", "1.80", "direct", 6),
        ("googletest", "v1.17.0", "direct", 7),
        ("glib-2.0", "2.40", "direct", 10),
        ("zlib", None, "direct", 10),
    ]
    assert [(it.name, it.runs) for it in manifest.commands] == [("mill", "src/main.cpp")]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("package.json", '{\n  "name": }', 2),
        ("package.json", "[]", 1),
        ("composer.json", "", 1),
        ("pyproject.toml", "[project]\nname = \n", 2),
        ("Cargo.toml", "[package\n", 1),
        ("go.mod", "module x\n<<<<<<< HEAD\n", 2),
        ("pom.xml", "<project>\n<a></b></project>", 2),
    ],
)
def test_a_damaged_manifest_is_reported_with_its_line(path: str, text: str, line: int) -> None:
    manifest = read_manifest(path, text.encode())
    assert isinstance(manifest, DamagedManifest)
    assert manifest.line == line
    assert manifest.reason


def test_a_manifest_that_is_no_utf8_is_reported() -> None:
    manifest = read_manifest("package.json", b'{\n "name": "\xff"}')
    assert manifest == DamagedManifest(path="package.json", line=2, reason="not UTF-8")


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text() | st.text(alphabet="[]{}<>()\"'=:,\n abgroupdoend$/#!-."))
def test_no_text_makes_a_reader_fail(name: str, text: str) -> None:
    assert is_manifest(name)
    read_manifest(name, text.encode("utf-8", "surrogatepass"))
