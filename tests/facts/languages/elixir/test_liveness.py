import pytest

from dead_code_kit import assert_only_first_alive

_DEAD = "defmodule A do\n  defp it, do: 1\nend\n"


@pytest.mark.parametrize(
    ("path", "alive"),
    [
        ("a.ex", "defmodule A do\n  @a it()\n  defp it, do: 1\nend\n"),
        ("a.ex", "defmodule A do\n  @impl true\n  def it(_), do: 1\nend\n"),
        ("a.ex", "defmodule A do\n  @impl true\n  def it(1), do: 1\n  def it(_), do: 2\nend\n"),
        ("a.ex", "defmodule A do\n  use B\n  def handle_it(1), do: 1\nend\n"),
        ("a.ex", "defmodule A do\n  use GenServer\n  def handle_call(a, _, _), do: a\nend\n"),
        ("a.ex", "defmodule A do\n  use AWeb, :controller\n  def it(conn, _), do: conn\nend\n"),
        ("a.ex", "defimpl String.Chars, for: A do\n  def it(a), do: a\nend\n"),
        ("a.exs", "defmodule A do\n  use Ecto.Migration\n  def change, do: 1\nend\n"),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str) -> None:
    assert_only_first_alive(path, alive, _DEAD)


def test_a_spec_is_no_use() -> None:
    spec = "defmodule A do\n  @spec it() :: integer\n  defp it, do: 1\nend\n"
    assert_only_first_alive("a.ex", "defmodule A do\n  @a it()\n  defp it, do: 1\nend\n", spec)
