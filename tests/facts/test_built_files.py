"""What bundlers, minifiers and compilers wrote is recognised by its content."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.facts.parsing import extract

ESBUILD = """\
"use strict";
var __defProp = Object.defineProperty;
var __commonJS = (cb, mod) => function __require() {
  return mod || (0, cb[Object.keys(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
};
"""
NCC = """\
/******/ (() => { // webpackBootstrap
/******/ \tvar __webpack_modules__ = ({
"""
COMPILED = "export const a = 1;\n//# sourceMappingURL=a.js.map\n"
BROWSERIFY = "(function(){function r(e,n,t){function o(i,f){if(!n[i]){}}}return r})()({});\n"
MODULES = "// node_modules/left-pad/index.js\nvar leftPad = 1;\n"
MINIFIED = ("var a=1;" * 40 + "\n") * 20
# The source of a bundler has the marks in strings, and a person may write one long line.
PLUGIN = 'const head = "/******/ (() => { // webpackBootstrap";\nmodule.exports = { head };\n'
ONE_LINE = "export default { " + ", ".join(f"key{n}: {n}" for n in range(40)) + " };\n"


@pytest.mark.parametrize(
    "text", [ESBUILD, NCC, COMPILED, BROWSERIFY, MODULES, MINIFIED], ids=range(6)
)
def test_a_script_that_a_program_wrote_is_generated(text: str) -> None:
    assert extract(text.encode(), "javascript").outline.is_generated


@pytest.mark.parametrize("text", [PLUGIN, ONE_LINE, "// See node_modules/a.js\nlet a;\n"])
def test_a_script_that_a_person_wrote_is_not_generated(text: str) -> None:
    assert not extract(text.encode(), "javascript").outline.is_generated


def test_a_bundle_is_left_out_of_complexity_and_counted(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.js").write_text(f"{ESBUILD}function f() {{ return 1; }}\n")
    (tmp_path / "main.js").write_text("export function g() { return 1; }\n")
    bench = Workbench.open(tmp_path)
    try:
        found = bench.call("analyze_complexity").model_dump()
    finally:
        bench.close()
    assert found["summary"]["total_functions"] == 1
    assert found["looked_at"]["skipped"] == {"generated": 1}
