"""Mistral AI: the OpenAI shape without ``input_type``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.providers.openai import OpenAIProvider, Shape

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.settings import ProviderSettings


def create(settings: ProviderSettings) -> OpenAIProvider:
    """The provider of *settings*; makes no request."""
    return OpenAIProvider(settings, Shape(dimensions="output_dimension"))
