"""The arguments of a tool."""

import difflib
from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from .errors import InvalidParams
from .schema import Schema, params_schema


class Params(BaseModel):
    """Base of every tool's arguments: closed, frozen, described by the docstrings of its fields."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @classmethod
    def json_schema(cls) -> Schema:
        """Return what `tools/list` publishes as the input schema."""
        return params_schema(cls)

    @classmethod
    def parse(cls, arguments: Mapping[str, object]) -> Self:
        """Check arguments from outside.

        Raises:
            InvalidParams: naming every problem at once.
        """
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            raise _invalid(cls, error) from error


_MAX_PROBLEMS = 20


def _describe(problem: ErrorDetails, model: type[Params]) -> str:
    """Describe a problem in terms of JSON, not of Python."""
    if problem["type"] != "extra_forbidden" or len(problem["loc"]) != 1:
        return problem["msg"].replace("valid tuple", "valid list")
    known = [field.alias or name for name, field in model.model_fields.items()]
    near = difflib.get_close_matches(str(problem["loc"][0]), known, n=1)
    return "no such argument" + (f"; did you mean {near[0]}?" if near else "")


def _invalid(model: type[Params], error: ValidationError) -> InvalidParams:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    problems = [
        {
            "path": ".".join(str(part) for part in problem["loc"]) or "(arguments)",
            "problem": _describe(problem, model),
        }
        for problem in found[:_MAX_PROBLEMS]
    ]
    known = [field.alias or name for name, field in model.model_fields.items()]
    required = [
        field.alias or name for name, field in model.model_fields.items() if field.is_required()
    ]
    names = f"Known arguments: {', '.join(known) or 'none'}."
    listing = "; ".join(f"{problem['path']}: {problem['problem']}" for problem in problems)
    if len(found) > len(problems):
        listing += f"; … {len(found)} problems in total"
    return InvalidParams(
        f"Invalid arguments: {listing}",
        suggestion=f"{names} Required: {', '.join(required) or 'none'}.",
        data={"problems": problems},
    )
