"""A toolset that does every odd thing a server must survive; tests and `make conformance` use it."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Everything",
    description="Tools for testing the server.",
    tools=(
        "append_line",
        "count_slowly",
        "echo",
        "fail_known",
        "fail_oddly",
        "make_big",
        "run_child",
        "sleep_async",
        "sleep_for",
    ),
    aliases={"echo.say": "echo", "fail.known": "fail_known", "fail.oddly": "fail_oddly"},
    codes={"file_missing": -32001},
    example=Example("echo", {"text": "hello"}),
)
