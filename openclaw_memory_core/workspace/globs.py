"""POSIX glob patterns of extra paths, matched against ``/``-separated relative paths in time linear in their length."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

_KEPT_MOVES = 4096
"""Remembered moves of a pattern; beyond that it begins anew."""

_Test = Callable[[str], bool]


@functools.lru_cache(maxsize=64)
def compile_glob(pattern: str) -> Glob:
    """``*`` and ``?`` stay within a folder, ``**`` spans folders, ``[a-z]``, ``[!a]`` and ``{a,b}`` as in a shell.

    What is not complete (an open bracket or brace) is taken literally, so no pattern fails.
    """
    pattern = re.sub(r"\*{3,}", "**", pattern.removeprefix("./"))
    states = _States()
    if not _translate(pattern, states, braces=True):
        states = _States()
        _translate(pattern, states, braces=False)
    return Glob(states)


class Glob:
    """A pattern as a machine that is in several states at once.

    Source: K. Thompson, "Regular expression search algorithm", Communications of the ACM 11 (1968).
    A regular expression tries the ways in which the stars can share out a path one after the other, and their number
    grows with every star.  Here every character of a path is looked at once.  Moves are remembered, for paths have few
    characters and beginnings.
    """

    def __init__(self, states: _States) -> None:
        self._states = states
        self._first = states.with_free({0})
        self._moves: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def matches(self, path: str) -> bool:
        """Whether the whole of *path* fits."""
        here = self._first
        for char in path:
            there = self._moves.get((here, char))
            if there is None:
                there = self._move(here, char)
            if not there:
                return False
            here = there
        return self._states.last in here

    def _move(self, here: frozenset[int], char: str) -> frozenset[int]:
        there = self._states.after(here, char)
        if len(self._moves) >= _KEPT_MOVES:
            self._moves.clear()
        self._moves[here, char] = there
        return there


class _States:
    """States by number, what leads from one to another, and which was made last."""

    def __init__(self) -> None:
        self.last = 0
        self._count = 1
        self._by_char: dict[int, list[tuple[_Test, int]]] = {}
        self._free: dict[int, list[int]] = {}

    def new(self) -> int:
        """A state that nothing leads to."""
        self._count += 1
        return self._count - 1

    def free(self, start: int, end: int) -> None:
        """Lead from *start* to *end* without a character."""
        self._free.setdefault(start, []).append(end)

    def char(self, start: int, test: _Test, end: int) -> None:
        """Lead from *start* to *end* by a character that passes *test*."""
        self._by_char.setdefault(start, []).append((test, end))

    def with_free(self, here: set[int]) -> frozenset[int]:
        """*here* and everything that it leads to without a character."""
        pending = list(here)
        while pending:
            for end in self._free.get(pending.pop(), ()):
                if end not in here:
                    here.add(end)
                    pending.append(end)
        return frozenset(here)

    def after(self, here: frozenset[int], char: str) -> frozenset[int]:
        """Where *char* leads to from *here*."""
        return self.with_free({end for at in here for test, end in self._by_char.get(at, ()) if test(char)})


def _translate(pattern: str, states: _States, *, braces: bool) -> bool:
    """Write the pattern into *states*; False if a brace that was taken for special is never closed."""
    choice: tuple[int, int] | None = None
    at = 0
    while at < len(pattern):
        char, here = pattern[at], states.last
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            _folders(states)
            at += 3
        elif pattern.startswith("**", at):
            _loop(states, _any)
            at += 2
        elif char == "[" and (end := _class_end(pattern, at)) > 0:
            _one(states, _char_class(pattern[at + 1 : end]))
            at = end + 1
        else:
            if char == "{" and braces and choice is None:
                choice = (here, states.new())
            elif char in ",}" and choice is not None:
                choice = _next_choice(states, choice, closed=char == "}")
            else:
                _plain(states, char)
            at += 1
    return choice is None


def _next_choice(states: _States, choice: tuple[int, int], *, closed: bool) -> tuple[int, int] | None:
    """End one way through a pair of braces; begin the next one unless they are closed."""
    start, end = choice
    states.free(states.last, end)
    if closed:
        states.last = end
        return None
    states.last = states.new()
    states.free(start, states.last)
    return choice


def _plain(states: _States, char: str) -> None:
    if char == "*":
        _loop(states, _in_folder)
    else:
        _one(states, _in_folder if char == "?" else char.__eq__)


def _one(states: _States, test: _Test) -> None:
    end = states.new()
    states.char(states.last, test, end)
    states.last = end


def _loop(states: _States, test: _Test) -> None:
    """Any number of characters."""
    end = states.new()
    states.free(states.last, end)
    states.char(end, test, end)
    states.last = end


def _folders(states: _States) -> None:
    """Any number of names, each with its ``/``."""
    end, name = states.new(), states.new()
    states.free(states.last, end)
    states.char(end, _in_folder, name)
    states.char(name, _in_folder, name)
    states.char(name, "/".__eq__, end)
    states.last = end


def _any(_: str) -> bool:
    return True


def _in_folder(char: str) -> bool:
    return char != "/"


def _class_end(pattern: str, at: int) -> int:
    first = at + 2 if pattern[at + 1 : at + 2] in {"!", "^"} else at + 1
    return pattern.find("]", first + 1)


def _char_class(body: str) -> _Test:
    negated = body[0] in "!^"
    members = body[1:] if negated else body
    ranges: list[tuple[str, str]] = []
    while members:
        first, last = members[0], members[2:3]
        if members[1:2] == "-" and first <= last:
            ranges.append((first, last))
            members = members[3:]
        else:
            ranges.append((first, first))
            members = members[1:]
    return lambda char: char != "/" and any(first <= char <= last for first, last in ranges) != negated
