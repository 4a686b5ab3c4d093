from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.cli import Cli
from support.store import Bench

from openclaw_memory_core.errors import StoreBusyError

TWO = {"agents": {"list": [{"id": "a"}, {"id": "b"}]}}


class TestIndex:
    def test_says_what_it_did(self, notes: Cli):
        run = notes("index")
        assert (run.code, run.err) == (0, "")
        assert run.out.startswith("Memory index updated (main): 2 files indexed.\n2 new;")
        assert "no changes" in notes("index").out

    def test_the_document(self, notes: Cli):
        run = notes("index", "--json")
        document = run.json("cli.index")
        assert document["ok"] is True
        assert document["agents"][0]["added"] == 2

    def test_force_builds_anew(self, notes: Cli):
        notes("index")
        assert notes("index", "--force", "--json").json("cli.index")["agents"][0]["rebuilt"] is True

    def test_no_notes_are_said(self, cli: Cli):
        cli.workspace.mkdir()
        assert "nothing indexed (main)" in cli("index").out

    def test_all_agents_or_one(self, notes: Cli):
        notes.configure({"agents": {**TWO["agents"], "defaults": {"workspace": str(notes.workspace)}}})
        both = notes("index", "--json").json("cli.index")
        assert [one["agentId"] for one in both["agents"]] == ["a", "b"]
        one = notes("index", "--agent", "B", "--json").json("cli.index")
        assert [agent["agentId"] for agent in one["agents"]] == ["b"]
        assert notes("index", "--agent", "zed").code == 1

    def test_a_link_is_named_and_stops_nothing(self, notes: Cli, tmp_path: Path):
        (notes.workspace / "memory" / "link.md").symlink_to(tmp_path / "elsewhere.md")
        run = notes("index")
        assert run.code == 0
        assert "memory/link.md: left out" in run.err

    def test_disabled(self, notes: Cli):
        notes.configure({"memory": {"search": {"enabled": False}}})
        run = notes("index", "--json")
        assert run.json("cli.index") == {"ok": True, "agents": [{"agentId": "main", "disabled": True}]}
        assert "Memory search disabled" in run.err


class TestSearch:
    def test_hits_and_none(self, notes: Cli):
        notes("index")
        run = notes("search", "ferry")
        assert run.code == 0
        lines = run.out.splitlines()
        score, place = lines[0].split()
        assert 0 <= float(score) <= 1
        assert place.startswith("memory/2026-05-04.md:")
        assert "Porto" in run.out
        none = notes("search", "qqqqzzzz")
        assert (none.code, none.out) == (0, "No matches.\n")

    def test_the_document_is_that_of_the_tool(self, notes: Cli):
        document = notes("search", "ferry", "--json").json("cli.search")
        assert document["results"][0]["path"] == "memory/2026-05-04.md"
        assert "debug" not in document["results"][0]

    def test_without_an_index_it_is_made_first(self, notes: Cli):
        assert "memory/2026-05-04.md" in notes("search", "ferry").out

    def test_words_need_no_quotes(self, notes: Cli):
        assert "memory/2026-05-04.md" in notes("search", "ferry", "Porto").out

    def test_explain(self, notes: Cli):
        document = notes("search", "ferry", "--explain", "--json").json("cli.search")
        assert document["results"][0]["debug"]
        text = notes("search", "ferry", "--explain").out
        assert "#1 by " in text
        assert "relevance" in text
        assert "terms: ferry" in text
        assert "relevance" not in notes("search", "ferry").out

    def test_what_no_note_holds_is_said_beside_the_results(self, notes: Cli):
        run = notes("search", "ferrry")
        assert (run.code, run.err.count("looked for ferry instead.")) == (0, 1)
        assert "looked for" not in run.out
        assert 'No note holds "QX-9999"' in notes("search", "ferry", "QX-9999").err
        assert 'No note holds "QX-9999"' in notes("search", "ferry", "QX-9999", "--json").json("cli.search")["warning"]

    def test_limits(self, notes: Cli):
        for day in range(1, 6):
            notes.note(f"memory/2026-04-0{day}.md", f"ferry number {day}\n")
        assert len(notes("search", "ferry", "--max-results", "2", "--json").json("cli.search")["results"]) == 2

    @pytest.mark.parametrize("option", [["--max-results", "0"], ["--min-score", "2"], ["--corpus", "wiki"]])
    def test_impossible_limits(self, option: list[str], notes: Cli):
        assert notes("search", "ferry", *option).code == 2

    def test_an_empty_query(self, notes: Cli):
        assert notes("search", "  ").code == 2

    def test_disabled(self, notes: Cli):
        notes.configure({"memory": {"search": {"enabled": False}}})
        run = notes("search", "ferry")
        assert (run.code, run.out) == (0, "Memory search disabled.\n")
        assert notes("search", "ferry", "--json").json("cli.search")["disabled"] is True

    def test_a_foreign_file_in_place_of_the_index_is_a_failure(self, notes: Cli):
        import apsw

        store = notes.state / "memory" / "main.sqlite"
        store.parent.mkdir()
        other = apsw.Connection(str(store))
        other.execute("PRAGMA application_id = 77; CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)")
        other.close()
        before = store.read_bytes()
        run = notes("search", "ferry")
        assert (run.code, run.out) == (1, "")
        assert notes("search", "ferry", "--json").json("cli.error")["error"]["code"] == "store-foreign"
        assert notes("reset", "--yes").code == 1
        assert notes("doctor").code == 1
        assert store.read_bytes() == before


class TestGet:
    def test_a_note_and_a_part(self, notes: Cli):
        assert notes("get", "MEMORY.md").out == "- door code 4417\n"
        assert notes("get", "memory/2026-05-04.md", "--from", "3", "--lines", "1").out.startswith("The ferry")
        assert notes("get", "MEMORY.md", "--json").json("cli.get")["status"] == "ok"

    def test_what_is_not_there_or_not_allowed(self, notes: Cli):
        for path, code in (("memory/none.md", "note-not-found"), ("../openclaw.json", "path-not-allowed")):
            run = notes("get", path)
            assert (run.code, run.out) == (1, "")
            assert run.err.startswith("Error: ")
            assert notes("get", path, "--json").json("cli.error")["error"]["code"] == code

    def test_the_place_that_a_search_shows_is_a_path(self, notes: Cli):
        place = notes("search", "ferry").out.splitlines()[0].split()[1]
        assert place == "memory/2026-05-04.md:1-3"
        assert notes("get", place).out == "# Monday\n\nThe ferry to Porto leaves on Friday.\n"
        assert notes("get", "memory/2026-05-04.md:3").out.startswith("The ferry")

    def test_a_slip_is_answered_with_the_note_that_was_meant(self, notes: Cli):
        assert "Hint: Did you mean MEMORY.md?" in notes("get", "MEMRY.md").err
        run = notes("get", "memory/2026-05-4.md")
        assert "memory/2026-05-4.md does not exist" in run.err

    def test_behind_the_end_there_is_nothing_and_that_is_said(self, notes: Cli):
        run = notes("get", "MEMORY.md", "--from", "300")
        assert (run.code, run.out) == (0, "")
        assert run.err == "MEMORY.md has 1 line; there is none from 300 on.\n"
        assert notes("get", "MEMORY.md", "--from", "300", "--json").json("cli.get")["totalLines"] == 1

    def test_where_to_go_on(self, notes: Cli):
        run = notes("get", "memory/2026-05-04.md", "--lines", "1")
        assert "line 2 of" in run.err


class TestAppend:
    def test_today_and_curated(self, notes: Cli):
        document = notes("append", "buy tickets", "--json").json("cli.append")
        assert document["path"].startswith("memory/")
        assert "buy tickets" in (notes.workspace / document["path"]).read_text(encoding="utf-8")
        run = notes(
            "append", "likes the upper deck", "--target", "curated", "--trigger", "ferry, deck", "--importance", "7"
        )
        assert run.out == "Added to MEMORY.md:2\n"
        text = (notes.workspace / "MEMORY.md").read_text(encoding="utf-8")
        assert text.startswith("- door code 4417\n")
        assert "trigger: ferry, deck" in text

    def test_from_the_standard_input(self, notes: Cli):
        notes("append", "-", stdin="from a pipe\n")
        assert "from a pipe" in notes("search", "pipe").out

    def test_nothing_to_add(self, notes: Cli):
        assert notes("append", "-", stdin="  ").code == 2
        assert notes("append", "x", "--importance", "11").code == 2


class TestStatus:
    def test_lines_in_order(self, notes: Cli):
        notes("index")
        out = notes("status").out
        names = [
            "Memory Search (main)",
            "Provider:",
            "Model:",
            "Sources:",
            "Indexed:",
            "Dirty:",
            "Store:",
            "Workspace:",
        ]
        names += ["By source:", "FTS:"]
        places = [out.index(name) for name in names]
        assert places == sorted(places)
        assert "Indexed: 2/2 files · 2 chunks" in out
        assert "Dirty: no" in out

    def test_before_the_first_index(self, notes: Cli):
        out = notes("status").out
        assert "Indexed: 0/2 files" in out
        assert "Dirty: yes" in out
        assert not (notes.state / "memory").exists()

    def test_the_document(self, notes: Cli):
        document = notes("status", "--json").json("cli.status")
        assert (document["agentId"], document["totalFiles"]) == ("main", 2)
        assert "agents" not in document

    def test_index_and_deep(self, notes: Cli):
        document = notes("status", "--index", "--json").json("cli.status")
        assert document["files"] == 2
        assert document["embeddingProbe"]["ok"] is True
        assert "Embeddings: not needed" in notes("status", "--deep").out

    def test_several_agents(self, notes: Cli):
        notes.configure({"agents": {**TWO["agents"], "defaults": {"workspace": str(notes.workspace)}}})
        document = notes("status", "--json").json("cli.status")
        assert document["agentId"] == "a"
        assert [one["agentId"] for one in document["agents"]] == ["b"]
        assert "agents" not in notes("status", "--json", "--agent", "b").json("cli.status")
        assert "Memory Search (b)" in notes("status").out

    def test_problems_are_shown_and_are_no_failure(self, notes: Cli, tmp_path: Path):
        (notes.workspace / "memory" / "link.md").symlink_to(tmp_path / "x")
        run = notes("status")
        assert run.code == 0
        assert "memory/link.md: a symbolic link" in run.out

    def test_disabled(self, notes: Cli):
        notes.configure({"memory": {"search": {"enabled": False}}})
        assert "Memory search disabled." in notes("status").out
        assert notes("status", "--json").json("cli.status")["enabled"] is False


class TestReset:
    def test_deletes_the_index_and_nothing_else(self, notes: Cli):
        notes("index")
        before = {path: path.read_bytes() for path in notes.workspace.rglob("*.md")}
        run = notes("reset", "--yes", "--json")
        assert run.json("cli.reset")["removed"] is True
        assert not (notes.state / "memory" / "main.sqlite").exists()
        assert {path: path.read_bytes() for path in notes.workspace.rglob("*.md")} == before
        assert "There was no index" in notes("reset", "--yes").out

    def test_what_another_process_has_open_is_emptied_and_said_to_be(self, notes: Cli):
        notes("index")
        path = notes.state / "memory" / "main.sqlite"
        with Bench(path) as other:
            with other.store.reader() as reader:
                assert reader.generation == 1
            document = notes("reset", "--yes", "--json").json("cli.reset")
            assert (document["removed"], document["emptied"]) == (True, True)
            assert notes("reset", "--yes").out.strip() == f"Emptied {path}, which another process has open."
            with other.store.reader() as reader:
                assert reader.generation == 0
        assert notes("reset", "--yes").out.strip() == f"Deleted {path}."

    def test_asks_for_a_yes_where_nobody_can_answer(self, notes: Cli):
        notes("index")
        for arguments in (["reset"], ["reset", "--json"]):
            run = notes(*arguments)
            assert run.code == 2
        assert (notes.state / "memory" / "main.sqlite").exists()


class TestPlugins:
    def test_what_is_installed_and_selected(self, cli: Cli):
        document = cli("plugins", "--json").json("cli.plugins")
        ours = next(one for one in document["plugins"] if one["id"] == "memory-core")
        assert ours["selected"] is True
        assert "openclaw_memory_session_start" in ours["hooks"]
        assert document["slot"] == {"selected": "memory-core", "origin": "default", "enabled": True, "reason": None}
        assert "* memory-core" in cli("plugins").out

    def test_switched_off(self, cli: Cli):
        cli.configure({"plugins": {"slots": {"memory": "none"}}})
        slot = cli("plugins", "--json").json("cli.plugins")["slot"]
        assert (slot["selected"], slot["enabled"]) == (None, False)
        assert slot["origin"].endswith("openclaw.json: plugins.slots.memory")

    def test_what_a_plugin_does_while_it_is_imported_does_not_get_into_the_answer(
        self, cli: Cli, monkeypatch, tmp_path
    ):
        (tmp_path / "noisy_plugin.py").write_text("print('hello')", encoding="utf-8")
        (tmp_path / "rude_plugin.py").write_text("raise SystemExit(7)", encoding="utf-8")
        info = tmp_path / "some_plugins-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-plugins\nVersion: 1.0\n", encoding="utf-8")
        points = "[openclaw.memory]\nnoisy = noisy_plugin\nrude = rude_plugin\ngone = no_such_module\n"
        (info / "entry_points.txt").write_text(points, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        run = cli("plugins", "--json")
        found = {one["id"]: one for one in run.json("cli.plugins")["plugins"]}
        assert found["noisy"]["distribution"] == "some-plugins 1.0"
        assert "error" not in found["noisy"]
        assert "ended the program" in found["rude"]["error"]
        assert "cannot be imported" in found["gone"]["error"]
        assert "hello" in run.err

    def test_one_that_is_not_installed_is_a_failure(self, cli: Cli):
        cli.configure({"plugins": {"slots": {"memory": "nobody"}}})
        run = cli("plugins")
        assert run.code == 1
        assert "'nobody', which is not installed" in run.out


class TestConfig:
    def test_validate(self, cli: Cli):
        assert cli("config", "validate").out.endswith("openclaw.json is valid.\n")
        cli.configure({"memory": {"search": {"modle": "x"}}})
        run = cli("config", "validate", "--json")
        [warning] = run.json("cli.config-validate")["warnings"]
        assert warning["keyPath"] == "memory.search.modle"
        assert 'did you mean "model"?' in cli("config", "validate").out

    def test_validate_fails_for_an_error(self, cli: Cli):
        cli.configure({"memory": {"search": {"model": 5}}})
        assert cli("config", "validate").code == 1
        document = cli("config", "validate", "--json").json("cli.config-validate")
        assert document["error"]["code"] == "config-invalid"

    def test_validate_names_every_error_at_once(self, cli: Cli):
        cli.configure({"memory": {"search": {"model": 5, "query": {"maxResults": 0, "modle": 1}}}})
        document = cli("config", "validate", "--json").json("cli.config-validate")
        keys = [error["keyPath"] for error in document["errors"]]
        assert keys == ["memory.search.model", "memory.search.query.maxResults"]
        assert document["warnings"][0]["keyPath"] == "memory.search.query.modle"
        text = cli("config", "validate").out
        assert "cannot be used: 2 errors" in text
        assert all(key in text for key in keys)

    def test_validate_fails_for_a_file_that_cannot_be_read(self, cli: Cli):
        (cli.state / "openclaw.json").write_text("{ nonsense", encoding="utf-8")
        assert cli("config", "validate").code == 1
        assert cli("config", "validate", "--json").json("cli.config-validate")["ok"] is False

    def test_show(self, cli: Cli):
        cli.configure({"memory": {"search": {"remote": {"apiKey": "sk-hidden-value-123456"}}}})
        document = cli("config", "show", "--json").json("cli.config-show")
        values = {one["keyPath"]: one for one in document["values"]}
        assert values["agents.entries.main.memory.search.remote.apiKey"]["value"] == "***"
        assert values["agents.entries.main.memory.search.query.maxResults"] == {
            "keyPath": "agents.entries.main.memory.search.query.maxResults",
            "value": 6,
            "origin": "default",
        }
        text = cli("config", "show", "--changed").out
        assert "sk-hidden" not in text
        assert "maxResults" not in text
        assert 'provider = "none"' in text

    def test_no_file(self, tmp_path: Path, cli: Cli):
        (cli.state / "openclaw.json").unlink()
        assert "no configuration file" in cli("config", "validate").out


class TestDoctor:
    def test_all_is_well(self, notes: Cli):
        notes("index")
        run = notes("doctor", "--json")
        document = run.json("cli.doctor")
        assert (run.code, document["ok"]) == (0, True)
        names = {check["name"] for check in document["agents"][0]["checks"]}
        assert {"config", "slot", "notes", "sqlite", "vectors", "index", "provider"} <= names
        assert all(check["state"] != "problem" for check in document["agents"][0]["checks"])

    def test_a_missing_workspace_is_a_problem(self, cli: Cli):
        run = cli("doctor")
        assert run.code == 1
        assert "does not exist" in run.out

    def test_what_it_finds_in_notes_without_showing_it(self, notes: Cli, tmp_path: Path):
        notes.note("memory/keys.md", "fine\nOPENAI_API_KEY=sk-abcdefghijklmnop1234\n")
        notes.note("MEMORY.md", "x" * 30_000)
        (notes.workspace / "memory" / "link.md").symlink_to(tmp_path / "x")
        out = notes("doctor").out
        assert "memory/keys.md, line 2: looks like a credential" in out
        assert "sk-abcdef" not in out
        assert "MEMORY.md has 30000 characters; sessions load 20000" in out
        assert "memory/link.md: a symbolic link" in out

    @pytest.mark.skipif(os.name != "posix", reason="modes")
    def test_open_permissions_are_closed_on_request(self, notes: Cli):
        notes("index")
        store = notes.state / "memory" / "main.sqlite"
        store.chmod(0o644)
        assert "doctor --fix repairs it" in notes("doctor").out
        assert store.stat().st_mode & 0o777 == 0o644
        assert "is private now" in notes("doctor", "--fix").out
        assert store.stat().st_mode & 0o777 == 0o600

    def test_the_unused_space_of_an_index_is_given_back_on_request(self, notes: Cli, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("openclaw_memory_core.cli.doctor_index._SPARE", 1 << 18)
        many = [
            notes.note(f"memory/n{i}.md", "\n".join(f"- word{i} {n} {'x' * 60}" for n in range(200)))
            for i in range(120)
        ]
        notes("index")
        for note in many:
            note.unlink()
        notes("index")
        store = notes.state / "memory" / "main.sqlite"
        before = store.stat().st_size
        assert "MB of the index are unused" in notes("doctor").out
        assert store.stat().st_size == before
        assert "gave its unused space back" in notes("doctor", "--fix").out
        assert store.stat().st_size < before // 2
        assert "are unused" not in notes("doctor").out
        assert "memory/2026-05-04.md" in notes("search", "ferry").out

    def test_an_error_is_named_with_its_code(self, notes: Cli):
        store = notes.state / "memory" / "main.sqlite"
        store.parent.mkdir(parents=True)
        store.write_text("not a database\n", encoding="utf-8")
        for command in (["index"], ["search", "ferry"], ["reset", "--yes"]):
            run = notes(*command)
            assert run.code == 1
            assert "belongs to another program and is left alone [store-foreign]\nHint: " in run.err
        assert "left alone [store-foreign]" in notes("doctor").out
        checks = notes("doctor", "--json").json("cli.doctor")["agents"][0]["checks"]
        assert [check["code"] for check in checks if "code" in check] == ["store-foreign"]

    @pytest.mark.skipif(os.name != "posix", reason="modes")
    def test_a_readable_configuration_with_a_key_is_a_problem(self, notes: Cli):
        notes.configure({"memory": {"search": {"remote": {"apiKey": "sk-abcdefghijklmnop1234"}}}})
        (notes.state / "openclaw.json").chmod(0o644)
        assert notes("doctor").code == 1
        assert notes("doctor", "--fix").code == 0

    def test_a_damaged_index_is_moved_away_on_request(self, notes: Cli):
        for day in range(1, 29):
            notes.note(f"memory/2026-03-{day:02}.md", f"word{day} " * 400)
        notes("index")
        store = notes.state / "memory" / "main.sqlite"
        data = bytearray(store.read_bytes())
        for start in range(4096 * 12, len(data) - 4096, 4096 * 3):
            data[start : start + 64] = b"\xff" * 64
        store.write_bytes(bytes(data))
        run = notes("doctor")
        assert "damaged" in run.out
        notes("doctor", "--fix")
        assert notes("index").code == 0
        assert notes("doctor").code == 0

    def test_a_check_that_cannot_be_made_is_a_problem_and_the_others_go_on(self, notes: Cli, monkeypatch):
        def broken(*_: object, **__: object) -> list[str]:
            raise StoreBusyError("the index is held by another process")

        notes("index")
        monkeypatch.setattr("openclaw_memory_core.index.store.SqliteStore.integrity_check", broken)
        run = notes("doctor", "--json")
        checks = run.json("cli.doctor")["agents"][0]["checks"]
        assert run.code == 1
        assert [check["message"] for check in checks if check["state"] == "problem"] == [
            "the index is held by another process"
        ]
        assert "provider" in {check["name"] for check in checks}

    def test_a_slot_that_names_nobody(self, notes: Cli):
        notes.configure({"plugins": {"slots": {"memory": "nobody"}}})
        assert "'nobody', which is not installed" in notes("doctor").out


def test_every_command_has_a_schema_for_its_document():
    import openclaw_memory_schemas

    names = set(openclaw_memory_schemas.names())
    for command in ("status", "index", "search", "get", "append", "watch", "doctor", "reset", "plugins"):
        assert f"cli.{command}" in names
        assert json.dumps(openclaw_memory_schemas.load(f"cli.{command}"))
