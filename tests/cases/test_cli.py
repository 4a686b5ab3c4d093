from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.cli import Cli
from support.fake_embeddings import FakeEmbeddings


def test_case_cli_01_failure_is_failure(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.note("MEMORY.md", "- the ferry leaves on Friday\n")
    with FakeEmbeddings() as fs:
        fs.fail(500, times=10_000)
        remote = {"baseUrl": fs.url, "apiKey": "sk-test-key-1234567890"}
        cli.configure({"memory": {"search": {"provider": "openai", "remote": remote}}})
        plain = cli("index")
        assert plain.code == 1
        assert plain.out == ""
        assert "Memory index failed (main)" in plain.err
        with_json = cli("index", "--json")
        assert with_json.code == 1
        document = with_json.json("cli.index")
        assert document["ok"] is False
        assert document["error"]["code"].startswith("provider-")
        assert document["error"]["message"]
    assert "sk-test-key" not in plain.err + with_json.out + with_json.err


@pytest.mark.parametrize("noticed", ["while looking", "while reading"])
def test_case_cli_02_counts_that_add_up(noticed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = Cli(tmp_path)
    extra = tmp_path / "extra"
    extra.mkdir()
    for name in ("memory/2026-05-01.md", "memory/2026-05-02.md", "memory/2026-05-03.md"):
        cli.note(name, f"note {name}\n")
    cli.note("memory/blank.md", "\n\n")
    (extra / "good.md").write_text("good\n", encoding="utf-8")
    (extra / "bad.md").write_text("bad\n", encoding="utf-8")
    cli.configure({"memory": {"search": {"extraPaths": [str(extra)]}}})
    (extra / "bad.md").chmod(0)
    # Taking the right away does nothing where the tests run as root, so the system's answer is given instead.
    forbid = _forbid_access if noticed == "while looking" else _forbid_open
    forbid("bad.md", monkeypatch)
    assert cli("index").code == 0
    status = cli("status", "--json").json("cli.status")
    assert (status["files"], status["totalFiles"]) == (5, 6)
    assert any("bad.md" in issue for issue in status["issues"])
    text = cli("status").out
    assert "Indexed: 5/6 files" in text
    assert "bad.md" in text
    for name in ("memory/2026-05-01.md", "memory/2026-05-02.md"):
        (cli.workspace / name).unlink()
    fewer = cli("status", "--json").json("cli.status")
    assert (fewer["files"], fewer["totalFiles"], fewer["dirty"]) == (3, 4, True)


def _forbid_access(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, *rest, **more: not _is(path, name) and real(path, *rest, **more))


def _forbid_open(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: Any, *rest: Any, **more: Any) -> int:
        if _is(path, name):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)


def _is(path: Any, name: str) -> bool:
    return os.fsdecode(path).endswith(name)
