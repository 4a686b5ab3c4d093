"""Keys: the documented order, rotation, and never to a foreign address."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from support.providers import provider_settings

from openclaw_memory_core.config.model import RemoteConfig, Secret
from openclaw_memory_core.embeddings.keys import Keyring, profile_keys, rotation_keys, sensitive_values
from openclaw_memory_core.errors import MissingKeyError, ProviderAuthError, ProviderRateLimitError


def write_profiles(folder: Path, profiles: dict[str, Any], **more: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = {"version": 1, "profiles": profiles, **more}
    (folder / "auth-profiles.json").write_text(json.dumps(data), encoding="utf-8")


def api_key(key: str, provider: str = "openai") -> dict[str, str]:
    return {"type": "api_key", "provider": provider, "key": key}


def test_remote_key_then_profile_then_environment_then_provider_entry(tmp_path: Path) -> None:
    write_profiles(tmp_path, {"openai:default": api_key("from-profile")})
    everything: dict[str, Any] = {
        "key": "from-remote",
        "agent_dir": tmp_path,
        "env": {"OPENAI_API_KEY": "from-env"},
        "own_key": Secret("from-entry"),
    }

    def first(**changes: Any) -> str:
        return provider_settings("openai", **(everything | changes)).keyring().values()[0]

    assert first() == "from-remote"
    assert first(key=None) == "from-profile"
    assert first(key=None, agent_dir=tmp_path / "none") == "from-env"
    assert first(key=None, agent_dir=tmp_path / "none", env={}) == "from-entry"
    assert first(key=None, agent_dir=tmp_path / "none", env={"OPENAI_API_KEY": "  "}) == "from-entry"


def test_without_any_key_the_error_names_provider_and_variable() -> None:
    with pytest.raises(MissingKeyError, match='No API key found for provider "openai"') as caught:
        provider_settings("openai").keyring()
    assert "OPENAI_API_KEY" in str(caught.value.hint)


def test_why_a_configured_key_is_missing_is_said() -> None:
    remote = RemoteConfig(api_key_problem="the variable MY_KEY is not set")

    with pytest.raises(MissingKeyError, match="MY_KEY"):
        provider_settings("openai", remote=remote).keyring()


def test_an_address_of_ones_own_needs_its_own_key(tmp_path: Path) -> None:
    write_profiles(tmp_path, {"openai:default": api_key("from-profile")})
    home_keys = {"agent_dir": tmp_path, "env": {"OPENAI_API_KEY": "from-env"}, "own_key": Secret("from-entry")}

    with pytest.raises(MissingKeyError, match=r"proxy\.example\.com") as caught:
        provider_settings("openai", url="https://proxy.example.com/v1", **home_keys).keyring()
    assert "remote.apiKey" in str(caught.value.hint)
    own = provider_settings("openai", url="https://proxy.example.com/v1", key="own", **home_keys)
    assert own.keyring().values() == ["own"]


def test_the_providers_own_address_may_be_configured_and_then_keeps_its_keys() -> None:
    settings = provider_settings("openai", env={"OPENAI_API_KEY": "k"}, own_url="http://127.0.0.1:9/v1/")

    assert settings.base_url() == "http://127.0.0.1:9/v1"
    assert settings.keyring().values() == ["k"]


def test_headers_of_the_provider_entry_stay_at_home_and_remote_wins() -> None:
    own = {"X-Org": "entry", "x-team": "entry"}

    home = provider_settings("openai", own_headers=own, headers={"x-org": "remote"})
    away = provider_settings("openai", url="https://x.org/v1", own_headers=own, headers={"x-org": "remote"})

    assert home.headers() == {"x-team": "entry", "x-org": "remote"}
    assert away.headers() == {"x-org": "remote"}


def test_an_authorization_header_counts_as_a_key() -> None:
    settings = provider_settings("openai", url="https://x.org/v1", headers={"Authorization": "Bearer abc"})

    assert len(settings.keyring()) == 0


def test_a_compatible_endpoint_never_inherits_openai_keys(tmp_path: Path) -> None:
    write_profiles(tmp_path, {"openai:default": api_key("from-profile")})
    settings = provider_settings(
        "openai-compatible", url="http://127.0.0.1:9/v1", model="m", agent_dir=tmp_path, env={"OPENAI_API_KEY": "k"}
    )

    assert len(settings.keyring()) == 0


def test_logins_for_chat_do_not_count(tmp_path: Path) -> None:
    write_profiles(tmp_path, {"openai:codex": {"type": "oauth", "provider": "openai", "access": "x", "key": "y"}})

    assert profile_keys(tmp_path, "openai") == []


def test_profiles_come_in_the_users_order(tmp_path: Path) -> None:
    profiles = {name: api_key(name) for name in ("openai:b", "openai:default", "openai:z", "openai:a")}
    profiles["voyage:default"] = api_key("other", "voyage")
    write_profiles(tmp_path, profiles, order={"openai": ["openai:z"]}, lastGood={"openai": "openai:b"})

    keys = [key.reveal() for key in profile_keys(tmp_path, "openai")]

    assert keys == ["openai:z", "openai:b", "openai:default", "openai:a"]


@pytest.mark.parametrize(
    "text", ["", "not json", "[]", '{"profiles": 3}', '{"profiles": {"openai:x": null}}', "\ud83d"]
)
def test_a_broken_profiles_file_counts_as_empty_and_shows_nothing(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "auth-profiles.json").write_bytes(text.encode("utf-8", "surrogatepass"))

    with caplog.at_level(logging.WARNING):
        assert profile_keys(tmp_path, "openai") == []
    assert text == "" or text not in caplog.text


def test_further_keys_of_the_environment_in_their_order() -> None:
    env = {
        "GEMINI_API_KEYS": "k1, k2;k3\nk4",
        "GEMINI_API_KEY": "k5",
        "GEMINI_API_KEY_B": "k7",
        "GEMINI_API_KEY_A": "k6",
        "GOOGLE_API_KEY": "k8",
    }

    assert [key.reveal() for key in rotation_keys("GEMINI", env, "GOOGLE_API_KEY")] == [f"k{i}" for i in range(1, 9)]
    assert [key.reveal() for key in rotation_keys("GEMINI", env | {"OPENCLAW_LIVE_GEMINI_KEY": "only"})] == ["only"]


def test_a_ring_moves_on_only_when_a_key_is_used_too_often() -> None:
    ring = Keyring([Secret("a"), Secret("b"), Secret("a"), Secret("c")])
    used: list[str] = []

    def request(key: Secret | None) -> str:
        assert key is not None
        used.append(key.reveal())
        if key.reveal() != "c":
            raise ProviderRateLimitError("slow")
        return "done"

    assert ring.each(request) == "done"
    assert ring.each(request) == "done"
    assert used == ["a", "b", "c", "c"]


def test_other_failures_do_not_spend_the_other_keys() -> None:
    ring = Keyring([Secret("a"), Secret("b")])
    used: list[Secret | None] = []

    def request(key: Secret | None) -> None:
        used.append(key)
        raise ProviderAuthError("no")

    with pytest.raises(ProviderAuthError):
        ring.each(request)
    assert used == [Secret("a")]


def test_a_ring_without_keys_asks_without_a_key() -> None:
    assert Keyring([]).each(lambda key: key) is None


def test_header_values_that_are_secret_are_known_by_name() -> None:
    headers = {"X-Api-Key": "abcdef123", "Authorization": "Basic QWxhZGRpbg==", "X-Title": "my notes"}

    assert sensitive_values(headers) == ["abcdef123", "abcdef123", "Basic QWxhZGRpbg==", "QWxhZGRpbg=="]
