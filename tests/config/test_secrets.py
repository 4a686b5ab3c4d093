from __future__ import annotations

import json
from pathlib import Path

import pytest

from openclaw_memory_core.config.model import Secret
from openclaw_memory_core.errors import ConfigError


def keyed(value: object, **more: object) -> dict:
    return {"memory": {"search": {"remote": {"apiKey": value}}}, **more}


def test_a_plain_key_and_a_variable(load):
    assert load(keyed(" sk-1 ")).agent().search.remote.api_key == Secret("sk-1")
    assert load(keyed("${K}"), env={"K": "sk-2"}).agent().search.remote.api_key == Secret("sk-2")
    assert load(keyed("")).agent().search.remote.api_key is None


def test_a_key_whose_variable_is_missing_is_no_key_and_the_reason_is_kept(load):
    config = load(keyed("${K}"))
    remote = config.agent().search.remote
    assert remote.api_key is None
    assert remote.api_key_problem is not None
    assert config.warnings[0].key_path == "memory.search.remote.apiKey"


@pytest.mark.parametrize("value", [{"source": "env", "provider": "default", "id": "K"}, "GEMINI_API_KEY"])
def test_a_reference_to_a_variable(value: object, load):
    assert load(keyed(value), env={"K": "k", "GEMINI_API_KEY": "k"}).agent().search.remote.api_key == Secret("k")
    missing = load(keyed(value))
    assert missing.agent().search.remote.api_key is None
    assert "is not set" in missing.warnings[0].message


def test_a_file_that_is_the_secret(load, tmp_path: Path):
    path = tmp_path / "key"
    path.write_text("sk-3\n", encoding="utf-8")
    assert load(keyed({"source": "file", "id": str(path)})).agent().search.remote.api_key == Secret("sk-3")


def test_a_place_in_a_json_file(load, home: Path):
    (home / "s.json").write_text(json.dumps({"a/b": {"key": "sk-4"}}), encoding="utf-8")
    secrets = {"providers": {"vault": {"source": "file", "path": "~/s.json", "mode": "json"}}}
    reference = {"source": "file", "provider": "vault", "id": "/a~1b/key"}
    assert load(keyed(reference, secrets=secrets)).agent().search.remote.api_key == Secret("sk-4")
    wrong = load(keyed({**reference, "id": "/no"}, secrets=secrets))
    assert wrong.agent().search.remote.api_key is None
    assert "sk-4" not in str(wrong.warnings)


def test_a_single_value_file(load, home: Path):
    (home / "s.txt").write_text("sk-5", encoding="utf-8")
    secrets = {"providers": {"vault": {"source": "file", "path": "~/s.txt", "mode": "singleValue"}}}
    reference = {"source": "file", "provider": "vault", "id": "value"}
    assert load(keyed(reference, secrets=secrets)).agent().search.remote.api_key == Secret("sk-5")


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"x" * 70_000])
def test_a_secrets_file_that_cannot_be_used_is_a_warning(content: bytes | None, load, tmp_path: Path):
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    config = load(keyed({"source": "file", "id": str(path)}))
    assert config.agent().search.remote.api_key is None
    assert "not available" in config.warnings[0].message


def test_a_command_is_never_run(load):
    config = load(keyed({"source": "exec", "provider": "vault", "id": "x"}))
    assert "are not run" in config.warnings[0].message


@pytest.mark.parametrize("value", [{}, {"source": "moon", "id": "x"}, {"source": "env"}, {"source": "env", "id": ""}])
def test_a_malformed_reference_is_an_error(value: dict, load):
    with pytest.raises(ConfigError) as caught:
        load(keyed(value))
    assert caught.value.hint


def test_headers_may_hold_references_and_lose_those_that_cannot_be_resolved(load):
    headers = {"Authorization": {"source": "env", "id": "T"}, "X-A": "b", "X-B": "${NOPE}"}
    config = load({"memory": {"search": {"remote": {"headers": headers}}}}, env={"T": "Bearer t"})
    assert config.agent().search.remote.headers == {"Authorization": "Bearer t", "X-A": "b"}


def test_provider_entries(load):
    config = load(
        {
            "models": {
                "providers": {
                    "mine": {
                        "baseUrl": "http://h/v1/",
                        "apiKey": "${K}",
                        "headers": {"A": "1"},
                        "api": "openai",
                        "models": [],
                    }
                }
            }
        },
        env={"K": "sk"},
    )
    entry = config.providers["mine"]
    assert (entry.id, entry.base_url, entry.api_key, entry.headers) == ("mine", "http://h/v1", Secret("sk"), {"A": "1"})
    assert entry.api == "openai"


def test_no_secret_in_any_text_of_the_configuration(load):
    config = load(
        {
            **keyed("sk-secret"),
            "models": {"providers": {"x": {"apiKey": "sk-secret", "headers": {"A": "sk-secret"}}}},
            "agents": {"list": [{"memorySearch": {"remote": {"headers": {"Authorization": "sk-secret"}}}}]},
        },
        env={"K": "sk-secret"},
    )
    assert "sk-secret" not in repr(config)
