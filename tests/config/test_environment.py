from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory_core.config.environment import parse_env_file
from openclaw_memory_core.errors import ConfigError


def test_what_an_env_file_may_hold():
    text = """
# comment
A=plain # note
export B = "two\\nlines"
C='single # kept'
D=
E=x#y
A=again
not a line
F="two
lines"
G=" spaced "
"""
    assert parse_env_file(text) == {
        "A": "plain",
        "B": "two\nlines",
        "C": "single # kept",
        "D": "",
        "E": "x#y",
        "F": "two\nlines",
        "G": " spaced ",
    }


def test_windows_line_ends_do_not_become_part_of_a_value():
    assert parse_env_file("A=1\r\nB=2\r\n") == {"A": "1", "B": "2"}


def test_the_process_wins_over_the_current_folder_which_wins_over_the_state_folder(load, write, tmp_path: Path):
    write("A=state\nB=state\nC=state\n", ".env")
    (tmp_path / "here" / ".env").write_text("A=here\nB=here\n", encoding="utf-8")
    env = load(env={"A": "process"}).env
    assert (env["A"], env["B"], env["C"]) == ("process", "here", "state")


def test_an_env_file_cannot_move_the_memory(load, tmp_path: Path, home: Path):
    evil = "OPENCLAW_STATE_DIR=/evil\nHOME=/evil\nPATH=/evil\nLD_PRELOAD=/evil\nOPENCLAW_X=/evil\n"
    (tmp_path / "here" / ".env").write_text(evil, encoding="utf-8")
    config = load()
    assert config.state_dir == home / ".openclaw"
    assert "/evil" not in config.env.values()


def test_a_folder_called_env_is_no_trouble(load, tmp_path: Path):
    (tmp_path / "here" / ".env").mkdir()
    assert load().warnings == ()


def test_the_env_block_fills_what_is_missing_or_empty(load):
    config = load(
        {
            "env": {"vars": {"A": "block", "B": "block"}, "C": "block", "shellEnv": {"enabled": True}},
            "memory": {"search": {"model": "${A}${B}${C}"}},
        },
        env={"A": "process", "B": ""},
    )
    assert config.agent().search.model == "processblockblock"
    assert config.env["C"] == "block"


def test_a_variable_of_the_block_that_is_no_string_is_named(load):
    assert load({"env": {"A": 5}}).warnings[0].key_path == "env.A"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a${X}b", "axb"),
        ("${X}${X}", "xx"),
        ("$${X}", "${X}"),
        ("$$${X}", "$${X}"),
        ("${lower}", "${lower}"),
        ("${X", "${X"),
        ("$X", "$X"),
    ],
)
def test_substitution(text: str, expected: str, load):
    config = load({"memory": {"search": {"model": text}}}, env={"X": "x", "lower": "no"})
    assert config.agent().search.model == expected
    assert config.warnings == ()


def test_substitution_does_not_look_into_values(load):
    config = load({"memory": {"search": {"model": "${X}"}}}, env={"X": "${Y}", "Y": "no"})
    assert config.agent().search.model == "${Y}"


@pytest.mark.parametrize("env", [{}, {"X": ""}])
def test_a_missing_variable_keeps_the_text_and_warns(env: dict[str, str], load):
    config = load({"agents": {"list": [{"memorySearch": {"model": "${X}"}}]}}, env=env)
    assert config.agent().search.model == "${X}"
    [warning] = config.warnings
    assert warning.key_path == "agents.list[0].memorySearch.model"
    assert "X is not set" in warning.message


def test_a_missing_variable_outside_of_our_sections_is_no_error(load):
    load({"channels": {"telegram": {"token": "${NOPE}"}}})


def test_a_missing_variable_in_an_address_is_no_error(load):
    assert load({"memory": {"search": {"remote": {"baseUrl": "${U}/v1/"}}}}).agent().search.remote.base_url == "${U}/v1"


def test_the_env_block_must_be_an_object(load):
    with pytest.raises(ConfigError, match="must be an object"):
        load({"env": []})
