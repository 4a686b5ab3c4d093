"""Every provider by its id.  Nothing is imported before a provider is chosen."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
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
    module = import_module(f"openclaw_memory_core.embeddings.providers.{spec.module}")
    provider: EmbeddingProvider = module.create(settings)
    return provider


def unknown_provider(name: str, custom: Mapping[str, object]) -> ProviderUnavailableError:
    """The error for an id that is neither ours nor configured under ``models.providers``."""
    known = sorted({*PROVIDERS, *custom, "auto", "none"})
    near = difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
    return ProviderUnavailableError(f"there is no embedding provider called {name!r}", hint=hint)
