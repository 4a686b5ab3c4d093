from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_memory_core.errors import ConfigError

JSON5 = """\
// a comment
{
  memory: { search: { query: { maxResults: 0x7, minScore: .5, }, model: 'm', }, },
}
"""


def _include(load, write, included: dict, main: dict):
    write(included, "part.json")
    write(main)
    return load()


def test_json5_is_read(load, write):
    write(JSON5)
    search = load().agent().search
    assert (search.query.max_results, search.query.min_score, search.model) == (7, 0.5, "m")


def test_a_byte_order_mark_and_an_empty_file_are_no_trouble(load, write):
    write(b'\xef\xbb\xbf{"memory": {"citations": "on"}}')
    assert load().citations == "on"
    write("  \n")
    assert load().citations == "auto"


@pytest.mark.parametrize("text", ['{"memory": {}, "memory": {}}', "{memory: {}, memory: {}}"])
def test_a_key_that_stands_twice_is_an_error(text: str, load, write):
    write(text)
    with pytest.raises(ConfigError, match='"memory" stands twice'):
        load()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n "query": 1,\n "a": {"query": 2},\n "query": 3\n}', "line 4: {}, first in line 2"),
        ("{\n // query: 0\n a: ['query', 'x:y'],\n query: 1, /* { \n */\n 'query': 2}", "line 6: {}, first in line 4"),
        ('{"query": {"a": "\\"}"}, "query": 1}', "line 1: {}"),
        ('{"a": [{"query": 1},\n{"query": 1, "qu\\u0065ry": 2}]}', "line 2: {}"),
    ],
)
def test_a_key_that_stands_twice_is_named_with_its_lines(text: str, where: str, load, write):
    path = write(text)
    with pytest.raises(ConfigError) as caught:
        load()
    assert caught.value.message == f"{path}: " + where.format('the key "query" stands twice in one object')
    assert caught.value.hint == "merge the two, or remove one of them"


def test_a_syntax_error_names_file_and_line(load, write):
    path = write('{\n  "memory" {}\n}')
    with pytest.raises(ConfigError, match="line 2") as caught:
        load()
    assert str(path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("content", [b"\xff\xfe{", b"[1, 2]", b'"text"', b"[" * 5000 + b"]" * 5000, b"1" * 5000])
def test_what_is_no_configuration_is_an_error(content: bytes, load, write):
    write(content)
    with pytest.raises(ConfigError):
        load()


def test_a_file_over_the_limit_is_refused(load, write):
    write('{"x": "' + "y" * 2_100_000 + '"}')
    with pytest.raises(ConfigError, match="2 MB"):
        load()


def test_a_folder_or_a_pipe_is_refused_without_waiting(load, tmp_path: Path):
    targets = [tmp_path]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        targets.append(tmp_path / "pipe")
    for target in targets:
        with pytest.raises(ConfigError, match="not a regular file"):
            load(path=target)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_named(load, write):
    path = write({})
    path.chmod(0)
    with pytest.raises(ConfigError, match="cannot be read"):
        load()


def test_a_changed_file_is_read_again(load, write):
    write({"memory": {"citations": "on"}})
    assert load().citations == "on"
    write({"memory": {"citations": "off"}})
    assert load().citations == "off"


def test_an_unchanged_file_is_parsed_once(load, write, monkeypatch):
    write(JSON5)
    first = load()
    monkeypatch.setattr("json.loads", lambda *a, **k: pytest.fail("parsed again"))
    assert load() == first


class TestInclude:
    def test_siblings_win_objects_merge_lists_are_joined(self, load, write):
        config = _include(
            load,
            write,
            {"search": {"model": "a", "provider": "p", "extraPaths": ["x"]}, "citations": "off"},
            {"memory": {"$include": "part.json", "search": {"model": "b", "extraPaths": ["y"]}}},
        )
        search = config.agent().search
        assert (search.model, search.provider, config.citations) == ("b", "p", "off")
        assert [p.configured for p in search.extra_paths] == ["x", "y"]

    def test_several_files_the_last_wins(self, load, write):
        write({"citations": "on", "search": {"model": "a"}}, "a.json")
        write("{citations: 'off'}", "b.json5")
        write({"memory": {"$include": ["a.json", "b.json5"]}})
        config = load()
        assert (config.citations, config.agent().search.model) == ("off", "a")

    def test_origins_name_the_file_a_value_came_from(self, load, write):
        config = _include(
            load,
            write,
            {"model": "a", "provider": "p", "extraPaths": ["x"]},
            {"memory": {"search": {"$include": "part.json", "model": "b"}}},
        )
        origins = {key.rpartition(".")[2]: Path(text.split(": ")[0]).name for key, text in config.origins.items()}
        assert origins == {"model": "openclaw.json", "provider": "part.json", "extraPaths": "part.json"}

    def test_an_error_in_an_included_file_names_that_file(self, load, write):
        with pytest.raises(ConfigError, match=r"part\.json: memory\.search\.model: must be a string"):
            _include(load, write, {"model": 5}, {"memory": {"search": {"$include": "part.json"}}})

    def test_a_file_outside_the_folder_is_refused_also_through_a_link(self, load, write, tmp_path: Path, home: Path):
        outside = tmp_path / "outside.json"
        outside.write_text("{}", encoding="utf-8")
        (home / ".openclaw").mkdir()
        (home / ".openclaw" / "link.json").symlink_to(outside)
        for name in (str(outside), "../../outside.json", "link.json"):
            write({"memory": {"$include": name}})
            with pytest.raises(ConfigError, match="outside the configuration folder"):
                load()

    def test_further_folders_may_be_allowed_by_the_process_only(self, load, write, tmp_path: Path):
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared" / "x.json").write_text('{"citations": "off"}', encoding="utf-8")
        write({"memory": {"$include": str(tmp_path / "shared" / "x.json")}})
        roots = f"OPENCLAW_INCLUDE_ROOTS={tmp_path / 'shared'}\n"
        write(roots, ".env")
        with pytest.raises(ConfigError):
            load()
        assert load(env={"OPENCLAW_INCLUDE_ROOTS": str(tmp_path / "shared")}).citations == "off"

    def test_a_circle_is_refused(self, load, write):
        write({"a": {"$include": "part.json"}}, "part.json")
        write({"memory": {"$include": "part.json"}})
        with pytest.raises(ConfigError, match="includes itself"):
            load()

    def test_ten_deep_is_allowed_and_eleven_are_not(self, load, write):
        for i in range(1, 11):
            write({"$include": f"{i + 1}.json"} if i < 10 else {"citations": "off"}, f"{i}.json")
        write({"memory": {"$include": "1.json"}})
        assert load().citations == "off"
        write({"$include": "11.json"}, "10.json")
        write({}, "11.json")
        with pytest.raises(ConfigError, match="10 deep"):
            load()

    def test_a_flood_of_includes_is_refused(self, load, write):
        for i in range(8):
            write({"$include": [f"{i + 1}.json"] * 10}, f"{i}.json")
        write({}, "8.json")
        write({"memory": {"$include": "0.json"}})
        with pytest.raises(ConfigError, match="more than 256"):
            load()

    @pytest.mark.parametrize("value", [5, None, {}, [1], "", "no.json", "a\0b", "x" * 5000])
    def test_a_wrong_include_is_an_error_with_its_place(self, value: object, load, write):
        write({"memory": {"$include": value}})
        with pytest.raises(ConfigError) as caught:
            load()
        assert caught.value.key_path == "memory.$include"

    def test_a_list_cannot_have_siblings(self, load, write):
        write("[1]", "part.json")
        write({"memory": {"$include": "part.json", "citations": "on"}})
        with pytest.raises(ConfigError, match="must hold an object"):
            load()
