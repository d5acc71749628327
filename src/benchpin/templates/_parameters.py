"""Check parameters, and report all problems at once."""

import difflib
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol, cast

from ._quoting import flat
from ._template import Parameter, ParameterProblem, Value

# Bidirectional controls: they make text look different from what it is.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Unicode categories: controls, surrogates, line and paragraph separators.
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
_MAX_UNKNOWN_NAMES = 20
_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a string"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
}


def check_parameters(
    parameters: Sequence[Parameter], given: Mapping[str, object], *, known: Collection[str] = ()
) -> tuple[dict[str, Value], list[ParameterProblem]]:
    """Return the values to render with, defaults included, and all problems.

    `known` are names of other parameters, which are accepted and ignored.
    """
    values: dict[str, Value] = {}
    problems: list[ParameterProblem] = []
    for parameter in parameters:
        value = given.get(parameter.name)
        if value is None:
            values[parameter.name] = parameter.default
            if parameter.required:
                problems.append(_problem(parameter, "is required"))
            continue
        found = [_problem(parameter, text) for text in _faults(parameter, value)]
        problems += found
        if not found and isinstance(value, str | int):
            values[parameter.name] = value
    names = [parameter.name for parameter in parameters]
    unknown = [name for name in given if name not in {*names, *known}]
    problems += [_unknown(name, names) for name in unknown[:_MAX_UNKNOWN_NAMES]]
    if len(unknown) > _MAX_UNKNOWN_NAMES:
        more = f"has {len(unknown) - _MAX_UNKNOWN_NAMES} more names that no template knows"
        problems.append(ParameterProblem("parameters", more, _known(names)))
    return values, problems


def _faults(parameter: Parameter, value: object) -> Iterator[str]:
    kind, wanted = _TYPES[parameter.type]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        yield f"must be {wanted}, not {_shown(value)}"
    elif isinstance(value, str):
        yield from _faults_of_text(parameter, value)
    elif isinstance(value, int) and not isinstance(value, bool):
        if parameter.minimum is not None and value < parameter.minimum:
            yield f"must be at least {parameter.minimum}, not {value}"
        if parameter.maximum is not None and value > parameter.maximum:
            yield f"must be at most {parameter.maximum}, not {value}"


def _faults_of_text(parameter: Parameter, text: str) -> Iterator[str]:
    if len(text) > parameter.max_length:
        yield f"must have at most {parameter.max_length} characters, not {len(text)}"
    if any(unicodedata.category(char) in _REFUSED or char in _DIRECTION for char in text):
        yield "must be one line without control characters"
    if parameter.choices and text not in parameter.choices:
        yield f"must be one of {', '.join(parameter.choices)}, not {_shown(text)}"
    if parameter.pattern is not None and not compile_pattern(parameter.pattern).fullmatch(text):
        yield f"must match {parameter.pattern}, unlike {_shown(text)}"
    if not _readings(text).isdisjoint(parameter.forbidden):
        yield f"may not be {_shown(text)}: it is reserved by a compiler or a build tool"


def _readings(text: str) -> set[str]:
    """Return the forms in which a language may read a name: whole, in parts, without dashes."""
    small = text.lower()
    return {small, flat(small), *small.split(".")}


class _Pattern(Protocol):
    def fullmatch(self, text: str) -> object: ...


@cache  # pure, and there are few patterns
def compile_pattern(pattern: str) -> _Pattern:
    """Compile the pattern of a parameter with RE2: a template may be foreign.

    Raises:
        ValueError: when RE2 rejects it, with the reason.
    """
    import re2  # noqa: PLC0415 - loaded when used

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        return cast("_Pattern", re2.compile(pattern, options))
    except re2.error as error:
        message = f"the pattern {pattern[:80]!r} is not a regular expression of RE2"
        raise ValueError(message) from error


def _problem(parameter: Parameter, text: str) -> ParameterProblem:
    shown = parameter.example if parameter.example is not None else parameter.default
    example = f" For example {_shown(shown)}." if shown is not None else ""
    hint = f"{parameter.name}: {parameter.description}{example}"
    return ParameterProblem(f"parameters.{parameter.name}", text, hint)


def _unknown(name: str, names: Sequence[str]) -> ParameterProblem:
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean {near[0]}? {_known(names)}" if near else _known(names)
    return ParameterProblem(f"parameters.{name[:100]}", "there is no such parameter", hint)


def _known(names: Sequence[str]) -> str:
    return f"Known parameters: {', '.join(names) or 'none'}."


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value[:60])
    return str(value) if isinstance(value, int) else f"a {type(value).__name__}"
