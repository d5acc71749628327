"""How names of Julia are found, and how its tests are run."""

from benchpin.facts.code import Navigation

_GLOBALS = """
    Any Array Base Bool Char Core Dict Float64 Int Main Missing NaN Nothing Set String Symbol Tuple
    Vector collect error false filter getindex isempty length map missing nothing parse println
    push! show string throw true typeof zip
"""
NAVIGATION = Navigation(
    globals=frozenset(_GLOBALS.split()),
    silencers=("JET.@",),
    test_command=lambda _tests: "julia --project -e 'using Pkg; Pkg.test()'",
    test_file=".jl",
)
