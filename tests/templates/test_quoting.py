"""Every literal is read back by a real parser of its language as the original text."""

import ast
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchpin.templates import _quoting as quoting
from template_kit import HOSTILE, any_text, one_line, program, run

lines = st.lists(one_line, min_size=20, max_size=60).map(lambda it: [*HOSTILE, *it])
few = settings(max_examples=3, suppress_health_check=list(HealthCheck))


@given(any_text)
def test_json_reads_back(text: str) -> None:
    assert json.loads(quoting.json_literal(text)) == text


@given(any_text)
def test_toml_reads_back(text: str) -> None:
    assert tomllib.loads(f"x = {quoting.toml_literal(text)}") == {"x": text}


@given(any_text)
def test_yaml_reads_back(text: str) -> None:
    document = f"- {quoting.toml_literal(text)}\n- x: {quoting.toml_literal(text)}  # end\n"
    assert yaml.safe_load(document) == [text, {"x": text}]


@given(any_text)
def test_python_reads_back(text: str) -> None:
    assert ast.literal_eval(quoting.python_literal(text)) == text


@given(one_line)
def test_a_docstring_stays_one(text: str) -> None:
    module = ast.parse(f"{quoting.docstring(text)}\nx = 1\n")
    assert len(module.body) == 2
    seen = ast.get_docstring(module, clean=False) or ""
    assert seen == "".join(char if char.isprintable() else " " for char in text)


@given(one_line)
def test_xml_reads_back_as_text_attribute_and_beside_comments(text: str) -> None:
    quoted = quoting.xml_text(text)
    root = ET.fromstring(f'<a b="{quoted}"><!-- {quoted} --><c>{quoted}</c></a>')  # noqa: S314 - ours
    assert root.get("b") == text.replace("\t", " ")
    assert [child.text or "" for child in root] == [text]


@given(one_line)
def test_an_expression_in_a_workflow_stays_text(text: str) -> None:
    seen = yaml.safe_load(quoting.workflow_literal(text))
    assert seen.replace("${{ '${{' }}", "") == text.replace("${{", "")
    assert "${{" not in seen.replace("${{ '${{' }}", "")


def written(texts: list[str], literal: Callable[[str], str], form: str) -> str:
    return "".join(form.replace("@", literal(text)) for text in texts)


@pytest.mark.slow
@few
@given(lines)
def test_a_shell_reads_back(tmp_path: Path, texts: list[str]) -> None:
    script = written(texts, quoting.shell_literal, "printf '%s\\n' @ # @\n")
    run("bash", "-n", folder=tmp_path, text=script)
    assert run("bash", folder=tmp_path, text=script) == "\n".join((*texts, ""))


@pytest.mark.slow
@few
@given(lines)
def test_make_reads_back(tmp_path: Path, texts: list[str]) -> None:
    recipe = "".join(f"\t@printf '%s\\n' {quoting.make_literal(text)}\n" for text in texts)
    (tmp_path / "Makefile").write_text(f"all:\n{recipe}", encoding="utf-8")
    run(program("make"), "-n", folder=tmp_path)
    assert run(program("make"), folder=tmp_path) == "\n".join((*texts, ""))


@pytest.mark.slow
@few
@given(lines)
def test_javascript_reads_back(tmp_path: Path, texts: list[str]) -> None:
    source = written(texts, quoting.javascript_literal, "console.log(@); /* @ */ // @\n")
    (tmp_path / "x.mjs").write_text(source, encoding="utf-8")
    assert run(program("node"), "x.mjs", folder=tmp_path) == "\n".join((*texts, ""))


@pytest.mark.slow
@few
@given(lines)
def test_php_reads_back(tmp_path: Path, texts: list[str]) -> None:
    source = written(texts, quoting.php_literal, 'echo @, "\\n"; /* @ */ // @\n')
    (tmp_path / "x.php").write_text(f"<?php\n{source}", encoding="utf-8")
    assert run(program("php"), "x.php", folder=tmp_path) == "\n".join((*texts, ""))


@pytest.mark.slow
@few
@given(lines)
def test_cmake_reads_back(tmp_path: Path, texts: list[str]) -> None:
    file = tmp_path / "x.cmake"
    body = written(texts, quoting.docker_literal, 'file(APPEND out @ "\\n") # @\n')
    file.write_text(f"file(WRITE out)\n{body}", encoding="utf-8")
    run(program("cmake"), "-P", file, folder=tmp_path)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "\n".join((*texts, ""))


@pytest.mark.slow
@settings(few, max_examples=1)
@given(lines)
def test_c_reads_back(tmp_path: Path, texts: list[str]) -> None:
    body = written(texts, quoting.c_literal, "puts(@); /* @ */ // @\n")
    source = f"#include <stdio.h>\nint main(void) {{\n{body}return 0; }}\n"
    (tmp_path / "x.c").write_text(source, encoding="utf-8")
    run(program("gcc"), "-std=c17", "-trigraphs", "-o", "x", "x.c", folder=tmp_path)
    assert run(tmp_path / "x", folder=tmp_path) == "\n".join((*texts, ""))


@pytest.mark.slow
@settings(few, max_examples=1)
@given(lines)
def test_rust_reads_back(tmp_path: Path, texts: list[str]) -> None:
    body = written(texts, quoting.rust_literal, 'println!("{}", @); /* @ */ // @\n')
    (tmp_path / "x.rs").write_text(f"fn main() {{\n{body}}}\n", encoding="utf-8")
    run(program("rustc"), "--edition=2021", "x.rs", folder=tmp_path)
    assert run(tmp_path / "x", folder=tmp_path) == "\n".join((*texts, ""))


@pytest.mark.slow
@settings(few, max_examples=1)
@given(lines)
def test_java_reads_back(tmp_path: Path, texts: list[str]) -> None:
    body = written(texts, quoting.java_literal, 'out.print(@ + "\\n"); /* @ */ // @\n')
    source = (
        "class X { public static void main(String[] args) throws Exception {\n"
        'var out = new java.io.PrintStream(System.out, true, "UTF-8");\n'
        f"{body}}} }}\n"
    )
    (tmp_path / "X.java").write_text(source, encoding="utf-8")
    run(program("javac"), "-encoding", "UTF-8", "X.java", folder=tmp_path)
    assert run(program("java"), "-cp", ".", "X", folder=tmp_path) == "\n".join((*texts, ""))


@given(one_line)
def test_markdown_shows_the_text(text: str) -> None:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - rich brings it

    shown = " ".join(text.split())
    tokens = MarkdownIt().parse(quoting.markdown_text(shown))
    inline = [token for token in tokens if token.type == "inline"]
    assert [token.type for token in tokens if token.type != "inline"] == (
        ["paragraph_open", "paragraph_close"] if shown else []
    )
    seen = "".join(it.content for token in inline for it in token.children or ())
    assert seen == shown


@pytest.mark.parametrize("name", sorted(quoting.LITERALS))
@given(one_line)
def test_a_comment_stays_one_line_and_does_not_end(name: str, text: str) -> None:
    line = quoting.comment(text, name)
    assert line == " ".join(line.splitlines())
    if name in {"c", "go", "java", "javascript", "php", "rust"}:
        assert "*/" not in line
    if name == "rust":
        assert "/*" not in line
    if name == "php":
        assert "?>" not in line
    if name in {"c", "make", "dockerfile", "java"}:
        assert "\\" not in line
    if name == "xml":
        ET.fromstring(f"<a><!-- {line} --></a>")  # noqa: S314 - ours


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".github/workflows/ci.yml", "workflow"),
        ("a/b/x.yml", "yaml"),
        ("Makefile", "make"),
        ("rules.mk", "make"),
        ("x/Dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("src/main.rs", "rust"),
        ("a.b.json", "json"),
    ],
)
def test_the_path_determines_the_format(path: str, expected: str) -> None:
    assert quoting.format_of(path) == expected
