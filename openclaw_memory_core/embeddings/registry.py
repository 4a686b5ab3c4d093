"""Every provider by its id.  Nothing is imported before a provider is chosen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType

from openclaw_memory_core.embeddings.base import EmbeddingProvider, ProviderLimits
from openclaw_memory_core.embeddings.settings import ProviderSettings, ProviderSpec
from openclaw_memory_core.errors import MissingExtraError, ProviderUnavailableError

_HOSTED = ProviderLimits(items=256, tokens=32_000)
_SELF_HOSTED = ProviderLimits(items=64, tokens=8000, document_timeout=600.0)
_IN_PROCESS = ProviderLimits(
    items=64,
    tokens=8000,
    concurrency=max(1, min(4, os.cpu_count() or 1)),
    query_timeout=300.0,
    document_timeout=600.0,
    in_process=True,
)

_SPECS = (
    ProviderSpec(
        id="openai",
        module="openai",
        default_model="text-embedding-3-small",
        base_url="https://api.openai.com/v1",
        env=("OPENAI_API_KEY",),
        rotates="OPENAI",
        prefixes=("openai/",),
        limits=_HOSTED,
    ),
    ProviderSpec(
        id="gemini",
        module="gemini",
        default_model="gemini-embedding-001",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        config_id="google",
        rotates="GEMINI",
        prefixes=("models/", "gemini/", "google/"),
        limits=replace(_HOSTED, items=100),
        note="native API; gemini-embedding-2 also takes images and audio",
    ),
    ProviderSpec(
        id="voyage",
        module="voyage",
        default_model="voyage-4-large",
        base_url="https://api.voyageai.com/v1",
        env=("VOYAGE_API_KEY",),
        prefixes=("voyage/",),
        limits=_HOSTED,
    ),
    ProviderSpec(
        id="mistral",
        module="mistral",
        default_model="mistral-embed",
        base_url="https://api.mistral.ai/v1",
        env=("MISTRAL_API_KEY",),
        prefixes=("mistral/",),
        limits=replace(_HOSTED, tokens=8000),
    ),
    ProviderSpec(
        id="deepinfra",
        module="openai",
        default_model="BAAI/bge-m3",
        base_url="https://api.deepinfra.com/v1/openai",
        env=("DEEPINFRA_API_KEY",),
        prefixes=("deepinfra/",),
        limits=_HOSTED,
    ),
    ProviderSpec(
        id="bedrock",
        module="bedrock",
        default_model="amazon.titan-embed-text-v2:0",
        config_id="amazon-bedrock",
        key="never",
        extra=("bedrock", "boto3"),
        prefixes=("bedrock/", "amazon-bedrock/"),
        limits=_HOSTED,
        note="AWS credential chain or AWS_BEARER_TOKEN_BEDROCK; Titan, Cohere and Nova models",
    ),
    ProviderSpec(
        id="github-copilot",
        module="copilot",
        default_model="text-embedding-3-small",
        base_url="https://api.github.com",
        env=("COPILOT_GITHUB_TOKEN",),
        prefixes=("github-copilot/",),
        paid=False,
        limits=_HOSTED,
        note="the GitHub token is exchanged for a short-lived one; part of a subscription",
    ),
    ProviderSpec(
        id="ollama",
        module="ollama",
        default_model="nomic-embed-text",
        base_url="http://127.0.0.1:11434",
        key="optional",
        paid=False,
        local=True,
        prefixes=("ollama/",),
        limits=replace(_SELF_HOSTED, concurrency=1),
        note="OLLAMA_API_KEY is sent to ollama.com only",
    ),
    ProviderSpec(
        id="lmstudio",
        module="openai",
        default_model="text-embedding-nomic-embed-text-v1.5",
        base_url="http://localhost:1234/v1",
        key="optional",
        paid=False,
        local=True,
        prefixes=("lmstudio/",),
        limits=_SELF_HOSTED,
    ),
    ProviderSpec(
        id="local",
        module="local",
        default_model="embeddinggemma-300m-qat-Q8_0.gguf",
        key="never",
        paid=False,
        local=True,
        limits=replace(_SELF_HOSTED, concurrency=1, query_timeout=300.0),
        note="a GGUF file (local.modelPath: path, hf: or https:), with llama-server or the extra local",
    ),
    ProviderSpec(
        id="openai-compatible",
        module="openai",
        key="optional",
        paid=False,
        prefixes=("openai-compatible/",),
        limits=_SELF_HOSTED,
        note="remote.baseUrl and model are required",
    ),
    ProviderSpec(
        id="embedded",
        module="embedded",
        default_model="universal-sentence-encoder-multilingual-3",
        key="never",
        paid=False,
        local=True,
        limits=_IN_PROCESS,
        note="comes with the package; 512 dimensions, 16 languages",
    ),
)

PROVIDERS: Mapping[str, ProviderSpec] = MappingProxyType({spec.id: spec for spec in _SPECS})
"""All providers that compute vectors; ``none`` and ``auto`` are choices, not providers."""

_SHAPES = {"openai-completions": "openai-compatible", "openai-responses": "openai-compatible"}


def spec_for_api(api: str | None, has_address: bool) -> ProviderSpec | None:  # noqa: FBT001
    """The provider that a custom ``models.providers`` entry speaks like; None if it cannot give embeddings."""
    if api is None:
        return PROVIDERS["openai-compatible"] if has_address else None
    return PROVIDERS.get(_SHAPES.get(api, api))


def create_provider(settings: ProviderSettings) -> EmbeddingProvider:
    """Make a provider: no request, no model, no heavy import.

    :raises EmbeddingError: it cannot work as configured; the error says why.
    """
    spec = settings.spec
    if spec.extra is not None and find_spec(spec.extra[1]) is None:
        raise MissingExtraError(
            f"the provider {settings.name} needs the package {spec.extra[1]}",
            hint=f'pip install "openclaw-memory-core[{spec.extra[0]}]"',
        )
    if spec.key == "required":
        # Without a key there is no provider: found out before its module, and what it needs for HTTP, is imported.
        settings.keyring()
    module = import_module(f"openclaw_memory_core.embeddings.providers.{spec.module}")
    provider: EmbeddingProvider = module.create(settings)
    return provider


def unknown_provider(name: str, custom: Mapping[str, object]) -> ProviderUnavailableError:
    """The error for an id that is neither ours nor configured under ``models.providers``."""
    import difflib

    known = sorted({*PROVIDERS, *custom, "auto", "none"})
    near = difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
    return ProviderUnavailableError(f"there is no embedding provider called {name!r}", hint=hint)
