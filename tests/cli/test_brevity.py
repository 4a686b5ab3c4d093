"""What is said by default is short; -v has the rest."""

from __future__ import annotations

import pytest
from support.cli import Cli

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY", "MISTRAL_API_KEY")


@pytest.fixture
def auto(notes: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """An installation that leaves the choice of the provider to us, without a key."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    notes.configure({"memory": {"search": {"provider": "auto"}}})
    return notes


def test_status_says_in_one_sentence_why_the_built_in_model_is_used(auto: Cli):
    why = "no API key found; using the built-in model"
    assert f"\nWhy: {why}\n" in auto("status").out
    in_full = auto("status", "-v").out
    assert why not in in_full
    assert "OPENAI_API_KEY" in in_full
    assert len(auto("status", "--json").json("cli.status")["providerReasons"]) == 5


def test_a_provider_that_somebody_configured_is_named_when_it_is_passed_over(auto: Cli):
    remote = {"baseUrl": "http://10.0.0.1:9/v1"}
    auto.configure({"memory": {"search": {"provider": "auto", "remote": remote}}})
    assert 'Why: openai: No API key found for provider "openai" at http://10.0.0.1:9' in auto("status").out


def test_the_provider_that_was_named_needs_no_reason(notes: Cli):
    assert "Why:" not in notes("status").out


def test_doctor_advises_only_on_request_how_to_count_tokens_exactly(notes: Cli, monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert "tokens of transcripts are estimated" in notes("doctor").out
    assert "TIKTOKEN_CACHE_DIR" not in notes("doctor").out
    assert "TIKTOKEN_CACHE_DIR" in notes("doctor", "-v").out
