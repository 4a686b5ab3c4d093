"""Writes a real GGUF embedding model of a few kilobytes: BERT with one layer and random weights.

Its vectors mean nothing, but llama.cpp loads it, splits words by its vocabulary and pools the result, so that the whole
way from a text to a vector is run for real.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WIDTH = 32
"""Length of a vector; llama.cpp computes in blocks of 32."""
HEADS = 2
HIDDEN = 64
CONTEXT = 128

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
# llama.cpp marks the beginning of a word where WordPiece marks its continuation.
VOCABULARY = (*_SPECIAL, *(f"\u2581{letter}" for letter in _LETTERS), *_LETTERS)

_UINT32, _FLOAT32, _BOOL, _STRING, _ARRAY, _INT32 = 4, 6, 7, 8, 9, 5
_ALIGNMENT = 32


def write_tiny_gguf(path: Path, *, seed: int = 1) -> Path:
    """Write the model to *path*."""
    tensors = _tensors(random.Random(seed))
    metadata = _metadata()
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_string(key) + struct.pack("<I", kind) + _value(kind, value) for key, kind, value in metadata)
    offset = 0
    blobs: list[bytes] = []
    for name, shape, values in tensors:
        head += _string(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", size) for size in shape)
        head += struct.pack("<IQ", 0, offset)
        blob = struct.pack(f"<{len(values)}f", *values)
        blob += bytes(-len(blob) % _ALIGNMENT)
        blobs.append(blob)
        offset += len(blob)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + b"".join(blobs))
    return path


def _metadata() -> list[tuple[str, int, Any]]:
    return [
        ("general.architecture", _STRING, "bert"),
        ("general.name", _STRING, "tiny-random-bert"),
        ("general.alignment", _UINT32, _ALIGNMENT),
        ("bert.block_count", _UINT32, 1),
        ("bert.context_length", _UINT32, CONTEXT),
        ("bert.embedding_length", _UINT32, WIDTH),
        ("bert.feed_forward_length", _UINT32, HIDDEN),
        ("bert.attention.head_count", _UINT32, HEADS),
        ("bert.attention.layer_norm_epsilon", _FLOAT32, 1e-12),
        ("bert.attention.causal", _BOOL, False),
        ("bert.pooling_type", _UINT32, 1),
        ("tokenizer.ggml.model", _STRING, "bert"),
        ("tokenizer.ggml.token_type_count", _UINT32, 2),
        ("tokenizer.ggml.tokens", _ARRAY, (_STRING, VOCABULARY)),
        ("tokenizer.ggml.token_type", _ARRAY, (_INT32, [3] * len(_SPECIAL) + [1] * 2 * len(_LETTERS))),
        ("tokenizer.ggml.padding_token_id", _UINT32, 0),
        ("tokenizer.ggml.unknown_token_id", _UINT32, 1),
        ("tokenizer.ggml.cls_token_id", _UINT32, 2),
        ("tokenizer.ggml.bos_token_id", _UINT32, 2),
        ("tokenizer.ggml.seperator_token_id", _UINT32, 3),
        ("tokenizer.ggml.eos_token_id", _UINT32, 3),
        ("tokenizer.ggml.mask_token_id", _UINT32, 4),
    ]


def _tensors(source: random.Random) -> list[tuple[str, tuple[int, ...], Sequence[float]]]:
    def noise(*shape: int) -> tuple[tuple[int, ...], list[float]]:
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        return shape, [source.gauss(0.0, 0.2) for _ in range(count)]

    found: list[tuple[str, tuple[int, ...], Sequence[float]]] = []

    def norm(name: str) -> None:
        found.append((f"{name}.weight", (WIDTH,), [1.0] * WIDTH))
        found.append((f"{name}.bias", (WIDTH,), [0.0] * WIDTH))

    def linear(name: str, inputs: int, outputs: int) -> None:
        found.append((f"{name}.weight", *noise(inputs, outputs)))
        found.append((f"{name}.bias", *noise(outputs)))

    found.append(("token_embd.weight", *noise(WIDTH, len(VOCABULARY))))
    found.append(("token_types.weight", *noise(WIDTH, 2)))
    found.append(("position_embd.weight", *noise(WIDTH, CONTEXT)))
    norm("token_embd_norm")
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        linear(f"blk.0.{part}", WIDTH, WIDTH)
    norm("blk.0.attn_output_norm")
    linear("blk.0.ffn_up", WIDTH, HIDDEN)
    linear("blk.0.ffn_down", HIDDEN, WIDTH)
    norm("blk.0.layer_output_norm")
    return found


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(kind: int, value: Any) -> bytes:
    if kind == _STRING:
        return _string(value)
    if kind == _ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(_value(inner, item) for item in items)
    return struct.pack({_UINT32: "<I", _FLOAT32: "<f", _BOOL: "<?", _INT32: "<i"}[kind], value)
