"""At how many tokens a flush is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.config.model import FlushConfig

DEFAULT_WINDOW = 200_000
"""Window to assume when neither the host, the session nor the configuration says one."""


@record
class Threshold:
    """The point at which a flush is due.

    :param tokens: a context of this size or more wants a flush.
    :param window: the model's window.
    :param adjusted: the configured reserve did not fit into the window and was made smaller.
    """

    tokens: int
    window: int
    adjusted: bool = False


def flush_threshold(window: int, config: FlushConfig) -> Threshold:
    """``window − reserveTokensFloor − softThresholdTokens``, or a share of a window too small for that.

    Where the two settings take the whole window, the reserve becomes at most a quarter of it and the soft threshold at
    most half of what then remains.
    """
    window = max(1, window)
    reserve, soft = config.reserve_tokens_floor, config.soft_threshold_tokens
    if window > reserve + soft:
        return Threshold(window - reserve - soft, window)
    reserve = min(reserve, window // 4)
    soft = min(soft, (window - reserve) // 2)
    return Threshold(max(1, window - reserve - soft), window, adjusted=True)
