"""Fail when a pattern of `re` in the source could take more than linear time.

Every pattern may meet foreign text: files of a workspace, logs, profiles, what a client sends. One
that backtracks holds the interpreter, and with it the server: no ping, no time limit, no signal.
A pattern is compiled when its module is imported, or is a constant in a call of `re`; what is built
at run time is in `BUILT`. `pattern_cost.py` has the analysis.
"""

import ast
import importlib
import os
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pattern_cost import find_slowness

ROOT = Path(__file__).parent.parent / "src" / "benchpin"
FUNCTIONS = {
    "compile",
    "match",
    "fullmatch",
    "search",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
}
ANCHORED = {"match", "fullmatch"}

MATCHED: dict[str, str] = {
    "core/calls/_permissions.py: _DENIED_NAME": "match",
    "comments/_store.py: _UNFINISHED": "fullmatch",
    "performance/formats/_spx.py: _EVENT_V1": "fullmatch",
    "performance/formats/_spx.py: _EVENT_V2": "fullmatch",
    "performance/slowlog/_events.py: FAST": "match",
    "performance/slowlog/_events.py: _ANY_NOTES": "match",
    "performance/slowlog/_events.py: _NOTES": "match",
    "performance/slowlog/_events.py: _SET": "match",
    "performance/slowlog/_events.py: _USE": "match",
    "performance/slowlog/_lexing.py: _CLOSER": "match",
    "repository/_structure.py: _CI": "fullmatch",
}
"""Names that are matched once for each text, in a way that the source does not show."""

_PATH = "meets one path, at most 4,096 bytes"
_NAME = "meets one name of a file, at most 255 bytes"
_CODE_LINE = "meets one line of code, at most 300 characters"
_OPEN_COMMENT = (
    "strings do not begin at `\\'`, and comments without an end are marked before; numbers and"
    " dashes are read by the last alternative as far as the others tried"
)
LIMITED: dict[str, str] = {
    "performance/causes/_causes.py: _STORE": _CODE_LINE,
    "performance/causes/_rules.py: _rule": _CODE_LINE,
    "performance/causes/_causes.py: _FOR_IN": _CODE_LINE,
    "performance/causes/_code.py: _CLOSURE": _CODE_LINE,
    "performance/causes/_code.py: _INLINE": _CODE_LINE,
    "performance/causes/_code.py: _ASSIGNED": _CODE_LINE,
    "performance/causes/_code.py: _MUTATED": _CODE_LINE,
    "performance/causes/_code.py: _CALL": _CODE_LINE,
    "performance/causes/_regexes.py: _CLASS": _CODE_LINE,
    "project/bridges/_python_libraries.py: _CDEF": "a second opening ends the first text",
    "measures/debt/_sentences.py: _CLOSING": "meets the last 20 characters of a comment",
    "measures/names/_words.py: _WORD": "`[A-Z]+` reads what others tried",
    "performance/reading/_validation.py: _SPX_TEXT_NAME": _PATH,
    "performance/reading/_unpacking.py: _USERINFO_IN_TEXT": "meets at most 2,048 characters",
    "performance/slowlog/_lexing.py: _VALUE": _OPEN_COMMENT,
    "performance/slowlog/_lexing.py: _TOKEN": _OPEN_COMMENT,
    "performance/slowlog/_lexing.py: _NUMBER": _OPEN_COMMENT,
    "performance/slowlog/_lexing.py: _CLOSED": _OPEN_COMMENT,
    "performance/slowlog/_totals.py: _TOKEN": _OPEN_COMMENT,
    "repository/documents/_documentation.py: _ABOUT_THE_PROJECT": _PATH,
    "repository/documents/links.py: _TEMPLATE_FILE": _PATH,
    "repository/manifests/_reading.py: _REQUIREMENTS": _PATH,
    "repository/packing/_secrets.py: _WITHOUT_QUOTES": _PATH,
    "repository/packing/_secrets.py: _WORD_END": "meets at most 40 characters",
    "repository/_kinds.py: _WEB_FILES": _NAME,
    "facts/languages/_detect.py: _INTERPRETER": "meets at most 256 bytes",
}
"""Patterns that are not linear by their form, and why they are quick all the same."""

_ONE_WORD = "one word of the program, escaped or an identifier, between word boundaries"
BUILT: dict[str, str] = {
    "project/proof/_steps.py: may_loop": _ONE_WORD,
    "repository/documents/_past.py: _binds": "a line of 500 bytes at most",
    "performance/causes/_causes.py: _fits": _CODE_LINE,
    "performance/causes/_rules.py: _rule": _CODE_LINE,
    "core/calls/_permissions.py: _steps": _NAME,
    "core/content/_resource.py: _pattern": "our own templates: one loop, or loops between slashes",
    "facts/embedding.py: __init__": "two constants",
    "project/bridges/_c_abi.py: _used_by_c": _ONE_WORD,
    "project/bridges/_cgo.py: _callbacks": _ONE_WORD,
    "project/bridges/_cgo.py: definition": "loops within a line, or of 1,000 at most",
    "project/bridges/_python_modules.py: _named": _ONE_WORD,
    "project/bridges/_python_modules.py: _offset_of": _ONE_WORD,
    "project/bridges/_python_modules.py: _members_used": _ONE_WORD,
    "project/bridges/_rust_items.py: argument": _ONE_WORD,
    "project/bridges/_rust_items.py: rust_items": _ONE_WORD,
    "project/explore/_thesaurus.py: _phrases": "our own phrases, without loops",
    "project/bridges/_scan.py: _blanked": "constants; see test_linear_time.py",
    "project/bridges/_scan.py: registration": _ONE_WORD,
    "project/bridges/_wasm.py: _definition": _ONE_WORD,
    "project/bridges/_wasm.py: _uses": _ONE_WORD,
    "performance/recording/_recorder.py: _of_others": "digits between fixed text",
    "performance/statements/_models.py: _names": _ONE_WORD,
    "performance/statements/_models.py: _read_attributes": _ONE_WORD,
    "performance/statements/_models.py: _is_asked": _ONE_WORD,
    "performance/statements/_written.py: _string": "a fixed word after blanks of a line",
    "project/proof/_working_copy.py: _named_in": "a fixed text, then a loop within a line",
    "run/tests/_test_names.py: is_named": _ONE_WORD,
    "code/_described.py: whole_word": _ONE_WORD,
    "measures/debt/_find.py: _start": "one loop over blanks, after a full stop",
    "repository/_tree.py: _lines": _NAME,
    "repository/manifests/_manifest.py: find_name": _ONE_WORD,
    "repository/_outline.py: _is_named": _ONE_WORD,
    "workspace/walking/_globs.py: _any": "atomic groups (globs.py); meets one name of a file",
    "workspace/walking/_globs.py: _each": "atomic groups (globs.py); meets one name of a file",
    "facts/parsing/_grammar.py: __init__": "fixed texts of a language, without loops",
    "facts/languages/rust/grammar.py: _unwrap": "no loop; at most 200 searches of a file",
}
"""Functions that build a pattern at run time: `file: function`, and why it is linear."""


@dataclass(frozen=True, slots=True)
class Use:
    """A pattern, where it is, and how it is applied."""

    pattern: str | bytes
    flags: int
    is_searched: bool
    is_whole: bool


def main() -> None:
    """Print every finding, and exit with 1 when there is one."""
    findings = list(find_patterns())
    print("\n".join(findings))
    if findings:
        sys.exit("Use possessive repeats (`*+`), `(?<!…)` before a loop, RE2 or a scanner.")


def find_patterns() -> Iterator[str]:
    """Give what is wrong, with the place."""
    compiled = compiled_on_import()
    for path in sorted(ROOT.rglob("*.py")):
        name = str(path.relative_to(ROOT))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for place, found in _uses(tree, name, compiled):
            if isinstance(found, str):
                yield f"{place}: {found}"
                continue
            shown = found.pattern if isinstance(found.pattern, str) else repr(found.pattern)
            reason = find_slowness(
                found.pattern, found.flags, is_searched=found.is_searched, is_whole=found.is_whole
            )
            if reason is not None:
                yield f"{place}: {shown!r}: {reason}"


def compiled_on_import() -> dict[tuple[str, int], list[re.Pattern[Any]]]:
    """Import every module and return the patterns it compiled, by file and line."""
    found: dict[tuple[str, int], list[re.Pattern[Any]]] = {}
    original = re.compile

    def recording(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        made = original(pattern, flags)
        frame = sys._getframe(1)  # noqa: SLF001 - the line that compiles is what is wanted
        found.setdefault((frame.f_code.co_filename, frame.f_lineno), []).append(made)
        return made

    re.compile = recording
    try:
        package = importlib.import_module("benchpin")
        for module in pkgutil.walk_packages(package.__path__, "benchpin."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    finally:
        re.compile = original
    return found


def _uses(
    tree: ast.Module, name: str, compiled: dict[tuple[str, int], list[re.Pattern[Any]]]
) -> Iterator[tuple[str, Use | str]]:
    file = str(ROOT / name)
    methods = _methods(tree)
    direct = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for owner, call, function in _calls(tree):
        place = f"src/benchpin/{name}:{call.lineno}"
        if f"{name}: {owner}" in LIMITED:
            continue
        is_direct = function == "compile" and owner in direct
        how = methods.get(owner, {"search"}) if is_direct else {function}
        if f"{name}: {owner}" in MATCHED:
            how = {MATCHED[f"{name}: {owner}"]}
        is_searched = not how <= ANCHORED
        is_whole = how == {"fullmatch"}
        patterns = [
            it
            for line in range(call.lineno, (call.end_lineno or call.lineno) + 1)
            for it in compiled.get((file, line), [])
        ]
        for it in patterns:
            yield place, Use(it.pattern, it.flags, is_searched, is_whole)
        if patterns:
            continue
        constant = _constant(call)
        if constant is not None:
            yield place, Use(constant, _flags(call), is_searched, is_whole)
        elif f"{name}: {owner}" not in BUILT:
            yield place, f"builds a pattern at run time in {owner}; say in BUILT why it is linear"


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call, str]]:
    """Give each call of `re` with the name that it is assigned to, or the function it is in."""

    def walk(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.Call, str]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            owner = node.name
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        is_of_module = isinstance(node, ast.Assign | ast.AnnAssign) and owner == "module"
        if is_of_module and isinstance(target, ast.Name):
            owner = target.id
        if isinstance(node, ast.Call):
            function = _function(node)
            if function is not None:
                yield owner, node, function
        for child in ast.iter_child_nodes(node):
            yield from walk(child, owner)

    yield from walk(tree, "module")


def _function(call: ast.Call) -> str | None:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id == "re" and isinstance(call.func, ast.Attribute):
        return call.func.attr if call.func.attr in FUNCTIONS else None
    return None


def _methods(tree: ast.Module) -> dict[str, set[str]]:
    """Return how each private name of a module is applied; used otherwise, it may be searched."""
    found: dict[str, set[str]] = {}
    called = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id.startswith("_"):
                # A match from a position is how scanners search.
                from_here = node.func.attr if len(node.args) == 1 else "search"
                found.setdefault(owner.id, set()).add(from_here)
                called.add(id(owner))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            found.setdefault(node.id, set()).add("search")
    return found


def _constant(call: ast.Call) -> str | bytes | None:
    first = call.args[0] if call.args else None
    value = first.value if isinstance(first, ast.Constant) else None
    return value if isinstance(value, str | bytes) else None


def _flags(call: ast.Call) -> int:
    flags = 0
    for node in [*call.args[1:], *(it.value for it in call.keywords)]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                flags |= int(getattr(re, inner.attr, 0)) if inner.value.id == "re" else 0
    return flags


if __name__ == "__main__":
    os.environ["INTERPRET_BENCHPIN"] = "1"
    main()
