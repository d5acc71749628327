"""Settings of the analyses, under `[analysis]`."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from benchpin.core.tools import ToolsetSettings
from benchpin.project.gate import MEASURES, bad_threshold, unknown_threshold


def _require_good(thresholds: object) -> object:
    """Refuse invalid thresholds."""
    if isinstance(thresholds, Mapping) and (problem := bad_threshold(thresholds)):
        raise PydanticCustomError("bad_threshold", "{problem}", {"problem": problem})
    return thresholds


# False disables the check. The valid values depend on the name, so names are checked too.
Threshold = Annotated[
    float | Literal[False],
    PlainValidator(lambda value: value if value is False else float(value)),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "boolean", "const": False}]}
    ),
]
Thresholds = Annotated[dict[str, Threshold], BeforeValidator(_require_good)]


class GateSettings(BaseModel):
    """The table `[analysis.gate]`; all other keys are thresholds."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Threshold]

    baseline: str | None = None
    """The file of known violations, relative to the workspace."""
    strict: bool = False
    """Whether a check without a measurement fails."""

    @property
    def thresholds(self) -> Mapping[str, float | Literal[False]]:
        """The thresholds, by name."""
        return self.__pydantic_extra__

    @model_validator(mode="before")
    @classmethod
    def _refuse_bad_thresholds(cls, given: object) -> object:
        if isinstance(given, Mapping):
            thresholds = {it: given[it] for it in given if it not in cls.model_fields}
            problem = unknown_threshold(thresholds)
            known = f"known: {', '.join(MEASURES)}"
            said = f"{problem} ({known})" if problem else bad_threshold(thresholds)
            if said:
                raise PydanticCustomError("unknown_threshold", "{said}", {"said": said})
        return given


class AnalysisSettings(ToolsetSettings):
    """What the quality gate checks code against."""

    remedy = "See docs/quality-gate.md for the names of thresholds and what they mean."

    gate: GateSettings = Field(default_factory=GateSettings)
    """Thresholds, the baseline and how strict to be."""
