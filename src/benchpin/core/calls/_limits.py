"""Limits that keep one caller from harming another."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

KIB = 1024
MIB = 1024 * KIB

Positive = Annotated[int, Field(ge=1)]


class Limits(BaseModel):
    """Limits on size, rate and time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request_bytes: Positive = MIB
    """The longest message that is read."""
    response_bytes: Positive = 10 * MIB
    """The longest result that is sent; longer ones are stored and linked."""
    text_chars: Positive = 40_000
    """The longest text that is shown to a model; the rest is stored and linked."""
    in_flight: Positive = 128
    """Requests that one connection may have under way."""
    burst: Positive = 1000
    """Requests that one connection may send at once."""
    per_second: Annotated[float, Field(gt=0)] = 100.0
    """Requests that one connection may send each second, after the burst."""
    queue_s: Annotated[float, Field(gt=0)] = 60.0
    """How long a call may wait for others before it starts to run, in seconds."""
    unsent_bytes: Positive = 8 * MIB
    """Unread answers that one connection may have before its calls wait."""
    unsent_total_bytes: Positive = 32 * MIB
    """Unread answers of all connections before clients that do not read are disconnected."""
    head_s: Annotated[float, Field(gt=0)] = 10.0
    """How long an HTTP request may take to send its head, in seconds."""
    body_s: Annotated[float, Field(gt=0)] = 30.0
    """How long an HTTP request may take to send its body, in seconds."""
    drain_s: Annotated[float, Field(gt=0)] = 60.0
    """How long a client may take to read one message before it is disconnected, in seconds."""
    shutdown_s: Annotated[float, Field(ge=0)] = 30.0
    """How long shutdown waits for running requests, in seconds."""
    connections: Positive = 100
    """Connections that the network transports accept at a time."""
