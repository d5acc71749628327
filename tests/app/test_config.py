from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.app import Configuration, Settings, Workbench, configure, load
from benchpin.app._settings import settings_type
from benchpin.core.calls import Limits, Permissions
from benchpin.core.errors import BenchpinError, ConfigError, InvalidPath
from benchpin.core.tools import DEFAULT_EFFECTS, Effect

LoadFrom = Callable[..., Configuration]


def test_without_sources_everything_has_its_default(load_from: LoadFrom, workspace: Path) -> None:
    assert load_from() == configure(root=workspace)
    assert Configuration(Settings()).effects == DEFAULT_EFFECTS
    assert Configuration(Settings()).permissions == Permissions()


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"user": "tool_timeout = 9"}, 9),
        ({"user": "tool_timeout = 9", "env": {"BENCHPIN_TOOL_TIMEOUT": "8"}}, 8),
        ({"env": {"BENCHPIN_TOOL_TIMEOUT": "8"}, "flags": {"tool_timeout": 7.0}}, 7),
        ({"user": "tool_timeout = 9", "flags": {"tool_timeout": 70.0}}, 70),
        (
            {
                "user": "tool_timeout = 9",
                "env": {"BENCHPIN_TOOL_TIMEOUT": "80"},
                "flags": {"tool_timeout": 7.0},
            },
            7,
        ),
        ({"user": "tool_timeout = 9", "own": "tool_timeout = 6"}, 6),
        ({"env": {"BENCHPIN_TOOL_TIMEOUT": "8"}, "own": "tool_timeout = 9"}, 8),
        ({"flags": {"tool_timeout": 7.0}, "own": "tool_timeout = 9"}, 7),
    ],
)
def test_flags_come_before_variables_and_those_before_files(
    load_from: LoadFrom, sources: dict[str, object], expected: float
) -> None:
    assert load_from(**sources).settings.tool_timeout == expected


def test_limits_from_several_sources_add_up(load_from: LoadFrom) -> None:
    limits = load_from(
        user="[limits]\nin_flight = 7\nburst = 50",
        env={"BENCHPIN_LIMITS_BURST": "40", "BENCHPIN_LIMITS_CONNECTIONS": "3"},
    ).settings.limits
    assert limits == Limits(in_flight=7, burst=40, connections=3)


def test_variables_are_read_by_their_kind(load_from: LoadFrom, workspace: Path) -> None:
    env = {
        "BENCHPIN_TOOLSETS": "server, analysis,",
        "BENCHPIN_EXPOSE_TOOLS": "get_status",
        "BENCHPIN_ALLOW": "write,network",
        "BENCHPIN_DEBUG": "protocol",
        "BENCHPIN_ARTIFACTS": "/var/log:/tmp/profiles:",
        "BENCHPIN_READ_ONLY": "1",
        "BENCHPIN_PORT": "8080",
        "BENCHPIN_LIMITS_PER_SECOND": "2.5",
        "BENCHPINX": "not ours",
        "PATH": "not ours either",
    }
    expected = configure(
        root=workspace,
        toolsets=("server", "analysis"),
        expose_tools=("get_status",),
        allow=frozenset({Effect.WRITE, Effect.NETWORK}),
        debug=frozenset({"protocol"}),
        artifacts=(Path("/var/log"), Path("/tmp/profiles")),  # noqa: S108 - never opened
        read_only=True,
        port=8080,
        limits=Limits(per_second=2.5),
    )
    assert load_from(env=env).settings == expected.settings


@pytest.mark.parametrize(
    "name", ["BENCHPIN_RESOURCE_PERMISSIONS", "BENCHPIN_TOOL_TIMEOUTS", "BENCHPIN_ANALYSIS"]
)
def test_settings_with_structure_are_not_taken_from_variables(
    load_from: LoadFrom, name: str
) -> None:
    with pytest.raises(ConfigError, match=name):
        load_from(env={name: "{}"})


@pytest.mark.parametrize(
    ("sources", "source"),
    [
        ({"flags": {"toolset": ["x"]}}, "the command line"),
        ({"env": {"BENCHPIN_TOOLSET": "x"}}, "the environment"),
        ({"own": "toolset = ['x']"}, "benchpin.toml"),
        ({"pyproject": "[tool.benchpin]\ntoolset = ['x']"}, "pyproject.toml [tool.benchpin]"),
        ({"user": "toolset = ['x']"}, "config.toml"),
    ],
)
def test_an_unknown_key_is_refused_with_its_source_and_the_nearest_key(
    load_from: LoadFrom, sources: dict[str, object], source: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(**sources)
    assert source in caught.value.message
    assert "toolset" in caught.value.message.lower()
    assert caught.value.data["nearest"] == "toolsets"
    assert caught.value.data["key"] == "toolset"


@pytest.mark.parametrize(
    ("sources", "source"),
    [
        ({"flags": {"limits": {"bursts": 5}}}, "the command line"),
        ({"env": {"BENCHPIN_LIMITS_BURSTS": "5"}}, "the environment"),
        ({"own": "limits.bursts = 5"}, "benchpin.toml"),
        ({"pyproject": "[tool.benchpin.limits]\nbursts = 5"}, "pyproject.toml"),
        ({"user": "[limits]\nbursts = 5"}, "config.toml"),
    ],
)
def test_an_unknown_limit_is_refused_with_its_source_and_the_nearest_limit(
    load_from: LoadFrom, sources: dict[str, object], source: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(**sources)
    assert source in caught.value.message
    assert caught.value.data["nearest"] == "burst"


@pytest.mark.parametrize("key", ["", "é", "x" * 500, "zzz"])
def test_a_key_like_no_other_is_refused_all_the_same(load_from: LoadFrom, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(flags={key: 1})
    assert str(caught.value.data["nearest"]) in caught.value.suggestion


@pytest.mark.parametrize(
    ("sources", "source"),
    [
        ({"flags": {"port": 99_999}}, "the command line"),
        ({"env": {"BENCHPIN_PORT": "many"}}, "the environment"),
        ({"user": "port = 'many'"}, "config.toml"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_source(
    load_from: LoadFrom, sources: dict[str, object], source: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(**sources)
    assert caught.value.data["key"] == "port"
    assert source in caught.value.message


def test_a_token_that_does_not_fit_is_not_repeated(load_from: LoadFrom) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(user="auth_token = 8237465")
    assert caught.value.data["key"] == "auth_token"
    assert "8237465" not in str(caught.value.as_dict())


@pytest.mark.parametrize(
    ("own", "key"),
    [
        ("tool_timeout = 0", "tool_timeout"),
        ("tool_timeout = 'soon'", "tool_timeout"),
        ("allow = ['everything']", "allow"),
        ("limits = 5", "limits"),
        ("limits.burst = 0", "limits.burst"),
        ("[[resource_permissions]]\npattern = 5", "resource_permissions.0.pattern"),
        ("[[resource_permissions]]\nglob = '*'", "resource_permissions.0"),
        ("tool_timeouts.echo = -1", "tool_timeouts.echo"),
    ],
)
def test_a_wrong_value_in_a_workspace_file_names_file_and_key(
    load_from: LoadFrom, own: str, key: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(own=own)
    assert caught.value.message.startswith("benchpin.toml: ")
    assert str(caught.value.data["key"]).startswith(key)


BAD_TOML = ["= 5", "a = [", "a = 1\na = 2", b"\xff\xfe", "a = " + "[" * 5000]
BAD_TOML += ["a = " + "9" * 5000, "limits.read_bytes." + "a." * 5000 + "a = 1"]
BAD_TOML_IDS = ["syntax", "cut", "twice", "no utf-8", "deep", "digits", "long key"]


@pytest.mark.parametrize("source", ["own", "user"])
@pytest.mark.parametrize("text", BAD_TOML, ids=BAD_TOML_IDS)
def test_a_file_that_cannot_be_read_is_refused_by_name(
    load_from: LoadFrom, source: str, text: str | bytes
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_from(**{source: text})
    assert {"own": "benchpin.toml", "user": "config.toml"}[source] in caught.value.message


def test_a_damaged_project_file_counts_when_it_may_hold_something_of_ours(
    load_from: LoadFrom,
) -> None:
    assert load_from(pyproject="[project\nname = 'x'") == load_from()
    assert load_from(pyproject="x = " + "9" * 5000) == load_from()
    with pytest.raises(ConfigError, match=r"pyproject\.toml"):
        load_from(pyproject="[project\n[tool.benchpin]\nread_only = true")


@pytest.mark.parametrize(
    "pyproject",
    ["tool = 5", "tool = 'x'", "[[tool]]\nx = 1", "tool.benchpin = 5", "tool.benchpin = 'port'"],
)
def test_a_project_file_of_another_shape_is_refused(load_from: LoadFrom, pyproject: str) -> None:
    with pytest.raises(ConfigError, match=r"pyproject\.toml"):
        load_from(pyproject=pyproject)


def test_a_project_file_without_a_word_for_us_changes_nothing(load_from: LoadFrom) -> None:
    assert load_from(pyproject="[project]\nname = 'x'\n[tool.other]\nx = 1") == load_from()


def test_settings_may_stand_in_the_project_file(load_from: LoadFrom) -> None:
    assert load_from(pyproject="[tool.benchpin]\nread_only = true").effects == {Effect.READ}


def test_a_file_of_our_own_comes_before_the_project_file(load_from: LoadFrom) -> None:
    loaded = load_from(own="tool_timeout = 5", pyproject="[tool.benchpin]\nread_only = true")
    assert loaded.settings.tool_timeout == 5
    assert loaded.effects == DEFAULT_EFFECTS


def test_the_workspace_file_is_that_of_the_root_in_force(
    load_from: LoadFrom, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "benchpin.toml").write_text("read_only = true", encoding="utf-8")
    assert load_from(own="tool_timeout = 5", flags={"root": other}).effects == {Effect.READ}
    by_variable = load({}, {"BENCHPIN_ROOT": str(other), "XDG_CONFIG_HOME": "/nowhere"})
    assert by_variable.effects == {Effect.READ}


def test_a_root_that_is_a_file_is_said_to_be_no_folder(load_from: LoadFrom, tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("", encoding="utf-8")
    with pytest.raises(InvalidPath, match="not a folder"):
        Workbench(load_from(flags={"root": file}))


@pytest.mark.parametrize("root", ["~nosuchuser/code", "a\0b"])
def test_a_root_that_cannot_be_a_path_is_no_crash(load_from: LoadFrom, root: str) -> None:
    with pytest.raises(BenchpinError):
        load_from(flags={"root": Path(root)})


def test_the_users_file_is_found_at_home_without_xdg(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".config" / "benchpin" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("port = 4444", encoding="utf-8")
    assert load({"root": workspace}, {}).settings.port == 4444


def test_configure_reads_nothing_but_its_arguments(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "benchpin.toml").write_text("read_only = true", encoding="utf-8")
    monkeypatch.setenv("BENCHPIN_PORT", "5555")
    made = configure(root=workspace, allow=["write"])
    given = {"root": workspace, "allow": frozenset({Effect.WRITE})}
    assert made == Configuration(settings_type()(**given))


def test_an_empty_variable_says_nothing(load_from: LoadFrom) -> None:
    assert load_from(env={"BENCHPIN_TOOLSETS": "", "BENCHPIN_READ_ONLY": ""}) == load_from()


def test_configure_refuses_what_does_not_exist() -> None:
    with pytest.raises(ConfigError) as caught:
        configure(alow=["write"])
    assert caught.value.data["nearest"] == "allow"
