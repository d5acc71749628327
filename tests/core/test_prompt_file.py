from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core import BenchpinError, ConfigError
from benchpin.core.prompt_file import read_prompt, render

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


def test_blanks_that_nobody_fills_stay() -> None:
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


@given(st.text())
def test_no_file_is_a_crash(content: str) -> None:
    with suppress(BenchpinError):
        assert read_prompt("any", f"---\n{content}\n---\n{content}").description
