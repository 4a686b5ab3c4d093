"""How much a run is about to send, and how texts are put together into requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openclaw_memory_core.workspace.tokens import estimate_tokens

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import ProviderLimits


_SMALLEST = 4
"""Texts in the last requests to a model in this process."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an indexing run is about to send.

    :param texts: texts that are not blank.
    :param tokens: estimated tokens in them.
    """

    texts: int
    tokens: int


def estimate(texts: Iterable[str]) -> Estimate:
    """Size of a run over *texts*; blank ones are never sent and do not count."""
    sizes = [estimate_tokens(text) for text in texts if text.strip()]
    return Estimate(len(sizes), sum(sizes))


@dataclass(frozen=True, slots=True)
class Item:
    """One text on its way to the provider."""

    key: str
    text: str
    tokens: int
    size: int


def sendable(text: str) -> str:
    """*text* with lone surrogates, which no service accepts, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _item(key: str, text: str) -> Item:
    clean = sendable(text)
    return Item(key, clean, estimate_tokens(clean), len(clean.encode()))


class Packer:
    """Cuts requests off a list of texts, as large as the limits allow and one text at least.

    What a server turns out to refuse is learned by :meth:`shrink`, so that later requests are small enough at once.
    """

    def __init__(self, texts: Mapping[str, str], limits: ProviderLimits) -> None:
        self._limits = limits
        self._items = limits.items
        self._waiting = [_item(key, text) for key, text in texts.items() if text.strip()]
        self._waiting.reverse()
        self.blank = frozenset(key for key, text in texts.items() if not text.strip())
        self.total = len(self._waiting)

    def shrink(self, items: int) -> None:
        """From now on no request holds more than *items* texts."""
        self._items = items if self._items is None else min(self._items, items)

    def take(self) -> list[Item]:
        """The next request; empty when nothing is left."""
        request: list[Item] = []
        tokens = size = 0
        most = self._most()
        while self._waiting:
            item = self._waiting[-1]
            tokens += item.tokens
            size += item.size
            if request and not (len(request) < most and self._fits(tokens, size)):
                break
            request.append(self._waiting.pop())
        return request

    def _most(self) -> int:
        """Texts in the next request, by number alone.

        In this process it is half of what is left for each worker (guided self-scheduling, Polychronopoulos and Kuck
        1987).
        """
        left = len(self._waiting)
        most = left if self._items is None else self._items
        if not self._limits.in_process:
            return most
        return min(most, max(_SMALLEST, -(-left // (2 * self._limits.concurrency))))

    def _fits(self, tokens: int, size: int) -> bool:
        limits = self._limits
        return (limits.tokens is None or tokens <= limits.tokens) and (
            limits.body_bytes is None or size <= limits.body_bytes
        )
