"""From bytes to text, whatever an editor has written."""

from __future__ import annotations

import codecs

from openclaw_memory_core.records import record

_SAMPLE = 4096
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@record
class Decoded:
    """Text of a file.

    :param text: without byte-order mark, line ends as in the file.
    :param encoding: what it was decoded from.
    :param flaws: what could not be kept, for people; empty if the text is faithful.
    """

    text: str
    encoding: str
    flaws: tuple[str, ...] = ()


def detect_encoding(data: bytes) -> tuple[str, int]:
    """Name of the encoding and length of the byte-order mark.

    Without a mark: UTF-16 if NUL bytes fill every second place of the beginning, else UTF-8.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name, len(mark)
    sample = data[:_SAMPLE]
    pairs = len(sample) // 2
    if pairs and 0 in sample:
        high, low = sample[1::2].count(0), sample[0::2].count(0)
        if high > 0.4 * pairs and low < 0.1 * pairs:
            return "utf-16-le", 0
        if low > 0.4 * pairs and high < 0.1 * pairs:
            return "utf-16-be", 0
    return "utf-8", 0


def decode(data: bytes) -> Decoded:
    """Decode *data*; never fails.  What is not text becomes U+FFFD and is named in the flaws."""
    encoding, mark = detect_encoding(data)
    body = data[mark:]
    flaws = []
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        text = body.decode(encoding, errors="replace")
        flaws.append(f"some bytes are not {encoding.upper()} and are shown as U+FFFD")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        flaws.append("NUL characters are shown as U+FFFD")
    return Decoded(text.removeprefix("\ufeff"), encoding, tuple(flaws))
