"""How names of JavaScript and TypeScript are found."""

from benchpin.facts.code import CallRules, Interfaces, Navigation, TestWords, quoted_files

_PREDECLARED = """
    Array Boolean Date Error Event Function JSON Map Math Number Object Promise Proxy Record RegExp
    Request Response Set String Symbol URL WeakMap
"""
_GLOBALS = """
    console window document navigator location history screen self globalThis global process
    module require exports fetch setTimeout setInterval setImmediate clearTimeout clearInterval
    clearImmediate queueMicrotask structuredClone requestAnimationFrame cancelAnimationFrame
    requestIdleCallback localStorage sessionStorage indexedDB crypto performance alert confirm
    prompt atob btoa parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent
    encodeURI decodeURI escape unescape eval undefined arguments describe it test expect
    beforeEach afterEach beforeAll afterAll before after vi jest suite context chai assert
    sinon cy browser chrome caches postMessage addEventListener removeEventListener
    dispatchEvent matchMedia getComputedStyle importScripts onmessage any unknown never string
    number boolean object symbol bigint void infer keyof readonly unique asserts abstract
    declare namespace global type async get set of from as satisfies accessor constructor meta
    target override out is Awaited Partial Required Readonly Pick Omit Exclude Extract NonNullable
    Parameters ConstructorParameters ReturnType InstanceType NoInfer ThisParameterType
    OmitThisParameter ThisType Uppercase Lowercase Capitalize Uncapitalize
"""
_KEYWORDS = """
    await break case catch class const continue debugger default delete do else enum export extends
    false finally for function if import in instanceof new null return super switch this throw true
    try typeof var void while with yield let static implements interface package private protected
    public
"""
_STANDARD_MEMBERS = """
    catch concat every filter find finally forEach has includes indexOf join keys map match pop push
    reduce replace slice some sort splice split then toString trim values
"""
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")


def _declares_for(declarations: str, file: str) -> bool:
    return declarations.endswith(_DECLARATIONS) and not file.endswith(_DECLARATIONS)


NAVIGATION = Navigation(
    has_default_exports=True,
    takes_named=True,
    declares_for=_declares_for,
    namespace_words=frozenset({"module", "namespace"}),
    has_bare_interfaces=True,
    used_by_tags=frozenset({"React", "h"}),
    interfaces=Interfaces(
        kinds=frozenset({"interface", "type"}),
        may_ignore_arguments=True,
        plain=frozenset({"string", "number", "boolean", "bigint", "symbol", "void"}),
    ),
    mappings=frozenset({"Map", "ReadonlyMap", "Record", "WeakMap"}),
    of_mappings={"get": "value", "values": "values"},
    wrappers=frozenset({"Promise", "Awaitable", "Readonly", "Partial", "NonNullable", "Required"}),
    keywords=frozenset(_KEYWORDS.split()),
    predeclared=frozenset(_PREDECLARED.split()),
    globals=frozenset(_GLOBALS.split()),
    standard_members=frozenset(_STANDARD_MEMBERS.split()),
    calls=CallRules(has_nameless_signatures=True),
    tests=TestWords(
        calls=frozenset({"it", "test", "xit", "xtest", "fit"}),
        skips=frozenset({"skip", "xit", "xtest", "todo", "skipIf"}),
        asserts=("assert", "expect"),
        equals=frozenset(
            {
                *("==", "===", "equal", "strictEqual", "deepEqual", "deepStrictEqual", "toBe"),
                *("toEqual", "toStrictEqual", "toHaveBeenCalledWith", "toMatchObject", "toThrow"),
            }
        ),
        partial=frozenset(
            {
                *("toContain", "toMatch", "stringContaining", "startsWith", "endsWith", "includes"),
                *("toBeGreaterThan", "toBeGreaterThanOrEqual", "toBeLessThan", "match"),
                *("toBeLessThanOrEqual", "include", "<", "<=", ">", ">="),
            }
        ),
        weak=frozenset(
            {"ok", "toBeTruthy", "toBeDefined", "toBeFalsy", "toHaveBeenCalled", "isTrue"}
        ),
        closeness=frozenset({"abs", "closeTo"}),
        digits=frozenset({"toBeCloseTo"}),
    ),
    silencers=(
        *("eslint-disable", "@ts-ignore", "@ts-expect-error", "@ts-nocheck", "biome-ignore"),
        *("istanbul ignore", "c8 ignore", "v8 ignore", "prettier-ignore", "oxlint-disable"),
    ),
    test_command=lambda tests: f"npx vitest run {quoted_files(tests)}",
)
