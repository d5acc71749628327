"""Keep answers short enough to be read."""

from typing import TypeVar

from pydantic import BaseModel

from benchpin.core import Result
from benchpin.engines.repository.tokens import count_tokens

M = TypeVar("M", bound=BaseModel)

MOST_SECTIONS = 20
_MOST_TOKENS = 7_800
_LONGEST = 200


def shortened(model: M) -> M:
    """Return a model with every text in it cut to a length that can be taken in."""
    return model.model_validate(_cut(model.model_dump()))


def _cut(value: object) -> object:
    match value:
        case str():
            return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
        case dict():
            return {key: _cut(it) for key, it in value.items()}
        case list() | tuple():
            return [_cut(it) for it in value]
        case _:
            return value


def fits(result: Result) -> bool:
    """Whether an answer, as text and structured, is short enough; no token is less than a byte."""
    answer = result.to_text() + result.model_dump_json()
    return len(answer.encode(errors="replace")) <= _MOST_TOKENS or (
        count_tokens(answer) <= _MOST_TOKENS
    )
