from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory_core.config.paths import expand, find_locations
from openclaw_memory_core.errors import ConfigError


def test_the_default_places(home: Path, load):
    config = load()
    agent = config.agent()
    assert config.state_dir == home / ".openclaw"
    assert config.path is None
    assert agent.workspace == home / ".openclaw" / "workspace"
    assert agent.search.store.path == home / ".openclaw" / "memory" / "main.sqlite"
    assert agent.agent_dir == home / ".openclaw" / "agents" / "main" / "agent"
    assert agent.sessions_dir == home / ".openclaw" / "agents" / "main" / "sessions"


def test_an_own_home_may_start_with_the_home_of_the_system(load, home: Path):
    assert load(env={"OPENCLAW_HOME": "~/claw"}).state_dir == home / "claw" / ".openclaw"


def test_userprofile_is_the_home_where_home_is_not_set(tmp_path: Path):
    assert find_locations({"USERPROFILE": str(tmp_path)}, cwd=tmp_path).home == tmp_path


def test_a_blank_home_does_not_count(tmp_path: Path):
    assert find_locations({"HOME": " ", "USERPROFILE": str(tmp_path)}, cwd=tmp_path).home == tmp_path


@pytest.mark.parametrize("name", ["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"])
def test_a_state_folder_from_the_environment_moves_everything(name: str, load, home: Path):
    config = load(env={name: "~/elsewhere"})
    assert config.state_dir == home / "elsewhere"
    assert config.agent().workspace == home / "elsewhere" / "workspace"


def test_the_state_folder_argument_wins_over_the_environment(load, tmp_path: Path):
    config = load(env={"OPENCLAW_STATE_DIR": "~/elsewhere"}, state_dir=tmp_path / "mine")
    assert config.state_dir == tmp_path / "mine"


@pytest.mark.parametrize("name", [".clawdbot", ".moltbot", ".moldbot"])
def test_an_old_state_folder_is_used_where_the_new_one_is_missing(name: str, load, home: Path):
    (home / name).mkdir()
    assert load().state_dir == home / name
    (home / ".openclaw").mkdir()
    assert load().state_dir == home / ".openclaw"


def test_an_old_file_name_is_used_where_the_new_one_is_missing(load, write):
    old = write({"memory": {"search": {"query": {"maxResults": 3}}}}, "moltbot.json")
    assert load().path == old
    new = write({})
    assert load().path == new


def test_the_file_from_the_environment(load, tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text('{"memory": {"citations": "off"}}', encoding="utf-8")
    assert load(env={"OPENCLAW_CONFIG_PATH": str(path)}).citations == "off"


def test_a_file_that_was_asked_for_and_is_missing_gives_a_warning(load, tmp_path: Path):
    config = load(path=tmp_path / "no.json")
    assert "does not exist" in config.warnings[0].message
    assert load().warnings == ()


def test_a_profile_has_its_own_state_and_workspace(load, home: Path):
    config = load(env={"OPENCLAW_PROFILE": "work"})
    assert config.state_dir == home / ".openclaw-work"
    assert config.agent().workspace == home / ".openclaw-work" / "workspace"


def test_the_older_workspace_of_a_profile_is_kept_where_only_it_exists(load, home: Path):
    older = home / ".openclaw" / "workspace-work"
    older.mkdir(parents=True)
    assert load(env={"OPENCLAW_PROFILE": "work"}).agent().workspace == older


def test_the_default_profile_is_no_profile(load, home: Path):
    assert load(env={"OPENCLAW_PROFILE": "Default"}).state_dir == home / ".openclaw"


@pytest.mark.parametrize("profile", ["../x", "a/b", "a b", ".x"])
def test_a_profile_cannot_leave_the_home(profile: str, load):
    with pytest.raises(ConfigError, match="OPENCLAW_PROFILE"):
        load(env={"OPENCLAW_PROFILE": profile})


def test_the_workspace_variable_is_a_default_only(load, home: Path):
    env = {"OPENCLAW_WORKSPACE_DIR": "~/w"}
    assert load(env=env).agent().workspace == home / "w"
    configured = load({"agents": {"defaults": {"workspace": "~/v"}}}, env=env)
    assert configured.agent().workspace == home / "v"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~", "/h"),
        ("~/a", "/h/a"),
        ("~\\a", "/h/a"),
        ("~user/a", "/b/~user/a"),
        ("a/../c", "/b/c"),
        ("/x\0y", "/xy"),
        ("~//etc", "/h/etc"),
    ],
)
def test_expanding_a_path(text: str, expected: str):
    assert expand(text, Path("/h"), Path("/b")) == Path(expected)
