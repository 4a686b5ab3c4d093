"""Cases of the area hybrid."""

from __future__ import annotations

from pathlib import Path

from support.search_bench import Provider, SearchBench, settings

AXIS = [1.0]
ACROSS = [0.0, 1.0]


def test_case_hybrid_01_a_hit_by_keyword_alone(tmp_path: Path) -> None:
    vectors = {"ticket QX-4471 closed": ACROSS, "QX-4471": AXIS}
    for number in range(20):
        cosine = 0.2 + number * 0.005
        vectors[f"note {number:02d} "] = [cosine, 0.0, (1 - cosine**2) ** 0.5]
    notes = {f"memory/n{number:02d}.md": f"note {number:02d} about the garden" for number in range(20)}
    with SearchBench(tmp_path, Provider(vectors)) as bench:
        bench.put({**notes, "memory/ticket.md": "ticket QX-4471 closed"})

        response = bench.ask("QX-4471")

        assert response.mode == "hybrid"
        assert "memory/ticket.md" in [hit.path for hit in response.hits]


def test_case_hybrid_02_better_keyword_match_better_score(tmp_path: Path) -> None:
    long = "kestrel " + " ".join(f"word{number}" for number in range(59))
    notes = {f"memory/n{number}.md": f"nothing of note on day {number}" for number in range(20)}
    with SearchBench(tmp_path) as bench:
        bench.put({**notes, "memory/b.md": long, "memory/a.md": "kestrel kestrel kestrel"})

        first, second = bench.hits("kestrel")

        assert [first.path, second.path] == ["memory/a.md", "memory/b.md"]
        assert first.text_score is not None
        assert second.text_score is not None
        assert 0 < second.text_score < first.text_score <= 1
        assert second.score < first.score


def test_case_hybrid_03_odd_dates(tmp_path: Path) -> None:
    sentence = "the lighthouse lamp burns whale oil"
    paths = ["MEMORY.md", "memory/2026-05-06.md", "memory/2026-02-31.md", "memory/2026-5-1.md"]
    with SearchBench(tmp_path) as bench:
        bench.put(dict.fromkeys(paths, sentence))

        hits = bench.hits("lighthouse lamp", settings(), explain=True)

        assert {hit.path for hit in hits} == set(paths)
        for hit in hits:
            assert hit.explanation is not None
            assert hit.explanation["decay"] == 1.0
        assert max(hit.score for hit in hits) <= 1.0


ENGINE = {
    **{f"memory/e{number}.md": f"boat engine impeller swapped at the yard, visit {number}" for number in range(4)},
    "memory/oil.md": "boat engine oil should be changed every fifty hours",
    "memory/noise.md": "the boat engine knocks when cold",
}


def test_case_hybrid_04_diversity_at_its_limits(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put({**ENGINE, "memory/dots.md": "... --- !!! ???", "memory/kiln.md": "kiln thermostat"})

        assert bench.hits("boat engine", settings(mmr=1.0)) == bench.hits("boat engine", settings(mmr=None))
        assert bench.paths("kiln", settings(mmr=0.0)) == ["memory/kiln.md"]
        assert bench.hits("... !!!", settings(mmr=0.0)) == ()


def test_diversity_puts_a_different_note_before_the_fourth_copy(tmp_path: Path) -> None:
    with SearchBench(tmp_path) as bench:
        bench.put(ENGINE)

        plain = bench.paths("boat engine impeller", settings(mmr=None, min_score=0))
        diverse = bench.paths("boat engine impeller", settings(mmr=0.3, min_score=0))

        assert [path[:8] for path in plain[:4]] == ["memory/e"] * 4
        assert {"memory/oil.md", "memory/noise.md"} & set(diverse[:3])
