"""``openclaw-memory demo``: a whole life of the memory in a few seconds, offline, without key and configuration."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import click

from openclaw_memory_core import MemorySlot, load_memory_slot
from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import Command
from openclaw_memory_core.cli.demo_notes import DAY, ZONE, write_notes
from openclaw_memory_core.cli.settings import Settings
from openclaw_memory_hookspecs import FlushOutcome, FlushRequest, Runtime, Session, TokenUsage

WINDOW: Final = 200_000
INDEX_SECONDS: Final = 60
MAIN: Final = Session(key="agent:main:main", session_id="demo", sender_is_owner=True, context_window=WINDOW)
GROUP: Final = Session(key="agent:main:telegram:group:-1009", session_id="demo-group", context_window=WINDOW)
MESSAGE: Final = "Can you book the ferry for Friday?"
QUESTIONS: Final = (
    ("why did the motor not run?", "no word in common with the note but 'not'"),
    ("QX-4471", "an identifier, found by keyword"),
    ("wie hoch ist die Miete der Werkstatt?", "German question, English note"),
)
SAVED: Final = "Marta wants the upper deck on the ferry on Friday, 8 May, with the car."


class Demo:
    """Runs the script through the public slot and tells what happens.

    :param folder: an empty folder for workspace and state.
    :param tell: takes the lines for people.
    """

    def __init__(self, folder: Path, tell: Any) -> None:
        self.workspace = folder / "workspace"
        self.state = folder / "state"
        self.record: dict[str, Any] = {"folder": str(folder)}
        self._tell = tell
        self._now = dt.datetime.combine(DAY, dt.time(9, 30), ZoneInfo(ZONE))

    def run(self) -> dict[str, Any]:
        """The whole script; returns what happened as JSON-serialisable values."""
        write_notes(self.workspace)
        self._head("1. The notes", "Markdown files; the only truth. Everything else can be deleted.")
        for path in sorted(p.relative_to(self.workspace).as_posix() for p in self.workspace.rglob("*.md")):
            self._line(path)
        with self._slot() as slot:
            self._start(slot)
            self._await_index(slot)
            self._recall(slot)
            self._search(slot)
            self._flush(slot)
        self._files()
        self._none()
        return self.record

    def _slot(self, memory: str = "memory-core") -> MemorySlot:
        config = {
            "plugins": {"slots": {"memory": memory}},
            "agents": {"defaults": {"workspace": str(self.workspace), "userTimezone": ZONE}},
            "memory": {"search": {"provider": "auto"}},
        }
        # The demo reads no configuration and no key of this machine, so that it is the same everywhere.
        runtime = Runtime(clock=lambda: self._now, timezone=ZONE, env={})
        return load_memory_slot(config, state_dir=self.state, runtime=runtime, strict=True)

    def _start(self, slot: MemorySlot) -> None:
        self._head("2. A session starts", "Today's and yesterday's notes; MEMORY.md and USER.md in private only.")
        self.record["sessionStart"] = {}
        for name, session in (("private main session", MAIN), ("group chat", GROUP)):
            context = slot.session_start(session)
            self._line(click.style(name, bold=True))
            for file in context.files:
                self._line(f"  loaded    {file.path}  ({len(file.text)} characters)")
            for sentence in context.withheld:
                self._line(click.style(f"  withheld  {sentence}", fg="yellow"))
            self.record["sessionStart"][session.key] = {
                "files": [file.path for file in context.files],
                "withheld": list(context.withheld),
            }

    def _await_index(self, slot: MemorySlot) -> None:
        """The session did not wait for the index; the demo does, so that it always shows the same."""
        started = time.monotonic()
        while (status := slot.status())["dirty"] and time.monotonic() - started < INDEX_SECONDS:
            time.sleep(0.1)
        counts = f"{status['files']} notes, {status['chunks']} chunks, {status['vectors']} vectors"
        self._line(f"meanwhile, in the background: {counts} by the model {status['model']}")
        self.record["index"] = {name: status[name] for name in ("files", "chunks", "vectors", "provider", "model")}

    def _recall(self, slot: MemorySlot) -> None:
        self._head("3. A message arrives", "Trigger phrases call up trusted entries; no model, no network.")
        self._line(f"user: {MESSAGE}")
        private, public = slot.before_turn(MAIN, MESSAGE), slot.before_turn(GROUP, MESSAGE)
        for entry in private.entries if private is not None else ():
            where = f"{entry.path}#L{entry.line}"
            why = f"score {entry.score:.2f}, trigger {entry.trigger!r}"
            self._line(click.style(f"  recalled  {where}  {why}", fg="green"))
            self._line(f"            {entry.text}")
        self._line(f"  in the group: {'nothing is recalled' if public is None else 'recalled'}")
        self.record["recall"] = {
            "main": [e.text for e in private.entries] if private is not None else [],
            "group": [e.text for e in public.entries] if public is not None else [],
        }

    def _search(self, slot: MemorySlot) -> None:
        self._head("4. The agent searches", "The tool memory_search, by meaning and by keyword, over a real index.")
        search = _tool(slot, MAIN, "memory_search")
        self.record["search"] = []
        for question, why in QUESTIONS:
            answer = search({"query": question, "maxResults": 2})
            self._answer(question, why, answer)
        hidden = _tool(slot, GROUP, "memory_search")({"query": "code of the gate", "maxResults": 2})
        self._answer("code of the gate", "asked in the group: only MEMORY.md knows it", hidden)

    def _answer(self, question: str, why: str, answer: Mapping[str, Any]) -> None:
        self.record["search"].append({"query": question, "answer": answer})
        self._line(f"{click.style(question, bold=True)}   ({why}; mode {answer.get('mode')}, {answer.get('provider')})")
        for hit in answer["results"]:
            scores = [f"{hit['score']:.2f}"]
            scores += [f"meaning {hit['vectorScore']:.2f}"] if "vectorScore" in hit else []
            scores += [f"words {hit['textScore']:.2f}"] if "textScore" in hit else []
            self._line(f"  {hit['path']}#L{hit['startLine']}  {', '.join(scores)}")
            for line in hit["snippet"].strip().splitlines():
                self._line(click.style(f"      {line}", dim=True))
        for name in ("withheld", "warning"):
            for sentence in _sentences(answer.get(name)):
                self._line(click.style(f"  {name}  {sentence}", fg="yellow"))

    def _flush(self, slot: MemorySlot) -> None:
        self._head("5. The context fills", f"Window {WINDOW:,}; the flush is due at 176,000 tokens, once per cycle.")
        for total in (120_000, 177_000, 179_000):
            request = slot.tokens_counted(MAIN, TokenUsage(total=total))
            self._line(f"{total:>9,} tokens: {'flush, please' if request is not None else 'nothing to do'}")
            if request is not None:
                self._silent_turn(slot, request)
        slot.compacted(MAIN)
        again = slot.tokens_counted(MAIN, TokenUsage(total=178_000))
        self._line(f"compacted; 178,000 tokens: {'flush, please (the next cycle)' if again is not None else 'nothing'}")
        self.record["flush"]["secondCycle"] = again is not None

    def _silent_turn(self, slot: MemorySlot, request: FlushRequest) -> None:
        """What a host does: one turn with nothing but the tool to append; here the model is scripted."""
        append = next(tool for tool in request.tools if tool.name == "memory_append")
        written = append.handler({"text": SAVED})
        outcome = FlushOutcome(reply="NO_REPLY")
        delivered = slot.flush_finished(replace(MAIN, trigger="memory"), request, outcome)
        self._line(click.style(f"            saved to {written['path']}#L{written['startLine']}: {SAVED}", fg="green"))
        self._line(f"            the user sees: {delivered or 'nothing'}")
        self.record["flush"] = {"target": request.target_path, "written": written, "delivered": delivered}

    def _files(self) -> None:
        self._head("6. What is on disk now", "Appended, never rewritten; sessions.json remembers the cycle.")
        today = self.workspace / f"memory/{DAY}.md"
        for line in today.read_text(encoding="utf-8").splitlines():
            self._line(f"  {line}")
        store = self.state / "agents" / "main" / "sessions" / "sessions.json"
        entry = json.loads(store.read_text(encoding="utf-8")).get(MAIN.key, {})
        marks = {name: value for name, value in entry.items() if name.startswith(("memoryFlush", "compaction"))}
        self._line(f"sessions.json: {json.dumps(marks)}")
        self.record["sessionsJson"] = entry

    def _none(self) -> None:
        with self._slot("none") as slot:
            status = slot.slot_status()
            tools = slot.tools(MAIN)
        self._head("7. Switched off", f"{status.reason}: {len(tools)} tools, no thread, no file.")
        self.record["none"] = {"enabled": status.enabled, "reason": status.reason, "tools": len(tools)}

    def _head(self, title: str, text: str) -> None:
        self._tell("")
        self._tell(click.style(title, fg="cyan", bold=True) + click.style(f"  {text}", dim=True))

    def _line(self, text: str) -> None:
        self._tell(f"  {text}")


def _tool(slot: MemorySlot, session: Session, name: str) -> Any:
    return next(tool for tool in slot.tools(session) if tool.name == name).handler


def _sentences(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value] if isinstance(value, list) else []


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        if any(keep.iterdir()):
            raise click.BadParameter(f"{keep} is not empty; the demo never writes among files that are there")
        yield keep
        return
    folder = Path(tempfile.mkdtemp(prefix="openclaw-memory-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@click.command("demo", cls=Command)
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="Leave everything in this empty folder.")
@click.pass_obj
def command(settings: Settings, *, keep: Path | None) -> int:
    """Show the memory at work: session start, recall, search, flush.

    Offline, without a key, in a temporary folder that is removed afterwards.
    """
    as_json = settings.json
    with _folder(keep) as folder:
        record = Demo(folder, (lambda _: None) if as_json else click.echo).run()
        if as_json:
            output.document(record)
        elif keep is not None:
            click.echo(f"\nEverything is in {folder}; try: openclaw-memory --state-dir {folder / 'state'} status")
    return 0
