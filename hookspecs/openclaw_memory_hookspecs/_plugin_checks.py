"""What every memory plugin must keep to, as checks that a plugin's own tests run."""

from __future__ import annotations

import inspect
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

import pluggy

from openclaw_memory_hookspecs import _specs
from openclaw_memory_hookspecs._names import PROJECT_NAME
from openclaw_memory_hookspecs._session import Runtime, Session
from openclaw_memory_hookspecs._types import (
    ContextFile,
    FlushOutcome,
    FlushRequest,
    RecallBlock,
    RecalledEntry,
    SessionContext,
    TokenUsage,
    ToolSpec,
)

PRIVATE: Final = Session(
    key="agent:main:main", session_id="conformance-private", sender_is_owner=True, context_window=200_000
)
GROUP: Final = Session(
    key="agent:main:telegram:group:-1009", session_id="conformance-group", chat_type="group", context_window=200_000
)
REASONS: Final = ("new", "reset", "idle", "daily", "deleted", "shutdown", "a word that nobody knows")

_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MOST_ENTRIES: Final = 3
_THREADS: Final = 8
_TURNS: Final = 5


class ConformanceError(AssertionError):
    """What a plugin or a host does not keep to.

    :param problems: one sentence each.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(f"- {one}" for one in problems))
        self.problems = problems


def check_plugin(
    make: Callable[[], object],
    runtime: Runtime,
    *,
    private: Session = PRIVATE,
    group: Session = GROUP,
    message: str = "What do you know?",
    secret: str | None = None,
) -> None:
    """Run a plugin through the life of a host, and from several threads, and check everything that it answers.

    :param make: makes a new plugin: its class, or a function.
    :param runtime: what the host says at start; point it at a folder of the test.
    :param private: a session that may see everything.
    :param group: a session that others can read.
    :param message: a user's message that the plugin's memory has something to say about.
    :param secret: a text that the memory holds and that only a private session may see; None skips this check.
    :raises ConformanceError: with all problems.
    """
    problems: list[str] = []
    manager = _register(make, problems)
    if manager is not None:
        _life(_Run(manager, runtime, problems), private, group, message)
    for use in (_threads, *([_leaks] if secret is not None else [])):
        if (manager := None if problems else _register(make, problems)) is not None:
            use(_Run(manager, runtime, problems), private, group, message, secret or "")
    if problems:
        raise ConformanceError(list(dict.fromkeys(problems)))


def _register(make: Callable[[], object], problems: list[str]) -> pluggy.PluginManager | None:
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(_specs)
    try:
        plugin = make()
        manager.register(plugin)
        manager.check_pending()
    except Exception as error:  # whatever a foreign plugin raises is the finding
        problems.append(f"the plugin cannot be registered: {error!r}")
        return None
    if not manager.get_hookcallers(plugin):
        problems.append("the plugin implements no hook: are its methods marked with @hookimpl?")
        return None
    return manager


class _Run:
    """One instance of the plugin, started."""

    def __init__(self, manager: pluggy.PluginManager, runtime: Runtime, problems: list[str]) -> None:
        self._manager = manager
        self.problems = problems
        self.call("startup", runtime=runtime)

    def call(self, hook: str, **arguments: Any) -> Any:
        """The hook's answer; None and a problem if it raises or is asynchronous."""
        try:
            answer = getattr(self._manager.hook, f"openclaw_memory_{hook}")(**arguments)
        except Exception as error:
            self.problems.append(f"{hook} raised {error!r}")
            return None
        if inspect.iscoroutine(answer):
            answer.close()
            self.problems.append(f"{hook} is asynchronous; hooks are called from worker threads and must not be")
            return None
        # A hook that is not firstresult answers with a list, which says nothing.
        return None if hook in {"startup", "compacted", "shutdown"} else answer

    def expect(self, hook: str, kinds: type | tuple[type, ...], **arguments: Any) -> Any:
        """The answer if it is None or of the kinds; else None and a problem."""
        answer = self.call(hook, **arguments)
        if answer is None or isinstance(answer, kinds):
            return answer
        self.problems.append(f"{hook} answered with {type(answer).__name__}")
        return None

    def require(self, condition: object, problem: str) -> None:
        """Note *problem* unless *condition* holds."""
        if not condition:
            self.problems.append(problem)


def _life(run: _Run, private: Session, group: Session, message: str) -> None:
    sessions = (
        private,
        group,
        replace(group, workspace_access="ro", sandboxed=True),
        replace(group, workspace_access="none"),
        replace(private, trigger="heartbeat"),
        Session(key="a key that nobody knows"),
    )
    for session in sessions:
        _start(run, session)
        for text in (message, "", "x" * 100_000):
            _recall(run, run.expect("before_turn", RecallBlock, session=session, message=text))
        for usage in (TokenUsage(total=10), TokenUsage(total=0, fresh=False), TokenUsage(total=10**9)):
            _flush(run, session, run.expect("tokens_counted", FlushRequest, session=session, usage=usage))
        run.call("compacted", session=session)
        for reason in REASONS:
            _flush(run, session, run.expect("session_end", FlushRequest, session=session, reason=reason))
    for deep in (False, True):
        status = run.expect("status", Mapping, agent_id=None, deep=deep)
        run.require(status is None or _is_json(status), "status is not JSON-serialisable")
    run.call("shutdown")


def _start(run: _Run, session: Session) -> None:
    context = run.expect("session_start", SessionContext, session=session)
    if context is not None:
        run.require(
            all(isinstance(one, ContextFile) for one in context.files), "session_start: files must be ContextFile"
        )
    first = run.expect("prompt_section", str, session=session)
    again = run.expect("prompt_section", str, session=session)
    run.require(first == again, "prompt_section changes within a session, which breaks prompt caches")
    tools = run.expect("tools", list, session=session) or []
    names = [getattr(tool, "name", None) for tool in tools]
    run.require(len(names) == len(set(names)), "tools: two tools have the same name")
    for tool in tools:
        _tool(run, tool, "tools")


def _tool(run: _Run, tool: Any, hook: str) -> None:
    if not isinstance(tool, ToolSpec):
        run.problems.append(f"{hook} must hold ToolSpec, not {type(tool).__name__}")
        return
    run.require(_TOOL_NAME.fullmatch(tool.name), f"tool {tool.name!r}: the name does not fit what models accept")
    run.require(tool.description.strip(), f"tool {tool.name}: no description")
    run.require(tool.input_schema.get("type") == "object", f"tool {tool.name}: the input schema is not of type object")
    run.require(
        _is_json(tool.input_schema) and _is_json(tool.output_schema), f"tool {tool.name}: its schemas are not JSON"
    )
    for arguments in ({}, {"an argument that nobody knows": [1]}):
        try:
            answer = tool.handler(arguments)
        except Exception as error:
            run.problems.append(f"tool {tool.name} raised {error!r} for the arguments {arguments}")
            continue
        run.require(isinstance(answer, dict) and _is_json(answer), f"tool {tool.name} must answer with a JSON object")


def _recall(run: _Run, block: RecallBlock | None) -> None:
    if block is None:
        return
    run.require(block.text.strip(), "before_turn: a block without text; answer None instead")
    run.require(0 < len(block.entries) <= _MOST_ENTRIES, f"before_turn: {len(block.entries)} entries instead of 1 to 3")
    run.require(
        all(isinstance(one, RecalledEntry) for one in block.entries), "before_turn: entries must be RecalledEntry"
    )


def _flush(run: _Run, session: Session, request: FlushRequest | None) -> None:
    if request is None:
        return
    target = request.target_path
    inside = not PurePosixPath(target).is_absolute() and not PureWindowsPath(target).is_absolute()
    run.require(target and inside and ".." not in PureWindowsPath(target).parts, f"flush: target {target!r} is outside")
    run.require(request.prompt.strip(), "flush: a request without a prompt")
    run.require(
        session.workspace_access == "rw", f"flush: asked for in a workspace with access {session.workspace_access}"
    )
    for tool in request.tools:
        _tool(run, tool, "flush: tools")
    for outcome in (FlushOutcome(ok=False, error="no answer"), FlushOutcome(reply="NO_REPLY")):
        run.expect("flush_finished", str, session=session, request=request, outcome=outcome)


def _threads(run: _Run, private: Session, group: Session, message: str, _: str) -> None:
    # Else a quick plugin is done in one thread before the next has begun, and nothing runs at once.
    together = threading.Barrier(_THREADS)

    def work(session: Session) -> None:
        together.wait()
        for _ in range(_TURNS):
            run.call("prompt_section", session=session)
            run.call("before_turn", session=session, message=message)
            run.call("tools", session=session)

    for session in (private, group):
        run.call("session_start", session=session)
    threads = [threading.Thread(target=work, args=((private, group)[number % 2],)) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.call("shutdown")


def _leaks(run: _Run, private: Session, group: Session, message: str, secret: str) -> None:
    known = _everything(run, private, message, secret)
    run.require(
        any(secret in text for text in known.values()),
        "the private session does not show the secret: nothing is tested",
    )
    for place, text in _everything(run, group, message, secret).items():
        run.require(secret not in text, f"{place} shows a group what only a private session may see")
    run.call("shutdown")


def _everything(run: _Run, session: Session, message: str, secret: str) -> dict[str, str]:
    """All that a session is shown, by where."""
    shown = {
        "session_start": repr(run.call("session_start", session=session)),
        "prompt_section": repr(run.call("prompt_section", session=session)),
    }
    for text in (message, secret):
        shown[f"before_turn {text!r}"] = repr(run.call("before_turn", session=session, message=text))
    paths = [file.path for file in getattr(run.call("session_start", session=replace(session)), "files", ())]
    for tool in run.call("tools", session=session) or []:
        for arguments in _likely_arguments(tool, message, secret, paths):
            shown[f"tool {tool.name}"] = shown.get(f"tool {tool.name}", "") + repr(tool.handler(arguments))
    return shown


def _likely_arguments(tool: ToolSpec, message: str, secret: str, paths: list[str]) -> list[dict[str, Any]]:
    """Arguments for the tools that read: a query where there is one, each well-known path where there is one."""
    known = tool.input_schema.get("properties", {})
    if "query" in known:
        # A search that echoes the query would look like a leak.
        return [{"query": message}, {"query": " ".join(secret.split()[:1])}]
    if "path" in known:
        return [{"path": path} for path in (*paths, "MEMORY.md", "USER.md", "memory.md")]
    return []


def _is_json(value: object) -> bool:
    try:
        json.dumps(dict(value) if isinstance(value, Mapping) else value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
