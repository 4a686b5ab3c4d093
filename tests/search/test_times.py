"""Questions about a time: the notes of it come first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.search_bench import TODAY, Provider, SearchBench, settings

from openclaw_memory_core.index.model import StoredChunk
from openclaw_memory_core.search import times
from openclaw_memory_core.search.dates import DateRange
from openclaw_memory_core.search.query import parse


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[SearchBench]:
    """A year of notes, one a week, each about something of its own."""
    with SearchBench(tmp_path) as bench:
        first = TODAY - dt.timedelta(weeks=52)
        days = [first + dt.timedelta(weeks=n) for n in range(52)] + [TODAY - dt.timedelta(days=1)]
        bench.put(
            {f"memory/{day.isoformat()}.md": f"# log\n\n- painted fence number {n}" for n, day in enumerate(days)}
        )
        yield bench


def days_of(paths: list[str]) -> list[dt.date]:
    return [dt.date.fromisoformat(path.removeprefix("memory/")[:10]) for path in paths]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("yesterday", "2026-05-04", "2026-05-04"),
        ("gestern", "2026-05-04", "2026-05-04"),
        ("what happened in March?", "2026-03-01", "2026-03-31"),
        ("im März", "2026-03-01", "2026-03-31"),
        ("last week", "2026-04-27", "2026-05-03"),
        ("was war letzte Woche los?", "2026-04-27", "2026-05-03"),
        ("was habe ich am 17. März gemacht?", "2026-03-17", "2026-03-17"),
        ("昨天发生了什么", "2026-05-04", "2026-05-04"),
        ("昨日", "2026-05-04", "2026-05-04"),
        ("¿qué pasó ayer?", "2026-05-04", "2026-05-04"),
        ("2026-03-17", "2026-03-17", "2026-03-17"),
    ],
)
def test_a_question_about_a_time_alone_lists_its_notes(
    bench: SearchBench, question: str, first: str, last: str
) -> None:
    low, high = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    every = days_of([hit.path for hit in bench.hits("fence", max_results=100)])
    wanted = sorted((day for day in every if low <= day <= high), reverse=True)

    found = days_of(bench.paths(question))

    assert wanted
    assert found[: len(wanted)] == wanted
    assert not any(low <= day <= high for day in found[len(wanted) :])


def test_notes_of_the_time_come_before_better_matches_of_another(bench: SearchBench) -> None:
    bench.put(
        {"memory/2026-01-10.md": "kiln kiln kiln: the kiln cones", "memory/2026-03-20.md": "a long story, the kiln"}
    )

    found = bench.hits("kiln cones in March", settings(), explain=True)

    assert found[0].path == "memory/2026-03-20.md"
    assert "memory/2026-01-10.md" in [hit.path for hit in found]
    inside = [bool((hit.explanation or {})["within"]) for hit in found]
    assert inside == sorted(inside, reverse=True)


def test_relevance_orders_the_notes_of_the_time(bench: SearchBench) -> None:
    bench.put(
        {"memory/2026-03-21.md": "the kiln is hot", "memory/2026-03-22.md": "kiln cones: the kiln needs new cones"}
    )

    assert bench.paths("kiln cones in March")[:2] == ["memory/2026-03-22.md", "memory/2026-03-21.md"]


def test_a_text_that_names_the_day_counts_as_of_it(bench: SearchBench) -> None:
    bench.put({"memory/2026-02-02.md": "the operation is on 17 March in ward 3B", "memory/x.md": "operation " * 9})

    assert bench.paths("operation on March 17")[0] == "memory/2026-02-02.md"


def test_a_date_that_a_question_looks_beyond_is_only_a_hint(bench: SearchBench) -> None:
    bench.put({"memory/2026-04-20.md": "Die Miete steigt ab Juni auf 1195"})

    assert bench.paths("Wie hoch ist die Miete ab Februar?")[0] == "memory/2026-04-20.md"


def test_notes_of_the_time_are_found_without_a_common_word_or_a_near_vector(tmp_path: Path) -> None:
    with SearchBench(tmp_path, Provider({"yesterday": [1.0], "fence": [0.9, 0.1], "tax": [0.0, 1.0]})) as bench:
        bench.put({f"memory/2025-0{n}-01.md": "fence" for n in range(1, 9)} | {"memory/2026-05-04.md": "tax return"})

        assert bench.paths("yesterday") == ["memory/2026-05-04.md"]


@pytest.mark.parametrize(
    "question", ["what did the doctor say yesterday", "taxes in May", "May I?", "fence", "since May"]
)
def test_a_question_about_more_than_a_time_is_not_listed(question: str) -> None:
    parsed = parse(question, TODAY)

    assert not (parsed.only_dates and parsed.times)


def test_a_month_that_may_be_a_name_is_a_word_that_matches_the_dates_of_notes(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put(
            {
                "memory/2026-04-09.md": "the invoice of the roofer",
                "memory/2026-05-03.md": "the invoice of the painter",
                "memory/people.md": "April Svensson took over the choir",
                "memory/2026-04-11.md": "the choir sang",
            }
        )

        found = bench.paths("April invoice")
        assert found.index("memory/2026-04-09.md") < found.index("memory/2026-05-03.md")
        assert bench.paths("what did April Svensson take over")[0] == "memory/people.md"


def test_a_day_does_not_bring_notes_that_hold_the_name_of_its_month(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put(
            {
                "memory/rules.md": "guests may park here",
                "memory/people.md": "May Larsson keeps the books",
                "memory/trip.md": "we leave on 3 May at nine",
            }
        )

        assert bench.paths("what did I do on 3 May") == ["memory/trip.md"]
        assert bench.paths("what did I do on 4 May") == []


def test_a_note_of_the_same_day_in_another_year_is_no_answer(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put(
            {
                "memory/2025-05-03.md": "painted the fence",
                "memory/old.md": "the fence was bought on 3 May 2023",
                "memory/trip.md": "we leave on 3 May at nine",
            }
        )

        assert bench.paths("what did I do on 3 May") == ["memory/trip.md"]
        assert bench.paths("3 May 2025") == ["memory/2025-05-03.md", "memory/trip.md"]


@pytest.mark.parametrize("question", ["what did I do last week", "between 3 and 9 March", "what happened yesterday"])
def test_a_time_without_notes_has_no_results(tmp_path: Path, question: str) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({"memory/n.md": "what I did between two jobs happened to do it good in march"})

        assert bench.paths(question) == []


def chunk(text: str) -> StoredChunk:
    return StoredChunk(1, "memory/x.md", "memory", 1, 1, text, (), False, None, 0.0, None, None)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("on 14 April in ward 3B", True),
        ("April 14th, 2026", True),
        ("am 14. April", True),
        ("am 14.4. um neun", True),
        ("14.04.2026", True),
        ("2026-04-14", True),
        ("4月14日", True),
        ("le 14 avril", True),
        ("14 April 2024", False),
        ("April 2026", False),
        ("114 April", False),
        ("4.14.4.1", False),
        ("room 14", False),
    ],
)
def test_ways_to_write_a_day(text: str, named: bool) -> None:
    asked = [DateRange(dt.date(2026, 4, 14), dt.date(2026, 4, 14), "14 april")]

    assert (times.share(chunk(text), asked, times.naming(asked)) > 0) is named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("in April", True),
        ("Ende April", True),
        ("3 April", True),
        ("2026-04", True),
        ("April 2024", False),
        ("in April 2024", False),
        ("April was here", False),
    ],
)
def test_ways_to_write_a_month(text: str, named: bool) -> None:
    asked = [DateRange(dt.date(2026, 4, 1), dt.date(2026, 4, 30), "in april")]

    assert (times.share(chunk(text), asked, times.naming(asked)) > 0) is named
