"""How many tokens a text is, roughly, without a tokenizer.

One ASCII character counts a quarter of a token, one of U+0080 to U+07FF (accented Latin, Greek, Cyrillic, Hebrew,
Arabic …) a half, every other character (CJK, Thai, emoji …) a whole one.  Against cl100k this stays within about a
quarter for prose in any script, where "four characters a token" is wrong by half for CJK.

UTF-8 does the counting: it spends 1, 2, 3 or 4 bytes on just these classes, so only the three-byte characters need
one unit more.
"""

from __future__ import annotations

__all__ = ["QUARTERS", "estimate_tokens", "quarter_tokens"]

QUARTERS = 4
"""Units of :func:`quarter_tokens` in one token."""

_THREE_BYTE_LEADS = bytes(range(0xE0, 0xF0))


def quarter_tokens(text: str) -> int:
    """Estimated size of *text* in quarters of a token: additive, so that sums of parts are exact."""
    if text.isascii():
        return len(text)
    data = text.encode("utf-8", "surrogatepass")
    return 2 * len(data) - len(data.translate(None, _THREE_BYTE_LEADS))


def estimate_tokens(text: str) -> int:
    """Estimated number of tokens of *text*, rounded up; 0 only for the empty text."""
    return -(-quarter_tokens(text) // QUARTERS)
