"""Measure two states of a project in turns: is the second slower, faster, or neither."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._measuring import (
        MEASURED_BYTES,
        Difference,
        Measure,
        MeasuredTurns,
        MeasuringFailed,
        Sameness,
        TurnTaking,
        measured_difference,
        memory_difference,
        mostly_waits,
        output_sameness,
        readable_amount,
    )

__all__ = [
    "MEASURED_BYTES",
    "Difference",
    "Measure",
    "MeasuredTurns",
    "MeasuringFailed",
    "Sameness",
    "TurnTaking",
    "measured_difference",
    "memory_difference",
    "mostly_waits",
    "output_sameness",
    "readable_amount",
]

__getattr__ = lazy(__name__)
