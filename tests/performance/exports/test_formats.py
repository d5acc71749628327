import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator

import jsonschema
import pytest

from benchpin.core.errors import InvalidParams
from benchpin.performance.exports._stacks import to_callgrind, to_collapsed, to_pprof, to_speedscope
from benchpin.performance.reading import Budget
from benchpin.performance.values import Profile
from spx_kit import expected, random_events, read_named, read_text, written_04

MIX_05 = "spx-full-20261115_060902-vm-5395-1804289383"
MIX_04 = "spx-full-20261115_060901-vm-5392-1804289383"

# The types of speedscope's src/lib/file-format-spec.ts, as a JSON schema.
_NUMBERS = {"type": "array", "items": {"type": "number"}}
SPEEDSCOPE_SCHEMA = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": {"type": "string"},
        "exporter": {"type": "string"},
        "activeProfileIndex": {"type": "number"},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "additionalProperties": False,
                        "properties": {
                            "name": {"type": "string"},
                            "file": {"type": "string"},
                            "line": {"type": "number"},
                            "col": {"type": "number"},
                        },
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "items": {
                "type": "object",
                "required": [
                    "type",
                    "name",
                    "unit",
                    "startValue",
                    "endValue",
                    "samples",
                    "weights",
                ],
                "additionalProperties": False,
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string"},
                    "unit": {
                        "enum": [
                            "none",
                            "nanoseconds",
                            "microseconds",
                            "milliseconds",
                            "seconds",
                            "bytes",
                        ]
                    },
                    "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "samples": {"type": "array", "items": _NUMBERS},
                    "weights": _NUMBERS,
                },
            },
        },
    },
}


def _profiles() -> list[Profile]:
    made = written_04(random_events(9, calls=4_000, functions=30, metrics=3), 30)
    cut = read_text(made, Budget(kept_nodes=200))
    return [*(read_named(name) for name in sorted(expected())), cut]


def _wall_time(profile: Profile) -> int:
    return sum(cost.self[0] for cost in profile.functions)


@pytest.mark.parametrize("profile", _profiles())
def test_speedscope_is_valid_and_adds_up(profile: Profile) -> None:
    document = json.loads(to_speedscope(profile))
    jsonschema.validate(document, SPEEDSCOPE_SCHEMA)
    frames = document["shared"]["frames"]
    for view in document["profiles"]:
        place = profile.metrics.index(view["name"])
        assert view["endValue"] == sum(view["weights"])
        assert view["endValue"] == sum(cost.self[place] for cost in profile.functions)
        assert len(view["samples"]) == len(view["weights"])
        assert all(0 <= frame < len(frames) for stack in view["samples"] for frame in stack)
    own = Counter[str]()
    first = document["profiles"][0]
    for stack, weight in zip(first["samples"], first["weights"], strict=True):
        own[frames[stack[-1]]["name"]] += weight
    if "(other)" not in own:
        assert sorted(own.values()) == sorted(it.self[0] for it in profile.functions if it.self[0])


def test_speedscope_leaves_out_metrics_that_fall() -> None:
    document = json.loads(to_speedscope(read_named(MIX_04)))
    assert [view["name"] for view in document["profiles"]] == ["wt", "ct"]


@pytest.mark.parametrize("profile", _profiles())
def test_collapsed_stacks_add_up(profile: Profile) -> None:
    lines = to_collapsed(profile).splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == _wall_time(profile)
    assert len(lines) == sum(node.self[0] > 0 for node in profile.tree)


def test_collapsed_stacks_go_from_the_outside_in() -> None:
    text = "[events]\n0 1 0\n1 1 10\n1 0 30\n0 0 60\n[functions]\na;b\nc d\n"
    assert to_collapsed(read_text(text)) == "a:b 40\na:b;c d 20\n"


def test_a_metric_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidParams):
        to_collapsed(read_named(MIX_05), "io")


@pytest.mark.parametrize("profile", _profiles())
def test_callgrind_adds_up(profile: Profile) -> None:
    lines = to_callgrind(profile).splitlines()
    [summary] = [line for line in lines if line.startswith("summary: ")]
    assert int(summary.split()[1]) == _wall_time(profile)
    own = calls = edges = 0
    is_call = False
    for line in lines:
        if line.startswith("calls="):
            calls += int(re.split("[= ]", line)[1])
            edges += 1
            is_call = True
        elif line[:1].isdigit():
            own += 0 if is_call else int(line.split()[1])
            is_call = False
    assert own == _wall_time(profile)
    assert calls == sum(edge.calls for edge in profile.edges)
    assert edges == len(profile.edges)


def test_callgrind_names_each_function_once() -> None:
    profile = read_named(MIX_05)
    names = re.findall(r"^c?fn=\(\d+\) (.+)$", to_callgrind(profile), re.MULTILINE)
    assert len(names) == len(set(names)) == len(profile.functions)


def test_callgrind_of_a_small_profile() -> None:
    text = "[events]\n|0|a0\nf|1|10\n-1|20\n-0|30\n[functions]\n/srv/a.php:1:main\n/srv/a.php:3:f\n"
    assert to_callgrind(read_text(text)) == (
        "# callgrind format\nversion: 1\ncreator: benchpin\npositions: line\nevents: wt\n"
        "summary: 60\n\nfl=(1) /srv/a.php\nfn=(1) main\n1 40\n"
        "cfl=(1)\ncfn=(2) f\ncalls=1 3\n1 20\n\nfl=(1)\nfn=(2)\n3 20\ntotals: 60\n"
    )


@pytest.mark.parametrize("profile", _profiles())
def test_pprof_adds_up(profile: Profile) -> None:
    message = list(_fields(gzip.decompress(to_pprof(profile))))
    strings = [bytes(content).decode() for field, content in message if field == 6]
    kinds = [dict(_fields(content)) for field, content in message if field == 1]
    assert [strings[int(kind[1])] for kind in kinds] == [*profile.metrics, "calls"]
    sums = [0] * len(kinds)
    ids = set()
    for field, content in message:
        if field == 2:
            sample = dict(_fields(content))
            ids.update(_varints(sample[1]))
            for place, value in enumerate(_varints(sample[2])):
                sums[place] += value - (1 << 64) if value >> 63 else value
    for place in range(len(profile.metrics)):
        assert sums[place] == sum(cost.self[place] for cost in profile.functions)
    assert sums[-1] == sum(cost.calls for cost in profile.functions)
    locations = {int(dict(_fields(content))[1]) for field, content in message if field == 4}
    functions = {int(dict(_fields(content))[1]) for field, content in message if field == 5}
    assert ids <= locations == functions
    assert strings[0] == ""


def test_pprof_keeps_where_functions_are_written() -> None:
    message = list(_fields(gzip.decompress(to_pprof(read_named(MIX_05)))))
    strings = [bytes(content).decode() for field, content in message if field == 6]
    functions = [dict(_fields(content)) for field, content in message if field == 5]
    places = {
        (strings[int(it[2])], strings[int(it.get(4, 0))], int(it.get(5, 0))) for it in functions
    }
    assert ("Perf\\Démo\\fib", "/srv/perf/php/mix.php", 7) in places


def test_exports_of_the_same_profile_are_the_same_bytes() -> None:
    for write in (to_pprof, to_speedscope, to_callgrind, to_collapsed):
        assert write(read_named(MIX_05)) == write(read_named(MIX_05))


def _fields(message: "bytes | int") -> Iterator[tuple[int, "bytes | int"]]:
    """Decode one message of protocol buffers, numbers and bytes only."""
    assert isinstance(message, bytes)
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        value, place = _varint(message, place)
        if key & 7 == 0:
            yield key >> 3, value
        else:
            assert key & 7 == 2
            yield key >> 3, message[place : place + value]
            place += value


def _varints(content: "bytes | int") -> list[int]:
    assert isinstance(content, bytes)
    values = []
    place = 0
    while place < len(content):
        value, place = _varint(content, place)
        values.append(value)
    return values


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
