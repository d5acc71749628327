import pytest

from benchpin.facts import SourceComment
from benchpin.facts.languages import _detect as detect
from benchpin.facts.languages import _registry as languages
from benchpin.facts.languages import detect_language, is_candidate, is_in_doubt
from benchpin.facts.parsing import extract
from benchpin.facts.parsing._generated import is_generated
from benchpin.workspace.walking import is_foreign_path
from waiting import cpu_limit


@pytest.fixture
def cpp_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(sorted({*languages.NAMES, "cpp"}))
    monkeypatch.setattr(languages, "NAMES", names)


def language_of(path: str, head: bytes = b"") -> str | None:
    return detect_language(path, lambda: head)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("deep/er/a.pyi", "python"),
        ("A.PY", "python"),
        ("a.js", "javascript"),
        ("a.mjs", "javascript"),
        ("a.ts", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.kt", "kotlin"),
        ("build.gradle.kts", "kotlin"),
        ("a.c", "c"),
        ("SConstruct", "python"),
        ("x/Jakefile", "javascript"),
        ("a.txt", None),
        ("py", None),
        (".py", None),
        ("a.", None),
        ("a.py.orig", None),
        ("LICENSE", None),
    ],
)
def test_the_name_gives_the_language(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        (b"#!/usr/bin/python", "python"),
        (b"#!/usr/bin/python3", "python"),
        (b"#!/usr/local/bin/python3.11 -u", "python"),
        (b"#! /usr/bin/env python3", "python"),
        (b"#!/usr/bin/env -S python3 -u", "python"),
        (b"#!/usr/bin/env -S -i PATH=/bin X=1 python3", "python"),
        (b"#!/usr/bin/env PYTHONPATH=. python", "python"),
        (b"#!/usr/bin/env pypy3", "python"),
        (b"#!/opt/node-20/bin/node --harmony", "javascript"),
        (b"#!/usr/bin/env -S deno run --allow-read", "javascript"),
        (b"#!/usr/bin/env ts-node", "typescript"),
        (b"#!python", "python"),
        (b"#!/usr/bin/pythonic", None),
        (b"#!/usr/bin/env", None),
        (b"#!", None),
        (b"# !/usr/bin/python", None),
        (b" #!/usr/bin/python", None),
        (b"", None),
        (b"\xff\xfe#!", None),
    ],
)
def test_the_first_line_gives_the_language_of_a_file_without_an_ending(
    line: bytes, language: str | None
) -> None:
    assert language_of("bin/tool", line + b"\nimport x\n") == language


C = (
    b"#include <stdio.h>\nint f(void);\n",
    b"",
    (
        b'#ifdef __cplusplus\nextern "C" {\n#endif\nvoid f(int class);\n'
        b"#ifdef __cplusplus\n}\n#endif\n"
    ),
    b"/* a class of its own: std::string, template <T> */\nint f(void);\n",
    b"// public: virtual functions, using namespace std;\nint f(void);\n",
    b'#define TEXT "std::string"\n',
    b"#if defined(__cplusplus)\n# include <cstring>\n#else\n# include <string.h>\n#endif\n",
    b"#error the namespace of virtual addresses is full\n",
    b"enum color { RED };\nstruct class_ { int private; };\n",
    b"/* unfinished std::string",
)
CPP = (
    b"#include <vector>\n",
    b"namespace a {\nint f();\n}\n",
    b"inline namespace v1 {}\n",
    b"class Table {\n public:\n  Table();\n};\n",
    b"template <typename T> T f(T);\n",
    b"std::string f();\n",
    b"struct A {\n  virtual ~A();\n};\n",
    b"enum class color : int { red };\n",
    b"using text = char*;\n",
    b"constexpr int n = 1;\n",
    b"class Q : public O {\n public slots:\n  void f();\n};\n",
    b"bool operator==(A, A);\n",
    b'extern "C" {\nint f();\n}\n',
)
OBJECTIVE_C = (
    b"#import <Foundation/Foundation.h>\n",
    b"@interface A : NSObject\n@end\n",
    b"@class A;\n",
)


@pytest.mark.usefixtures("cpp_is_known")
@pytest.mark.parametrize(
    ("language", "head"),
    [*(("c", it) for it in C), *(("cpp", it) for it in CPP), *((None, it) for it in OBJECTIVE_C)],
)
def test_a_header_is_in_the_language_that_it_speaks(language: str | None, head: bytes) -> None:
    assert language_of("a.h", head) == language


def test_no_language_is_named_that_has_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "NAMES", tuple(set(languages.NAMES) - {"cpp"}))
    assert language_of("a.h", b"namespace a {}\n") is None
    assert {language_of("a.h", head) for head in C} == {"c"}


def test_a_translation_of_qt_is_no_typescript() -> None:
    assert language_of("de.ts", b'<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS></TS>') is None
    assert language_of("de.ts", b"\n<!DOCTYPE TS>\n") is None
    assert language_of("a.ts", b"<T>(x: T) => x\n") == "typescript"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        *(("a.py", True), ("a.h", True), ("a.H", True), ("tool", True), ("SConstruct", True)),
        *(("a.txt", False), (".bashrc-of-nobody", False), (".py", False), ("a.", False)),
    ],
)
def test_what_can_be_in_no_language_is_known_by_its_name(name: str, *, is_one: bool) -> None:
    assert is_candidate(name) is is_one


@pytest.mark.parametrize("path", ["a.py", "x.y/tool", "tool", "x/a.h", "a.TS", "a.tsx", "a.c"])
def test_the_content_is_asked_for_only_in_doubt(path: str) -> None:
    asked: list[str] = []

    def head() -> bytes:
        asked.append(path)
        return b"#!/usr/bin/python"

    detect_language(path, head)
    assert bool(asked) is is_in_doubt(path)


def test_every_ending_and_name_belongs_to_one_language() -> None:
    for field in ("extensions", "filenames", "interpreters"):
        claimed = [it for name in languages.NAMES for it in getattr(languages.load(name), field)]
        shared = {it for it in claimed if claimed.count(it) > 1}
        assert shared <= {".h"}, field


def test_other_peoples_folders_and_files_of_programs_are_known_by_name() -> None:
    foreign = """
        a/node_modules/b.js api_pb2.py x/jquery.js x/jquery-3.7.1.min.js docs/prettify.js d3.v7.js
        """
    ours = "build/a.js pb2.py jquery.py myjquery.js reactor.js d3-helpers.js bootstrap.js"
    assert [it for it in foreign.split() if not is_foreign_path(it)] == []
    assert [it for it in ours.split() if is_foreign_path(it)] == []


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("c", b"// Code generated by stringer; DO NOT EDIT.\nint x;\n"),
        ("c", b"/* A Bison parser, made by GNU Bison 3.8.2.  */\nint x;\n"),
        ("c", b"/* A lexical scanner generated by flex */\nint x;\n"),
        ("c", b"#ifndef X\n#define X\n/* This file is automatically generated. */\n#endif\n"),
        ("javascript", b"/**\n * Copyright\n *\n * @generated SignedSource<<0>>\n */\nf();\n"),
        ("javascript", b"/* autogenerated\n   by x.\n   Do not edit! */\nf();\n"),
        ("javascript", b"'use strict';\n// WARNING: This file is auto-generated.\nf();\n"),
        ("kotlin", b"// Generated from A.g4 by ANTLR 4.13\nclass A\n"),
        ("kotlin", b"// <auto-generated />\nclass A\n"),
        ("python", b"# Generated by Django 5.0 on 2026-01-01 12:00\n\nx = 1\n"),
        (
            "python",
            b"# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.\nx = 1\n",
        ),
        ("python", b"#!/usr/bin/python\n# DO NOT EDIT\nx = 1\n"),
    ],
)
def test_a_file_whose_head_says_that_a_program_wrote_it_is_generated(
    language: str, source: bytes
) -> None:
    assert extract(source, language).outline.is_generated


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", b'print("# Generated by Django, DO NOT EDIT")\n'),
        ("python", b'"""Write files that are generated by us: @generated."""\nx = 1\n'),
        ("python", b"# Read what was generated by the compiler.\nx = 1\n"),
        ("python", b"# Each report is\n# generated by a program of its own.\nx = 1\n"),
        ("python", b"# Look for '@generated' and `DO NOT EDIT`.\nx = 1\n"),
        ("python", b"x = 1\n" * 10 + b"# Generated by Django\n"),
        ("c", b'int main(void) { puts("/* Generated by us. DO NOT EDIT. */"); }\n'),
        ("c", b"// Decodes the blocks generated by block_builder.\nint x;\n"),
        ("c", b"/* This parser reads replies that are\n   generated by the server. */\nint x;\n"),
        ("c", b"// This module is for replies that were generated.\nint x;\n"),
        ("javascript", b"// The generated code calls this.\nf();\n"),
    ],
)
def test_a_program_that_speaks_of_generated_files_is_none(language: str, source: bytes) -> None:
    assert not extract(source, language).outline.is_generated


def test_tables_are_read_once() -> None:
    assert detect._by_extension() is detect._by_extension()


@pytest.mark.parametrize(
    ("path", "head"),
    [("tool", b"#!" + b"/" * 8_000), ("x.h", b"\n \n" * 2_700), ("x.h", b"\n" * 8_000)],
)
@cpu_limit(20)
def test_no_head_takes_long_to_look_at(path: str, head: bytes) -> None:
    for _ in range(100):
        assert detect_language(path, lambda: head) == (None if path == "tool" else "c")


@cpu_limit(20)
def test_no_comment_takes_long_to_look_at() -> None:
    blank = SourceComment("\n" * 4_000, 1, 1, is_doc=False)
    assert not is_generated([blank] * 100, lambda _first, _last: 0)
