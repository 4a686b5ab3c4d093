"""The note that a wrong path was meant for, told from the notes of the workspace alone."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_PATH = 300
_MOST_NOTES = 5000
_CUTOFF = 0.75


def closest_note(path: str, notes: Sequence[str]) -> str | None:
    """Which of *notes* has nearly the path or the file name of *path*; None if none has.

    Nothing is looked up, so the answer tells nothing about files that are no notes.  With very many notes there is no
    answer: comparing them all would take longer than a person waits for a hint.
    """
    if len(path) > _LONGEST_PATH or len(notes) > _MOST_NOTES:
        return None
    from difflib import get_close_matches

    asked = _plain(path)
    by_path = {note.casefold(): note for note in reversed(notes)}
    by_name = {note.rpartition("/")[2].casefold(): note for note in reversed(notes)}
    for known, wanted in ((by_path, asked), (by_name, asked.rpartition("/")[2])):
        # Another date is another note, however much the names look alike.
        near = get_close_matches(wanted, [one for one in known if _digits(one) == _digits(wanted)], 1, _CUTOFF)
        if near:
            return known[near[0]]
    return None


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _plain(path: str) -> str:
    plain = path.strip().replace("\\", "/").removeprefix("./").casefold()
    return plain if plain.endswith(".md") else f"{plain}.md"
