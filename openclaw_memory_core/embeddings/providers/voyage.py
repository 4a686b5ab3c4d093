"""Voyage AI: the OpenAI shape with ``input_type`` always set and its own name for the length."""

from __future__ import annotations

from openclaw_memory_core.embeddings.providers.openai import OpenAIProvider, Shape
from openclaw_memory_core.embeddings.settings import ProviderSettings

# Voyage refuses "float": without an encoding it answers in plain numbers.
SHAPE = Shape(dimensions="output_dimension", query="query", document="document", encoding=None)


def create(settings: ProviderSettings) -> OpenAIProvider:
    """The provider of *settings*; makes no request."""
    return OpenAIProvider(settings, SHAPE)
