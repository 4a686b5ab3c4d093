"""What the bridge can be asked, answered by the cores; every answer is for a session, under its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from openclaw_memory_core.cancel import CancelToken
from openclaw_memory_core.core import MemoryCore
from openclaw_memory_core.errors import UsageError
from openclaw_memory_core.integrations.openclaw_bridge import host_shapes, requests
from openclaw_memory_core.integrations.openclaw_bridge.pool import CorePool
from openclaw_memory_core.sessions.cleaning import clean_user_text
from openclaw_memory_hookspecs import Runtime, Session

CATCH_UP_SECONDS: Final = 5.0
"""A person's search waits so long for an index that is behind; a session's search never waits."""

_Handler = Callable[[MemoryCore, Mapping[str, Any], CancelToken], Any]


class BridgeService:
    """The methods of the bridge, apart from those that the loop answers itself.

    :raises ConfigError: the configuration cannot be read.
    """

    def __init__(
        self, *, config_path: Path | None = None, state_dir: Path | None = None, runtime: Runtime | None = None
    ) -> None:
        self._pool = CorePool(config_path=config_path, state_dir=state_dir, runtime=runtime)
        self._handlers: dict[str, _Handler] = {
            "status": self._status,
            "search": self._search,
            "get": self._get,
            "tool": self._tool,
            "classify": self._classify,
            "authorize": self._authorize,
            "sync": self._sync,
            "hook": self._hook,
        }

    def methods(self) -> frozenset[str]:
        """Names of the methods."""
        return frozenset(self._handlers)

    def call(self, method: str, params: Mapping[str, Any], cancel: CancelToken) -> Any:
        """Answer one request.

        :raises OpenClawMemoryError: it cannot be answered.
        """
        with self._pool.core(requests.text(params, "agentId"), requests.workspace_of(params)) as core:
            return self._handlers[method](core, params, cancel)

    def close(self) -> None:
        """Close every core."""
        self._pool.close()

    # --- methods -----------------------------------------------------------------------------------------------------

    def _status(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> dict[str, Any]:
        return host_shapes.provider_status(core.status(deep=params.get("deep") is True))

    def _search(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> dict[str, Any]:
        session = self._asker(core, params)
        answer = core.search(
            requests.required(params, "query"),
            session=session,
            max_results=requests.integer(params, "maxResults"),
            min_score=requests.number(params, "minScore"),
            corpus=_corpus(params.get("sources")),
            wait=CATCH_UP_SECONDS if params.get("forOwner") is True else 0.0,
        )
        return {**answer, "results": [host_shapes.hit(one) for one in answer["results"]]}

    def _get(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> dict[str, Any]:
        return core.get(
            requests.required(params, "path"),
            session=self._asker(core, params),
            from_line=requests.integer(params, "from"),
            lines=requests.integer(params, "lines"),
        )

    def _tool(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> dict[str, Any]:
        name = requests.required(params, "name")
        arguments = params.get("arguments")
        for tool in core.tools(self._session(core, params)):
            if tool.name == name:
                return tool.handler(arguments if isinstance(arguments, dict) else {})
        return {"disabled": True, "error": f"{name} is not available in this session."}

    def _classify(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> list[dict[str, str]]:
        paths = params.get("paths")
        return [
            {"relativePath": path, "originClass": host_shapes.origin_class(core.workspace, path)}
            for path in (paths if isinstance(paths, list) else ())
            if isinstance(path, str)
        ]

    def _authorize(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> list[Any]:
        session = self._session(core, params)
        who = core.audience(session)
        hits = params.get("hits")
        given = [one for one in hits if isinstance(one, dict)] if isinstance(hits, list) else []
        transcripts: frozenset[str] = frozenset()
        if any(one.get("source") == "sessions" for one in given):
            transcripts = core.conversations.visible_transcripts(who, session)
        return [
            one
            for one in given
            if host_shapes.may_see(one, core.workspace, private=who.private, transcripts=transcripts)
        ]

    def _sync(self, core: MemoryCore, params: Mapping[str, Any], cancel: CancelToken) -> dict[str, Any]:
        if not core.agent.search.enabled:
            return {"disabled": True}
        return core.sync(force=params.get("force") is True, cancel=cancel).to_dict()

    def _hook(self, core: MemoryCore, params: Mapping[str, Any], _: CancelToken) -> dict[str, Any]:
        name = requests.required(params, "name")
        session = self._session(core, params)
        if name == "before_prompt_build":
            return self._before_turn(core, session, requests.text(params, "prompt") or "")
        if name == "session_start":
            core.session_start(session)
        elif name in {"session_end", "after_compaction"}:
            if core.agent.search.enabled:
                core.index.request(name.replace("_", "-"))
        else:
            raise UsageError(f"there is no hook {name!r}")
        return {}

    # --- inside ------------------------------------------------------------------------------------------------------

    def _before_turn(self, core: MemoryCore, session: Session, prompt: str) -> dict[str, Any]:
        if core.agent.search.enabled:
            # A session that was there before this process began never starts; its files must be watched all the same.
            core.index.start()
        block = core.before_turn(session, clean_user_text(prompt))
        if block is None:
            return {}
        return {"prependContext": block.text, "paths": [f"{one.path}:{one.line}" for one in block.entries]}

    def _session(self, core: MemoryCore, params: Mapping[str, Any]) -> Session:
        return requests.session_of(params, core.agent, core.config)

    def _asker(self, core: MemoryCore, params: Mapping[str, Any]) -> Session:
        """Who asks: a session, or the owner at a terminal or in the control panel."""
        if params.get("forOwner") is True and requests.text(params, "sessionKey") is None:
            return core.owner
        return self._session(core, params)


def _corpus(sources: object) -> str | None:
    chosen = {one for one in sources if one in {"memory", "sessions"}} if isinstance(sources, list) else set()
    if len(chosen) == 1:
        return str(chosen.pop())
    return "all" if chosen else None
