"""One agent's :class:`SearchConfig` from the layers in which it is configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from openclaw_memory_core.config.model import (
    ChunkingConfig,
    ExtraPath,
    HybridConfig,
    SearchConfig,
    Source,
    StoreConfig,
)
from openclaw_memory_core.config.paths import expand
from openclaw_memory_core.config.search_table import SEARCH
from openclaw_memory_core.config.secrets import ResolvedSecret
from openclaw_memory_core.config.table import Found, Layer, fill, first

if TYPE_CHECKING:
    from openclaw_memory_core.config.context import Context

_JOINED = "extraPaths"
_SPECIAL = frozenset({"sources", "store.path", "remote.apiKey"})


def build_search(
    own: Sequence[Layer],
    defaults: Sequence[Layer],
    *,
    agent_id: str,
    state_dir: Path,
    workspace: Path,
    context: Context,
) -> tuple[SearchConfig, dict[str, Found]]:
    """The settings of one agent, and where each configured one stands.

    :param own: layers of the agent, the strongest first.
    :param defaults: layers of all agents, the strongest first.
    """
    layers = (*own, *defaults)
    used = {s.key: found for s in SEARCH.settings if (found := first(layers, s.key)) is not None}
    used = {key: found for key, found in used.items() if found.value is not None}
    values = {s.field: used[s.key].value for s in SEARCH.settings if s.key in used and s.key not in _SPECIAL}
    values["extra_paths"] = _extra_paths(first(defaults, _JOINED), first(own, _JOINED), workspace, context)
    values |= _store_path(used.get("store.path"), agent_id, state_dir, context)
    _expand_paths(values, context)
    if "remote.apiKey" in used:
        resolved = cast(ResolvedSecret, used["remote.apiKey"].value)
        values |= {"remote.api_key": resolved.secret, "remote.api_key_problem": resolved.problem}
    base = SearchConfig(store=StoreConfig(path=Path()))
    search = _with_sources(fill(base, values), used.get("sources"), context)
    return _normalised(search, used, context), used


def _extra_paths(default: Found | None, own: Found | None, workspace: Path, context: Context) -> tuple[ExtraPath, ...]:
    seen: dict[tuple[Path, str | None], ExtraPath] = {}
    for found in (default, own):
        for text, pattern in found.value if found is not None else ():
            path = expand(text, context.home, workspace)
            seen.setdefault((path, pattern), ExtraPath(path, pattern, text))
    return tuple(seen.values())


def _store_path(found: Found | None, agent_id: str, state_dir: Path, context: Context) -> dict[str, Path]:
    """Where the index is.

    OpenClaw from 2026.9 on takes ``<state>/memory/<agentId>.sqlite`` for an index of its own past and does not start
    until it has taken it over, which it cannot.  A state folder that it uses has its database.
    """
    if found is not None:
        return {"store.path": expand(found.value.replace("{agentId}", agent_id), context.home, context.cwd)}
    plain = state_dir / "memory" / f"{agent_id}.sqlite"
    if not (state_dir / "state" / "openclaw.sqlite").is_file():
        return {"store.path": plain}
    return {"store.path": plain.with_name(f"{agent_id}.core.sqlite"), "store.former_path": plain}


def _expand_paths(values: dict[str, Any], context: Context) -> None:
    for name in ("store.extension_path", "local.model_cache_dir"):
        if name in values:
            values[name] = expand(values[name], context.home, context.cwd)
    model = values.get("local.model_path", "")
    if model[:2] in ("~/", "~\\"):
        values["local.model_path"] = str(expand(model, context.home, context.cwd))


def _with_sources(search: SearchConfig, found: Found | None, context: Context) -> SearchConfig:
    """Sessions are searched only where they are indexed, and indexed only where the user asked for it."""
    remembers = search.session_memory or search.remember_across_conversations
    wanted: tuple[Source, ...] = found.value if found is not None else search.sources
    searched = tuple(source for source in wanted if source != "sessions" or remembers)
    if found is not None and searched != wanted:
        context.warn(found.key_path, "sessions are not searched: experimental.sessionMemory is off")
    searched = searched or ("memory",)
    indexed = (*searched, "sessions") if remembers and "sessions" not in searched else searched
    return replace(search, sources=searched, indexed_sources=indexed, session_memory=remembers)


def _normalised(search: SearchConfig, used: dict[str, Found], context: Context) -> SearchConfig:
    chunking = search.chunking
    if chunking.overlap >= chunking.tokens:
        overlap = chunking.tokens - 1
        if "chunking.overlap" in used:
            context.warn(used["chunking.overlap"].key_path, f"is not below chunking.tokens; {overlap} is used")
        chunking = ChunkingConfig(chunking.tokens, overlap)
    hybrid = search.query.hybrid
    total = hybrid.vector_weight + hybrid.text_weight
    builtin = HybridConfig()
    vector, text = (
        (hybrid.vector_weight / total, hybrid.text_weight / total)
        if total > 0
        else (builtin.vector_weight, builtin.text_weight)
    )
    hybrid = replace(hybrid, vector_weight=vector, text_weight=text)
    return replace(search, chunking=chunking, query=replace(search.query, hybrid=hybrid))
