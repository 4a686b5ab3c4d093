"""Text that anybody in a chat, or a model, can write: whatever its length and shape, it never stops the host."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.bench import GROUP, MAIN, Bench

from openclaw_memory_core.flush.silent import SilentStream, is_heartbeat_ok, is_silent, strip_silent
from openclaw_memory_core.recall.block import strip_recall_blocks
from openclaw_memory_core.sessions.cleaning import clean_assistant_text, clean_user_text, starts_unattended_turn
from openclaw_memory_core.sessions.matching import Query, snippet
from openclaw_memory_core.sessions.redact import redact
from openclaw_memory_core.workspace.annotations import parse_entries
from openclaw_memory_core.workspace.globs import compile_glob

SIZE = 200_000
PIECES = (
    *("\n", "\n ", " ", "* ", "```\n", "`", "a (untrusted):\n```x\n", "System: [\n", "[message_id:", "[media attached"),
    *("<think></think>", "<think>", "[[reply_to", "data:a/b;base64,", "NO_REPLY\n", "NO_", "{", "<!--", "- \n", "。"),
    *(
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
        "BEGIN_QUOTED_NOTES",
        "<recalled-notes>",
        "token=",
        "\u3000",
        "x *",
        "a ",
    ),
)


def _split_in_pieces(text: str) -> str:
    stream = SilentStream()
    return "".join(map(stream.feed, (text[at : at + 4096] for at in range(0, len(text), 4096)))) + stream.finish()


def _snippet(text: str) -> str:
    return snippet(text, Query("x a"))


READERS: tuple[Callable[[str], object], ...] = (
    *(clean_user_text, clean_assistant_text, starts_unattended_turn, redact, strip_recall_blocks),
    *(is_silent, strip_silent, is_heartbeat_ok, _split_in_pieces, parse_entries, _snippet),
)


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__.strip("_"))
def test_long_text_of_any_shape_is_read_in_a_moment(read: Callable[[str], object]) -> None:
    def work() -> None:
        for piece in PIECES:
            for end in ("", "x", "]"):
                read((piece * (SIZE // len(piece) + 1))[:SIZE] + end)
        finished.set()

    finished = threading.Event()
    threading.Thread(target=work, daemon=True).start()

    # Seconds where the cost grows with the length, minutes to hours where it grows with its square.
    assert finished.wait(120)


@pytest.mark.parametrize(
    ("reply", "silent"),
    [
        ("words\n **NO_REPLY**", True),
        ("words\n\n\n  NO_REPLY  \n\nmore words", True),
        ("\n\n- words\n\t* NO_REPLY\nmore", True),
        ('```json\n\n{"reply": "NO_REPLY"}\n\n```\n', True),
        ('``` \n["NO_REPLY"]```', True),
        ("words NO_REPLY words\nmore", False),
        ('```\n{"reply": "something"}\n```', False),
    ],
)
def test_a_reply_is_silent_if_the_token_has_a_line_or_a_fence_of_its_own(reply: str, silent: bool) -> None:
    assert is_silent(reply) is silent


def test_metadata_without_an_end_hides_nothing_that_follows() -> None:
    whole = "Sender (untrusted metadata):\n```json\n{}\n```\n\nhello"
    broken = "Sender (untrusted metadata):\n```json\n{}"

    assert clean_user_text(whole) == "hello"
    assert clean_user_text(f"{whole}\n{broken}") == f"hello\n{broken}"


@pytest.mark.parametrize("pattern", ["**/" * 25 + "x.md", "./" + "**/" * 25 + "x.md", "*" * 50 + "x.md"])
def test_repeated_stars_of_an_extra_path_cost_no_more_than_one_pair(pattern: str) -> None:
    matches = compile_glob(pattern).matches

    assert not matches("a/" * 40 + "b.md")
    assert matches("a/b/x.md")


@pytest.mark.parametrize(
    "path", ["memory/\ud800.md", "memory/%2e\ud800.md", "\ud800/x.md", f"memory/{'a' * 300}%2e.md"]
)
@pytest.mark.parametrize("session", [MAIN, GROUP], ids=["main", "group"])
def test_a_path_that_no_file_can_have_is_answered(tmp_path: Path, path: str, session: object) -> None:
    bench = Bench(tmp_path)
    bench.write("memory/a.md", "a\n")

    answer = bench.get(path, session=session)  # type: ignore[arg-type]

    assert answer["status"] in {"error", "not_found"}
    assert answer["error"]
