"""Telling an answer from noise: the nearest note to a question is not always near.

A cosine says nothing by itself: 0.15 is a good match with one model and less than nothing with another.  So it is
compared with two things of the same model.

The *background* is the cosine of the question with a sample of all chunks.  What is further away than half of them is
no result, unless a word matches; and where words match others, it must be nearer than chance as well.

The *control* is a text without any meaning.  A question that no word of the notes answers to, and that is far nearer to
the control than to its best note, has no meaning for the model either: the vectors have nothing to say.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from openclaw_memory_core.embeddings.base import Vector
from openclaw_memory_core.index.protocol import IndexReader
from openclaw_memory_core.privacy import Visible
from openclaw_memory_core.records import record

SAMPLE = 64
"""Chunks whose cosines are the background."""

FEWEST = 32
"""With fewer chunks nearly all of them may be about one thing, and there is no background to speak of."""

NORMAL = 1.4826
"""Median deviation → standard deviation of a normal distribution."""

CONTROL = "qpzm wrtb xkc ugrb"
"""Words of no language."""

MEANING = 0.42
"""Share of the nearness to the control that the best note must reach.  Measured: docs/search.md."""


@record
class Background:
    """Cosines of a question with chunks taken at random.

    :param middle: cosine of just any chunk.
    :param chance: what a cosine has to reach to be more than chance; None with too few chunks.
    """

    middle: float
    chance: float | None = None

    def floor(self, *, has_words: bool) -> float:
        """The least cosine that counts by itself.

        :param has_words: other chunks hold words of the question.  Without that a stricter floor would cost answers
            where all notes are about one subject.
        """
        if self.chance is None:
            return -math.inf
        return self.chance if has_words else self.middle


def background(reader: IndexReader, vector: Vector, visible: Visible) -> Background | None:
    """The background of a question; None without vectors."""
    cosines = reader.sample_cosines(vector, visible, SAMPLE)
    if not cosines:
        return None
    if len(cosines) < FEWEST:
        # The smallest errs on the side of showing something.
        return Background(min(cosines))
    middle = statistics.median(cosines)
    return Background(middle, middle + NORMAL * statistics.median(abs(value - middle) for value in cosines))


def is_meaningless(best: float, middle: float, question: Vector, control: Vector) -> bool:
    """Whether a question is far nearer to the control than to its best note.

    :param best: cosine of the best chunk.
    :param middle: cosine of just any chunk.
    """
    to_control = _cosine(question, control) - middle
    return to_control > 0 and best - middle < MEANING * to_control


def _cosine(left: Vector, right: Vector) -> float:
    if len(left) != len(right):
        return 0.0
    a, b = _floats(left), _floats(right)
    size = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size > 0 else 0.0


def _floats(vector: Vector) -> Sequence[float]:
    return memoryview(vector).cast("f")
