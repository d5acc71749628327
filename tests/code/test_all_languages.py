"""Symbols, uses and mentions in all languages."""

import pytest

from benchpin.code import one_symbol
from benchpin.core.calls import Job
from benchpin.facts import languages
from benchpin.facts.languages import detect_language
from navigation_kit import indexed, uses

CODE = {
    "a.sh": """till_open() {
  echo 1
}
till_open
# till_open
echo "till_open"
""",
    "a.c": """int till_open(void) { return 1; }
// till_open
int main(void) { puts("till_open"); return till_open(); }
""",
    "a.cpp": """int till_open() { return 1; }
// till_open
int main() { puts("till_open"); return till_open(); }
""",
    "A.cs": """class A {
  static int till_open() { return 1; }
  // till_open
  int G() { Log("till_open"); return till_open(); }
}
""",
    "a.dart": """int till_open() => 1;
// till_open
int g() { log("till_open"); return till_open(); }
""",
    "a.ex": """def till_open(), do: 1
# till_open
def g() do
  log("till_open")
  till_open()
end
""",
    "a.go": """package a

func till_open() int { return 1 }

// till_open
func g() int { log("till_open"); return till_open() }
""",
    "a.tf": """variable "till_open" {}
# till_open
output "g" {
  value = log("till_open", var.till_open)
}
""",
    "A.java": """class A {
  static int till_open() { return 1; }
  // till_open
  int g() { log("till_open"); return till_open(); }
}
""",
    "a.jl": """function till_open()
  1
end
# till_open
g() = (log("till_open"); till_open())
""",
    "a.js": """function till_open() { return 1; }
// till_open
function g() { log("till_open"); return till_open(); }
""",
    "a.kt": """fun till_open(): Int = 1
// till_open
fun g(): Int { log("till_open"); return till_open() }
""",
    "a.lua": """function till_open() return 1 end
-- till_open
function g() log("till_open"); return till_open() end
""",
    "a.php": """<?php
function till_open() { return 1; }
// till_open
function g() { log("till_open"); return till_open(); }
""",
    "a.py": """def till_open(): return 1
# till_open
def g():
    log("till_open")
    return till_open()
""",
    "a.rb": """def till_open()
  1
end
# till_open
def g()
  log("till_open")
  till_open()
end
""",
    "a.rs": """fn till_open() -> u32 { 1 }
// till_open
fn g() -> u32 { log("till_open"); till_open() }
""",
    "a.scala": """object A {
  def till_open(): Int = 1
  // till_open
  def g(): Int = { log("till_open"); till_open() }
}
""",
    "a.sql": """CREATE FUNCTION till_open() RETURNS INT RETURN 1;
-- till_open
SELECT log('till_open'), till_open();
""",
    "a.svelte": """<script>
  function till_open() { return 1; }
  // till_open
  log("till_open");
</script>
{#if true}{till_open()}{/if}
""",
    "a.swift": """func till_open() -> Int { return 1 }
// till_open
func g() -> Int { log("till_open"); return till_open() }
""",
    "a.tsx": """function till_open() { return 1; }
// till_open
function g() { log("till_open"); return till_open(); }
""",
    "a.ts": """function till_open() { return 1; }
// till_open
function g() { log("till_open"); return till_open(); }
""",
    "a.vue": """<script>
function till_open() { return 1; }
// till_open
log("till_open");
</script>
<template>{{ till_open() }}</template>
""",
    "a.zig": """fn till_open() u8 { return 1; }
// till_open
fn g() u8 { log("till_open"); return till_open(); }
""",
}
FILES = {detect_language(path, text.encode): path for path, text in CODE.items()}


@pytest.mark.parametrize("language", languages.NAMES)
def test_a_function_its_call_and_its_mentions_are_found(language: str) -> None:
    path, text = FILES[language], CODE[FILES[language]]
    index = indexed({path: text})
    symbol, others = one_symbol(index, "till_open", Job())
    assert (symbol.file, symbol.name, others) == (path, "till_open", [])
    found = uses({path: text}, "till_open")
    calls = [it.split()[1] for it in (*found["certain"], *found["possible"])]
    assert calls == ["call"] or (language in {"bash", "hcl"} and calls == ["read"])
    assert {it.split()[1] for it in found["mention"]} == {"comment", "string"}
