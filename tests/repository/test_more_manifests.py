"""Manifests of setuptools, .NET, Swift, Scala, C++ and Pipenv, and catalogues in Groovy."""

from textwrap import dedent

import pytest

from benchpin.repository.manifests import DamagedManifest, PackageManifest, complete, read_manifest


def read(path: str, text: str) -> PackageManifest:
    manifest = read_manifest(path, dedent(text).encode())
    assert isinstance(manifest, PackageManifest), manifest
    return manifest


def needs(*manifests: PackageManifest) -> list[tuple[str, str | None, str, int]]:
    return [
        (it.name, it.version, it.kind, it.line)
        for manifest in complete(manifests)
        for it in manifest.dependencies
    ]


SETUP_CFG = """\
[metadata]
name = thing
version = attr: thing.__version__
license = MIT

[options]
install_requires =
    requests[socks] >=2.22
    rich; python_version<"3.8"

[options.extras_require]
test =
    pytest
speed =
    orjson==3

[options.entry_points]
console_scripts =
    thing = thing.main:run
"""


def test_setup_cfg_has_requirements_extras_and_programs() -> None:
    manifest = read("setup.cfg", SETUP_CFG)
    assert needs(manifest) == [
        ("requests", ">=2.22", "direct", 8),
        ("rich", None, "direct", 9),
        ("pytest", None, "dev", 13),
        ("orjson", "==3", "optional", 15),
    ]
    assert (manifest.name, manifest.version, manifest.licence) == ("thing", None, "MIT")
    assert [(it.name, it.runs, it.line) for it in manifest.commands] == [
        ("thing", "thing.main:run", 19)
    ]


def test_a_setup_cfg_with_settings_of_other_tools_declares_nothing() -> None:
    assert needs(read("setup.cfg", "[flake8]\nignore = E501\n")) == []


def test_setup_py_is_read_where_it_is_written_out() -> None:
    manifest = read(
        "setup.py",
        """\
        from setuptools import setup
        NEEDED = ["requests>=2"]
        setup(
            name="thing",
            version="1.0",
            install_requires=NEEDED + [
                "rich",
            ],
            extras_require={"dev": ["pytest"], "s3": ["boto3"]},
        )
        """,
    )
    assert needs(manifest) == [
        ("requests", ">=2", "direct", 2),
        ("rich", None, "direct", 7),
        ("pytest", None, "dev", 9),
        ("boto3", None, "optional", 9),
    ]
    assert (manifest.name, manifest.version) == ("thing", "1.0")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("setup(\n  install_requires=open('r.txt').read().split())\n", 2, "computed"),
        ("def setup(:\n", 1, "not Python"),
    ],
)
def test_what_a_setup_py_computes_is_said_not_guessed(text: str, line: int, reason: str) -> None:
    found = read_manifest("setup.py", text.encode())
    assert isinstance(found, DamagedManifest)
    assert found.line == line
    assert reason in found.reason


def test_projects_of_dotnet_take_central_versions() -> None:
    central = """\
        <Project>
          <ItemGroup>
            <PackageVersion Include="Serilog" Version="4.0" />
          </ItemGroup>
        </Project>
        """
    project = """\
        <Project Sdk="Microsoft.NET.Sdk">
          <PropertyGroup><PackageId>Thing.Core</PackageId><Version>2.1</Version></PropertyGroup>
          <ItemGroup>
            <PackageReference Include="Serilog" />
            <PackageReference Include="Dapper"><Version>2.0</Version></PackageReference>
            <PackageReference Include="StyleCop" Version="1.1" PrivateAssets="all" />
          </ItemGroup>
        </Project>
        """
    manifests = [read("Directory.Packages.props", central), read("src/Thing.csproj", project)]
    assert needs(*manifests) == [
        ("Serilog", "4.0", "direct", 4),
        ("Dapper", "2.0", "direct", 5),
        ("StyleCop", "1.1", "build", 6),
    ]
    assert (manifests[1].name, manifests[1].version) == ("Thing.Core", "2.1")
    old = read("packages.config", '<packages>\n  <package id="NUnit" version="3" />\n</packages>\n')
    assert needs(old) == [("NUnit", "3", "direct", 2)]


def test_a_project_of_dotnet_that_declares_entities_is_refused() -> None:
    text = '<!DOCTYPE a [<!ENTITY b "c">]><Project>&b;</Project>'
    assert isinstance(read_manifest("a.csproj", text.encode()), DamagedManifest)


def test_a_package_of_swift_needs_packages_by_address() -> None:
    manifest = read(
        "Package.swift",
        """\
        // swift-tools-version:5.9
        let package = Package(
            name: "Thing",
            dependencies: [
                .package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),
                .package(
                    url: "https://github.com/vapor/fluent",
                    .upToNextMajor(from: "4.0.0")
                ),
                .package(path: "../Own"),
            ])
        """,
    )
    assert needs(manifest) == [
        ("swift-nio", "2.0.0", "direct", 5),
        ("fluent", "4.0.0", "direct", 6),
    ]
    assert manifest.name == "Thing"


def test_a_build_of_sbt_has_libraries_tests_and_plugins() -> None:
    manifest = read(
        "build.sbt",
        """\
        name := "thing"
        val akkaVersion = "2.8"
        libraryDependencies ++= Seq(
          "com.typesafe.akka" %% "akka-actor" % akkaVersion,
          "org.scalatest" %% "scalatest" % "3.2" % Test,
          // "gone" % "gone" % "1",
        )
        addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.5")
        """,
    )
    assert needs(manifest) == [
        ("com.typesafe.akka:akka-actor", "2.8", "direct", 4),
        ("org.scalatest:scalatest", "3.2", "dev", 5),
        ("org.scalameta:sbt-scalafmt", "2.5", "build", 8),
    ]


def test_package_managers_of_cpp_are_read() -> None:
    vcpkg = '{"name": "thing",\n "dependencies": ["fmt",\n  {"name": "zlib", "version>=": "1.3"}]}'
    assert needs(read("vcpkg.json", vcpkg)) == [
        ("fmt", None, "direct", 2),
        ("zlib", "1.3", "direct", 3),
    ]
    conan = "[requires]\nfmt/10.2\n[build_requires]\ncmake/3.28\n[generators]\na/b\n"
    assert needs(read("conanfile.txt", conan)) == [
        ("fmt", "10.2", "direct", 2),
        ("cmake", "3.28", "build", 4),
    ]


def test_a_pipfile_distinguishes_development() -> None:
    text = '[packages]\nrequests = "*"\n[dev-packages]\npytest = {version = ">=8"}\n'
    assert needs(read("Pipfile", text)) == [
        ("requests", "*", "direct", 2),
        ("pytest", ">=8", "dev", 4),
    ]


def test_builds_in_groovy_use_the_catalogue_and_its_bundles() -> None:
    catalogue = """\
        [versions]
        okio = "3.1"
        [libraries]
        okio = { module = "com.squareup:okio", version.ref = "okio" }
        junit-api = "org.junit:junit-api:6.0"
        [bundles]
        tests = ["okio", "junit-api"]
        """
    build = """\
        dependencies {
          api libs.okio
          testImplementation libs.bundles.tests
          implementation libs.versions.okio.get()
        }
        """
    manifests = [read("gradle/libs.versions.toml", catalogue), read("app/build.gradle", build)]
    assert needs(*manifests) == [
        ("com.squareup:okio", "3.1", "direct", 2),
        ("com.squareup:okio", "3.1", "dev", 3),
        ("org.junit:junit-api", "6.0", "dev", 3),
    ]
