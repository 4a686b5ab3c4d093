"""Vectors as bytes: packing, and the check that a reply holds what was asked for."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_core.errors import ProviderReplyError

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector


def pack(values: Sequence[float]) -> Vector:
    """A vector as stored: little-endian float32.

    :raises ProviderReplyError: something in it is not a finite number.
    """
    try:
        numbers = array("f", values)
    except (TypeError, OverflowError, ValueError) as error:
        message = f"the embedding holds something that is not a number ({type(error).__name__})"
        raise ProviderReplyError(message) from error
    # Finite float32 numbers never add up to more than a float64 holds; infinity and NaN survive every addition.
    if not math.isfinite(sum(numbers)):
        raise ProviderReplyError("the embedding holds NaN or infinity")
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def dimensions(vector: Vector) -> int:
    """Length of a stored vector."""
    return len(vector) // 4


def normalised(values: Sequence[float]) -> list[float]:
    """The vector scaled to length 1; a zero vector stays as it is."""
    length = math.sqrt(math.fsum(value * value for value in values))
    return [value / length for value in values] if length > 0 else list(values)


def listed(found: Any, who: str) -> list[Sequence[float]]:
    """*found* if it is a list of lists, as it must be.

    :raises ProviderReplyError: it is something else.
    """
    if not isinstance(found, list) or not all(isinstance(vector, list) for vector in found):
        raise ProviderReplyError(f"the reply of {who} has no list of embeddings")
    return found


def ordered(items: Sequence[Any], count: int, *, key: str = "embedding") -> list[Sequence[float]]:
    """The vectors of an OpenAI-shaped ``data`` list in the order of the inputs.

    Items that carry an ``index`` are put where it says; where none does, the order of the list counts.

    :raises ProviderReplyError: the list does not hold exactly one vector for each of *count* inputs.
    """
    if len(items) != count:
        raise ProviderReplyError(f"{len(items)} embeddings came back for {count} texts")
    if not all(isinstance(item, dict) and isinstance(item.get(key), list) for item in items):
        raise ProviderReplyError(f"an item of the reply has no {key!r} list")
    places = [item.get("index", position) for position, item in enumerate(items)]
    if any(isinstance(place, bool) or not isinstance(place, int) for place in places):
        raise ProviderReplyError("an index in the reply is not a number")
    if sorted(places) != list(range(count)):
        raise ProviderReplyError(f"the indexes in the reply do not number {count} texts")
    result: list[Sequence[float]] = [()] * count
    for place, item in zip(places, items, strict=True):
        result[place] = item[key]
    return result
