"""Check parameters, and report all problems at once."""

import difflib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol, cast
from urllib.parse import quote

from ._quoting import Bare
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
_RISKY_QUOTE = re.compile(r'"(?="|$)')
_BLOCK = ("*/",)
# What would end a comment, or start a trigraph in C.
_UNWELCOME: dict[str, tuple[str, ...]] = {
    "c": ("*/", "??"),
    "go": _BLOCK,
    "java": _BLOCK,
    "javascript": _BLOCK,
    "php": ("*/", "?>"),
    "rust": ("*/", "/*"),
    "xml": ("--",),
}
# A backslash at the end continues a comment line; in Java, \u000a breaks it.
_CONTINUED_BY_BACKSLASH = frozenset({"c", "dockerfile", "java", "make"})
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


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


# Jinja2 filters whose result needs no quotes: spellings of names, comments, docstrings, URLs.


def _words(text: str) -> list[str]:
    return _WORDS.findall(text)


def kebab(text: str) -> Bare:
    """Spell it `like-this`."""
    return Bare("-".join(_words(text)).lower())


def snake(text: str) -> Bare:
    """Spell it `like_this`."""
    return Bare("_".join(_words(text)).lower())


def shout(text: str) -> Bare:
    """Spell it `LIKE_THIS`."""
    return Bare("_".join(_words(text)).upper())


def flat(text: str) -> Bare:
    """Spell it `likethis`."""
    return Bare("".join(_words(text)).lower())


def pascal(text: str) -> Bare:
    """Spell it `LikeThis`."""
    return Bare("".join(word[0].upper() + word[1:] for word in _words(text)))


def camel(text: str) -> Bare:
    """Spell it `likeThis`."""
    spelled = pascal(text)
    return Bare(spelled[:1].lower() + spelled[1:])


def word(value: object) -> Bare:
    """Return a version or a name unchanged.

    Raises:
        ValueError: when it has characters other than letters, digits and `._+-`.
    """
    text = str(value)
    if not _WORD.fullmatch(text):
        message = f"{text!r} is not one plain word; quote it, or give its parameter a pattern"
        raise ValueError(message)
    return Bare(text)


def folders(text: str) -> Bare:
    """Spell a dotted name as a path: `org/stars`."""
    return Bare("/".join(_words(text)))


def comment(text: str, name: str) -> Bare:
    """Make text safe in a one-line comment: a blank breaks up what would end it."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    for mark in _UNWELCOME.get(name, ()):
        while mark in line:
            line = line.replace(mark, f"{mark[0]} {mark[1]}")
    if name in _CONTINUED_BY_BACKSLASH:
        line = line.replace("\\", "/")
    if name == "xml":
        line = line.rstrip("-")
    return Bare(line)


def docstring(text: str) -> Bare:
    """Return a Python docstring."""
    visible = "".join(char if char.isprintable() else " " for char in text)
    escaped = _RISKY_QUOTE.sub(r"\"", visible.replace("\\", "\\\\"))
    return Bare(f'"""{escaped}"""')


def percent(text: str) -> Bare:
    """Return a URL or path with other characters percent-encoded."""
    return Bare(quote(text, safe="/:@.-_~"))


# Filters whose result is written without quotes; `comment` is replaced for each format.
FILTERS: dict[str, Callable[[str], Bare]] = {
    "camel": camel,
    "comment": lambda text: comment(text, "text"),
    "docstring": docstring,
    "flat": flat,
    "folders": folders,
    "kebab": kebab,
    "pascal": pascal,
    "shout": shout,
    "snake": snake,
    "url": percent,
    "word": word,
}
