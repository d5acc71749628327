from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.content import read_prompt
from benchpin.core.content._prompt import render
from benchpin.core.errors import BenchpinError, ConfigError
from long_texts import Long, whole
from waiting import cpu_limit

FILE = """---
description: Review a change.
category: agent
arguments:
  - name: focus
    description: What to look at
    required: true
  - name: tone
    default: calm
    choices: [calm, harsh]
---
Look at {{focus}}, {{ tone }}. Keep {{unknown}}.
"""


def test_a_prompt_is_read_from_its_front_matter() -> None:
    prompt = read_prompt("review_change", FILE)
    assert (prompt.name, prompt.title, prompt.category) == (
        "review_change",
        "Review change",
        "agent",
    )
    assert prompt.description == "Review a change."
    focus, tone = prompt.arguments
    assert (focus.name, focus.required) == ("focus", True)
    assert (tone.default, tone.choices) == ("calm", ("calm", "harsh"))


def test_a_name_and_a_title_can_be_given() -> None:
    prompt = read_prompt("x", "---\nname: other\ntitle: Other one\ndescription: d\n---\nHi\n")
    assert (prompt.name, prompt.title, prompt.category) == ("other", "Other one", "workspace")


def test_blanks_are_filled_once() -> None:
    filled = render("{{a}} and {{b}}", {"a": "{{b}}", "b": "{{a}}"})
    assert filled.text == "{{b}} and {{a}}"
    assert filled.raw == "{{a}} and {{b}}"


def test_placeholders_without_a_value_stay() -> None:
    assert render("{{a}} {{b}} { {a}} {{a b}}", {"a": "1"}).text == "1 {{b}} { {a}} {{a b}}"


@given(st.dictionaries(st.sampled_from("abc"), st.text("ab{} \\1g<0>")))
def test_values_are_put_in_as_they_are(values: dict[str, str]) -> None:
    text = render("<{{a}}|{{b}}|{{c}}>", values).text
    parts = [values.get(name, f"{{{{{name}}}}}") for name in "abc"]
    assert text == f"<{'|'.join(parts)}>"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no front matter",
        "---\n---\nno description",
        "---\ndescription: [\n---\n",
        "---\ndescription: x\nunknown: 1\n---\n",
        "---\ndescription: x\nname: a/../b\n---\n",
        "---\n- a list\n---\n",
        "---\ndescription: x\narguments: [{name: 'a b'}]\n---\n",
        "---\ndescription: !!python/object/apply:os.system ['true']\n---\n",
    ],
)
def test_what_is_no_prompt_is_an_error(content: str) -> None:
    with pytest.raises(ConfigError, match="broken"):
        read_prompt("broken", content)


def test_values_in_front_matter_are_text() -> None:
    for value in ("2020-13-45", "9" * 5000, "5", "1e999", "!!int x"):
        prompt = read_prompt("any", f"---\ndescription: {value}\n---\n")
        assert prompt.description == value.removeprefix("!!int ")


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghijk", "bcdefghijkl", strict=True)
)


@pytest.mark.parametrize(
    ("front_matter", "reason"),
    [
        ("x: " + "[" * 4000 + "]" * 4000, "nested too deep"),
        ("x: " + "{a: " * 1900, "nested too deep"),
        ("- " * 4000, "nested too deep"),
        (f"{LAUGHS}description: *l", "an alias"),
        ("description: &d x\ntitle: *d", "an alias"),
        (Long("x", 10_000_000, "description: "), "more than 8,192"),
    ],
)
@cpu_limit(10)
def test_hostile_front_matter_is_refused_before_it_costs_much(
    front_matter: str | Long[str], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        read_prompt("hostile", f"---\n{whole(front_matter)}\n---\n")


@given(st.text())
def test_no_file_is_a_crash(content: str) -> None:
    with suppress(BenchpinError):
        assert read_prompt("any", f"---\n{content}\n---\n{content}").description
