from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.store import pack

from openclaw_memory_core.index.store import codes
from openclaw_memory_core.index.store.vectors import is_usable

numbers = st.floats(-1e3, 1e3, width=32)


def vectors(dims: int) -> st.SearchStrategy[bytes]:
    return st.lists(numbers, min_size=dims, max_size=dims).map(pack).filter(is_usable)


@given(
    st.integers(1, 130).flatmap(lambda dims: st.tuples(vectors(dims), st.lists(vectors(dims), min_size=1, max_size=5)))
)
@settings(max_examples=60, deadline=None)
def test_codes_are_the_same_with_numpy_and_without(some: tuple[bytes, list[bytes]]) -> None:
    mean, many = some
    assert codes.encode_all(many, mean) == [codes.encode(one, mean) for one in many]


def test_a_code_says_where_a_vector_is_above_the_mean_and_is_padded_to_words() -> None:
    code = codes.encode(pack([3, -4, 0]), pack([0.5, -0.9, -0.1]))
    assert code == bytes([0b11100000]) + bytes(7)
    assert codes.code_bytes(64) == 8
    assert codes.code_bytes(65) == 16


def test_length_does_not_change_a_code() -> None:
    mean = pack([0.1, -0.2, 0.3])
    assert codes.encode(pack([1, -2, 3]), mean) == codes.encode(pack([100, -200, 300]), mean)


def test_the_mean_is_of_directions() -> None:
    assert np.frombuffer(codes.mean_of([pack([2, 0]), pack([0, 50])]), "<f4").tolist() == [0.5, 0.5]


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_bits_are_counted_on_any_numpy(words: list[int]) -> None:
    column = np.array(words, dtype=np.uint64)
    right = [word.bit_count() for word in words]
    assert codes._ones(column).tolist() == right
    assert codes._ones_by_bytes(column).tolist() == right


def _table(rows: list[tuple[int, int, bytes | None]]) -> codes.CodeTable:
    """Rows of file, vector, code."""
    blob = b"".join(code or bytes(8) for *_, code in rows)
    return codes.CodeTable(
        source=("file", 1),
        revision=1,
        centre=1,
        changed={},
        chunks=np.arange(len(rows)) * 10,
        files=np.array([file for file, *_ in rows], dtype=np.int64),
        vectors=np.array([vector for _, vector, _ in rows], dtype=np.int64),
        coded=np.array([code is not None for *_, code in rows], dtype=np.bool_),
        codes=np.ascontiguousarray(np.frombuffer(blob, dtype=np.uint64).reshape(len(rows), 1).T),
    )


def test_candidates_are_the_nearest_codes_of_files_that_are_seen() -> None:
    table = _table([(1, 5, bytes(7) + b"\x00"), (2, 6, bytes(7) + b"\x01"), (1, 7, bytes(7) + b"\x03"), (3, 8, None)])
    assert sorted(table.candidates(bytes(8), [], 1)) == [0, 3]
    assert sorted(table.candidates(bytes(8), [], 2)) == [0, 1, 3]
    assert sorted(table.candidates(bytes(8), [1], 1)) == [1, 3]
    assert list(table.candidates(bytes(8), [1, 2, 3, 99], 5)) == []


def test_an_empty_table_has_no_candidates() -> None:
    assert list(_table([]).candidates(bytes(8), [1], 5)) == []


def test_more_rows_than_a_block_are_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "_BLOCK", 4)
    table = _table([(1, place, bytes(7) + bytes([place])) for place in range(10)])
    assert list(table.candidates(bytes(7) + b"\x09", [], 1)) == [9]
