"""Values of the engine, published as they are."""

from typing import Any

import msgspec
from pydantic import PlainSerializer

AS_OBJECT = PlainSerializer(msgspec.to_builtins, return_type=dict[str, Any])
AS_LIST = PlainSerializer(msgspec.to_builtins, return_type=list[dict[str, Any]])
