import pytest
from inline_snapshot import snapshot

from benchpin.core.tools import DEFAULT_EFFECTS, Effect
from benchpin.core.tools._effects import Hints


def test_hints_follow_from_effects() -> None:
    assert {effect.value: effect.hints for effect in Effect} == snapshot(
        {
            "read": Hints(read_only=True, destructive=False, idempotent=True, open_world=False),
            "record": Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
            "write": Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
            "execute": Hints(read_only=False, destructive=True, idempotent=False, open_world=True),
            "network": Hints(read_only=False, destructive=False, idempotent=False, open_world=True),
        }
    )


@pytest.mark.parametrize("effect", Effect)
def test_only_reading_may_overtake(effect: Effect) -> None:
    assert effect.is_ordered is (effect is not Effect.READ)


def test_reading_and_recording_are_on_by_default() -> None:
    assert {Effect.READ, Effect.RECORD} == DEFAULT_EFFECTS
