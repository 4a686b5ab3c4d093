"""Voyage AI: the OpenAI shape with ``input_type`` always set and its own name for the length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_memory_core.embeddings.batch_openai import OpenAIBatches
from openclaw_memory_core.embeddings.providers.openai import OpenAIProvider, Shape

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.batch import BatchApi
    from openclaw_memory_core.embeddings.settings import ProviderSettings

# Voyage refuses "float": without an encoding it answers in plain numbers.
SHAPE = Shape(dimensions="output_dimension", query="query", document="document", encoding=None)


class VoyageProvider(OpenAIProvider):
    """Voyage, with its batch API."""

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__(settings, SHAPE)

    def batch_api(self) -> BatchApi:
        """Jobs whose lines hold the text only; model and options are said once."""
        options = {name: value for name, value in self.options("document").items() if value is not None}
        extra = {"request_params": {"model": self.info.model, **options}}
        return OpenAIBatches(self.wire, lambda text: {"body": {"input": text}}, window="12h", extra=extra)


def create(settings: ProviderSettings) -> VoyageProvider:
    """The provider of *settings*; makes no request."""
    return VoyageProvider(settings)
