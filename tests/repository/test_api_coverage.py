"""Which public symbols need a doc comment of their own."""

from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.repository.documents import measure_api
from repository_kit import write_files

RUST = """\
pub trait Flag {
    /// Told here.
    fn name(&self) -> u8 { 0 }
    fn untold(&self) -> u8 { 0 }
}

pub struct A;

impl Flag for A {
    fn name(&self) -> u8 { 1 }
}

impl A {
    pub fn own(&self) {}
}
"""
JAVA = """\
/** A. */
public class A extends B {
  @Override
  public String toString() { return ""; }

  public void own() {}
}
"""
KOTLIN = "/** A. */\nclass A : B() {\n  override fun told() {}\n  fun own() {}\n}\n"
CSHARP = "/// <summary>A.</summary>\npublic class A : B\n{\n  public override void Told() {}\n"
CSHARP += "  public void Own() {}\n}\n"


@pytest.mark.parametrize(
    ("name", "code", "public", "documented"),
    [
        ("a.rs", RUST, 5, 1),
        ("A.java", JAVA, 2, 1),
        ("A.kt", KOTLIN, 2, 1),
        ("A.cs", CSHARP, 2, 1),
        (
            "B.cs",
            "internal class B\n{\n  public class C\n  {\n    public void F() {}\n  }\n}\n",
            0,
            0,
        ),
        ("Lib.Tests/A.cs", CSHARP, 0, 0),
    ],
)
def test_what_counts_as_public_and_documented(
    tmp_path: Path, name: str, code: str, public: int, documented: int
) -> None:
    write_files(tmp_path / "w", {name: code})
    index = SourceIndex(tmp_path / "w", tmp_path / "cache")
    files = index.read(SourceQuery(workers=1), Job()).files
    index.close()
    found = measure_api(files, "")
    assert (found.public_symbols, found.documented) == (public, documented)
