"""What each part of the search adds or costs: the figures without it beside those with it.

    python -m benchmarks.ablation [locomo10.json] [--only NAME,…]

Each part is taken out by itself, everything else stays.  Differences are paired, with a 95 % interval by bootstrap over
questions; below zero means that the part helps.  Without LoCoMo's file only our own mixed notes are asked.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from benchmarks import locomo, mixed
from benchmarks.retrieval import CONFIGURATIONS, Row, run
from openclaw_memory_core.search import fusion, legs, newer, passages, query, scoring, selection, snippets
from openclaw_memory_core.search.evaluation import differences, summarise

ON, OFF = "default", "decay off"


class Part(NamedTuple):
    """A part that can be taken out.

    :param changes: module, name and value instead.
    :param settings: name of the configuration it is measured in.
    :param as_dated: LoCoMo with the dates of its notes.
    """

    name: str
    changes: tuple[tuple[Any, str, Any], ...]
    settings: str = OFF
    as_dated: bool = False


def _nothing(*_args: object, **_kwargs: object) -> tuple[()]:
    return ()


def _as_typed(word: str) -> tuple[str, ...]:
    return (word,)


def _whole(text: str, _dates: object) -> str:
    return text


PARTS = (
    Part("a passage's own score in the relevance", ((selection, "PASSAGE_SHARE", 0.0),)),
    Part("passages count less where words stand apart", ((selection, "TOGETHER", 1e-9),)),
    Part("further passages of a hit", ((selection, "FURTHER", 0.0),)),
    Part("lines near the best line first", ((snippets, "BESIDE", 0.0),)),
    Part("answers follow: words of the line before", ((passages, "CONTINUES", 0.0),)),
    Part("answers follow: the line before asks", ((passages, "ANSWERS", 0.0), (passages, "ASKS", 0.0))),
    Part("long lines before short ones", ((passages, "LENGTH", 0.0),)),
    Part("nearness", ((fusion, "NEARNESS", 0.0),)),
    Part("weights that adapt to the question", ((fusion, "ADAPTATION", 0.0),)),
    Part("48 candidates instead of 24", ((legs, "SMALLEST_POOL", 24),)),
    Part("stop words", ((query, "stop_words", lambda _words: frozenset[str]()),)),
    Part("forms of irregular verbs", ((query, "forms", _as_typed),)),
    Part("dates are understood", ((query, "find_dates", _nothing),), as_dated=True),
    Part("notes of a named time gain relevance", ((scoring, "DATED", 0.0),), as_dated=True),
    Part("numbers of a date are no words", ((query, "_without_dates", _whole),), as_dated=True),
    Part("places by relevance", ((selection, "DOCUMENTED_EVERY", 1),), ON),
    Part("a place in four in the documented order", ((selection, "DOCUMENTED_EVERY", 1_000_000),), ON),
    Part("age between near equals", ((selection, "NEAR_EQUAL", 0.0),), ON),
    Part("newer of two like answers first", ((newer, "JUMP", 0),), ON),
)
COLUMNS = ("shown@6", "recall@10", "mrr@10", "newer first")
LEGEND = "with it → without it [95 % interval of the paired difference]; below zero means that the part helps"

Measure = Callable[[str], list[Row]]


def main() -> None:
    """Measure and print one row a part and set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path, nargs="?", help="locomo10.json")
    parser.add_argument("--only", help="begin of the names of parts, with commas between them")
    args = parser.parse_args()
    try:
        chosen = choose(args.only)
    except ValueError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as folder:
        sets: dict[str, Measure] = {"mixed": _mixed(Path(folder) / "mixed")}
        if args.locomo:
            sets["LoCoMo"] = _locomo(args.locomo, Path(folder) / "locomo", shift=True)
            sets["LoCoMo, as dated"] = _locomo(args.locomo, Path(folder) / "dated", shift=False)
        known: dict[tuple[str, str], list[Row]] = {}
        print(LEGEND)
        print(line("", COLUMNS))
        for part in chosen:
            print(f"without: {part.name} ({part.settings})")
            for name, measure in sets.items():
                if name != "mixed" and part.as_dated != name.endswith("as dated"):
                    continue
                if (name, part.settings) not in known:
                    known[name, part.settings] = measure(part.settings)
                with _taken_out(part):
                    rows = measure(part.settings)
                cells = _cells([r["figures"] for r in known[name, part.settings]], [r["figures"] for r in rows])
                print(line(f"  {name}", cells), flush=True)


def choose(only: str | None) -> list[Part]:
    """The parts whose names begin as *only* says; all without it.

    :raises ValueError: a name is the begin of no part's name.
    """
    if only is None:
        return list(PARTS)
    begins = tuple(name.strip() for name in only.split(",") if name.strip())
    strange = [name for name in begins or (only,) if not any(part.name.startswith(name) for part in PARTS)]
    if strange or not begins:
        raise ValueError(f"no part begins with {strange or only!r}; the parts: {'; '.join(p.name for p in PARTS)}")
    return [part for part in PARTS if part.name.startswith(begins)]


def line(head: str, cells: Iterable[str]) -> str:
    """One line of the table."""
    return f"{head:<20}" + "".join(f"{cell:>32}" for cell in cells)


@contextlib.contextmanager
def _taken_out(part: Part) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for module, name, value in part.changes:
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def _mixed(folder: Path) -> Measure:
    mixed.write_workspace(folder)
    return lambda settings: run(folder, folder.with_suffix(".state"), mixed.TODAY, CONFIGURATIONS[settings])


def _locomo(file: Path, folder: Path, *, shift: bool) -> Measure:
    workspaces = locomo.write_workspaces(file, folder, shift=shift)
    return lambda settings: [
        row for one in workspaces for row in run(one, one / ".state", locomo.TODAY, CONFIGURATIONS[settings])
    ]


def _cells(with_it: list[dict[str, float]], without: list[dict[str, float]]) -> Iterator[str]:
    before, after, change = summarise(with_it), summarise(without), differences(with_it, without)
    for column in COLUMNS:
        if column in before:
            one = change[column]
            yield f"{before[column].mean:.3f} → {after[column].mean:.3f} [{one.low:+.3f}, {one.high:+.3f}]"
        else:
            yield "-"


if __name__ == "__main__":
    main()
