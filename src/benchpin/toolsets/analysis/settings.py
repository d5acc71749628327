"""Settings of the analyses, under `[analysis]`."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from benchpin.engines.insight.gate.measures import listing, unknown_threshold


def _require_false(value: object) -> object:
    """Tell false from 0, which is a threshold."""
    if value is not False:
        message = "give a number from 0 on, or false to leave the check out"
        raise ValueError(message)
    return value


Threshold = (
    Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)]
    | Annotated[Literal[False], BeforeValidator(_require_false)]
)
"""False leaves the check out."""


class GateSettings(BaseModel):
    """Everything under `[analysis.gate]`; what is not named here is a threshold."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Threshold]

    baseline: str | None = None
    """The file of known violations, relative to the workspace."""
    strict: bool = False
    """Whether a check that could not be measured fails."""

    @property
    def thresholds(self) -> Mapping[str, float | Literal[False]]:
        """The thresholds, by name."""
        return self.__pydantic_extra__

    @model_validator(mode="after")
    def _refuse_unknown(self) -> Self:
        if problem := unknown_threshold(self.__pydantic_extra__):
            raise PydanticCustomError(
                "unknown_threshold",
                "{problem} (known: {known})",
                {"problem": problem, "known": listing()},
            )
        return self


class AnalysisSettings(BaseModel):
    """Everything under `[analysis]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gate: GateSettings = Field(default_factory=GateSettings)
    """What the quality gate holds code against."""
