"""Retrieval on LoCoMo (Maharana et al., 2024): does the search find, and show, the lines that answer a question?

    python -m benchmarks.locomo locomo10.json [--json OUT] [--only default,rrf] [--as-dated]

The data set is not part of this project (CC BY-NC 4.0).  Each conversation becomes a workspace of daily notes, one line
a turn, moved so that its last session was yesterday; adversarial questions (category 5) are left out.  Everything goes
through the public search with default settings and the embedded model, without a network.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.retrieval import CONFIGURATIONS, compare, finish, run

TODAY = dt.date(2026, 11, 30)
ADVERSARIAL = 5
_TURN = re.compile(r"D:?\s*(\d+)\s*:\s*0*(\d+)")

Turn = tuple[int, int]
Place = tuple[str, int]


def sessions(conversation: Mapping[str, Any]) -> dict[int, dt.date]:
    """Number and day of each session: ``1:56 pm on 8 May, 2023``."""
    numbers = [int(m[1]) for key in conversation if (m := re.fullmatch(r"session_(\d+)", key))]
    return {n: _day(conversation[f"session_{n}_date_time"]) for n in sorted(numbers)}


def _day(text: str) -> dt.date:
    written = text.split(" on ", 1)[1].strip()
    return dt.datetime.strptime(written, "%d %B, %Y").replace(tzinfo=dt.UTC).date()


def write_notes(conversation: Mapping[str, Any], folder: Path, *, shift: bool) -> dict[Turn, Place]:
    """Write the daily notes; returns where each turn stands."""
    days = sessions(conversation)
    moved = TODAY - dt.timedelta(days=1) - max(days.values()) if shift else dt.timedelta()
    notes: dict[str, list[str]] = {}
    places: dict[Turn, Place] = {}
    for number, day in days.items():
        name = f"memory/{(day + moved).isoformat()}.md"
        lines = notes.setdefault(name, [f"# {(day + moved).isoformat()}"])
        lines.append("")
        for turn in conversation[f"session_{number}"]:
            caption = " ".join((turn.get("blip_caption") or "").split())
            text = " ".join(turn.get("text", "").split())
            lines.append(f"- {turn['speaker']}: {text}{f' ({caption})' if caption else ''}")
            session, index = _TURN.fullmatch(turn["dia_id"]).groups()  # type: ignore[union-attr]
            places[int(session), int(index)] = (name, len(lines))
    for name, lines in notes.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return places


def write_questions(sample: Mapping[str, Any], places: Mapping[Turn, Place], folder: Path) -> None:
    """Write ``queries.jsonl``; evidence that names no turn is dropped."""
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as out:
        for index, qa in enumerate(sample["qa"]):
            if qa["category"] == ADVERSARIAL:
                continue
            turns = [(int(s), int(t)) for text in qa.get("evidence", []) for s, t in _TURN.findall(text)]
            found = dict.fromkeys(places[turn] for turn in turns if turn in places)
            row = {
                "id": f"{sample['sample_id']}:{index}",
                "kind": f"category {qa['category']}",
                "question": qa["question"],
                "evidence": [{"path": path, "line": line} for path, line in found],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_workspaces(file: Path, folder: Path, *, shift: bool) -> list[Path]:
    """Write a workspace with questions for each conversation of the data set."""
    workspaces = []
    for sample in json.loads(file.read_text(encoding="utf-8")):
        workspace = folder / sample["sample_id"]
        places = write_notes(sample["conversation"], workspace, shift=shift)
        write_questions(sample, places, workspace)
        workspaces.append(workspace)
    return workspaces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path, help="locomo10.json")
    parser.add_argument("--json", type=Path, help="write all figures there")
    parser.add_argument("--only", help="configurations, with commas between them")
    parser.add_argument("--as-dated", action="store_true", help="keep the dates of the conversations")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else list(CONFIGURATIONS)
    rows: dict[str, list[Any]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for workspace in write_workspaces(args.locomo, Path(folder), shift=not args.as_dated):
            for name in names:
                rows[name] += run(workspace, workspace / ".state", TODAY, CONFIGURATIONS[name])
    finish(compare(rows), args.json)


if __name__ == "__main__":
    main()
