"""How names of Elixir are found."""

from benchpin.facts.code import Navigation, TestWords, quoted_files

_KEYWORDS = """
    after alias and case catch cond def defdelegate defguard defguardp defimpl defmacro defmacrop
    defmodule defoverridable defp defprotocol defstruct do else end false fn for if import in nil
    not or quote raise receive require rescue super true try unless unquote use when with
"""
_GLOBALS = """
    abs apply binary_part bit_size byte_size div elem exit hd inspect is_atom is_binary is_boolean
    is_float is_function is_integer is_list is_map is_nil is_number is_pid is_struct is_tuple length
    make_ref map_size max min node put_elem put_in rem round self send spawn spawn_link then throw
    tl to_string trunc tuple_size update_in get_in
"""


def _whole_import(module: str) -> tuple[str, str]:
    name = module.rpartition(".")[2]
    return name, name


NAVIGATION = Navigation(
    whole_import=_whole_import,
    keywords=frozenset(_KEYWORDS.split()),
    globals=frozenset(_GLOBALS.split()),
    makes_names=frozenset({"unquote", "apply"}),
    tests=TestWords(
        calls=frozenset({"test", "property"}),
        skips=frozenset({"skip"}),
        asserts=("assert", "refute"),
        equals=frozenset({"==", "===", "assert_raise", "assert_receive", "assert_received"}),
        partial=frozenset({"=~", "<", "<=", ">", ">=", "match?"}),
        closeness=frozenset({"assert_in_delta"}),
    ),
    silencers=("credo:disable", "sobelow_skip", "dialyzer"),
    test_command=lambda tests: f"mix test {quoted_files(tests)}",
    test_file="_test.exs",
)
