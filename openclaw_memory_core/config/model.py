"""The configuration as the rest of the package sees it: frozen, complete, every default in one place.

Key names are those of ``openclaw.json`` in snake case.  Paths are absolute, weights are normalised, numbers are in
range: whoever holds one of these needs no further check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from openclaw_memory_core.config.agent_ids import normalize_agent_id
from openclaw_memory_core.errors import ConfigError
from openclaw_memory_core.records import record

Source = Literal["memory", "sessions"]
Fusion = Literal["relative", "zscore", "documented", "rrf"]
VisibilityLevel = Literal["self", "tree", "agent", "all"]
CitationsMode = Literal["auto", "on", "off"]


class Secret:
    """A string that never shows itself: ``str``, ``repr`` and format give a mask; :meth:`reveal` gives the value."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The secret itself; call this only where it leaves for its own destination."""
        return self._value

    def __repr__(self) -> str:
        return "Secret('***')"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)


@record
class BatchConfig:
    """``remote.batch``: asynchronous batch jobs of OpenAI, Gemini and Voyage."""

    enabled: bool = False
    wait: bool = True
    concurrency: int = 2
    poll_interval_ms: int = 2000
    timeout_minutes: float = 60.0


@record
class RemoteConfig:
    """``remote``: where and how to reach an embedding service; None means the provider's own default.

    :param headers: may hold secrets.
    :param api_key_problem: why there is no key although one is configured, for example a variable that is not set.
    """

    base_url: str | None = None
    api_key: Secret | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    batch: BatchConfig = field(default_factory=BatchConfig)
    non_batch_concurrency: int | None = None
    api_key_problem: str | None = None


@record
class LocalConfig:
    """``local``: a GGUF model on this machine (a path, ``hf:`` or ``https:`` URI)."""

    model_path: str | None = None
    model_cache_dir: Path | None = None
    context_size: int | None = None


@record
class ExtraPath:
    """One element of ``extraPaths``.

    :param path: absolute path of a folder or a file.
    :param pattern: POSIX glob relative to the folder; None means every ``.md`` file.
    :param configured: as the user wrote it, for messages.
    """

    path: Path
    pattern: str | None = None
    configured: str = ""


@record
class MultimodalConfig:
    """``multimodal``: images and audio under extra paths."""

    enabled: bool = False
    modalities: tuple[Literal["image", "audio"], ...] = ("image", "audio")
    max_file_bytes: int = 10_485_760


@record
class StoreConfig:
    """``store``: the index file.  *extension_path* overrides the packaged sqlite-vec.

    :param former_path: where the index was before OpenClaw 2026.9 came to this state folder; it is moved from there.
    """

    path: Path
    vector_enabled: bool = True
    extension_path: Path | None = None
    fts_tokenizer: Literal["unicode61", "trigram"] = "unicode61"
    former_path: Path | None = None


@record
class ChunkingConfig:
    """``chunking``: target and overlap in (estimated) tokens."""

    tokens: int = 400
    overlap: int = 80


@record
class SyncConfig:
    """``sync``: what triggers an index update."""

    on_session_start: bool = True
    on_search: bool = True
    watch: bool = True
    watch_debounce_ms: int = 1500
    interval_minutes: float = 0
    sessions_delta_bytes: int = 100_000
    sessions_delta_messages: int = 50
    sessions_post_compaction_force: bool = True
    embedding_batch_timeout_seconds: float | None = None


@record
class MmrConfig:
    """``query.hybrid.mmr``: maximal marginal relevance (Carbonell and Goldstein, 1998)."""

    enabled: bool = True
    lambda_: float = 0.7


@record
class DecayConfig:
    """``query.hybrid.temporalDecay``: score × 0.5^(age / half-life) for dated notes."""

    enabled: bool = True
    half_life_days: int = 30


@record
class HybridConfig:
    """``query.hybrid``: how the keyword and the vector leg are joined.  The two weights sum to 1."""

    enabled: bool = True
    vector_weight: float = 0.7
    text_weight: float = 0.3
    candidate_multiplier: int = 4
    fusion: Fusion = "relative"
    mmr: MmrConfig = field(default_factory=MmrConfig)
    temporal_decay: DecayConfig = field(default_factory=DecayConfig)


@record
class QueryConfig:
    """``query``: size and threshold of an answer."""

    max_results: int = 6
    min_score: float = 0.35
    hybrid: HybridConfig = field(default_factory=HybridConfig)


@record
class CacheConfig:
    """``cache``: vectors kept for texts that no note holds at present."""

    enabled: bool = True
    max_entries: int = 50_000


@record
class SearchConfig:
    """``memory.search`` / ``memorySearch`` of one agent, fully resolved.

    :param provider: provider id as configured, ``auto`` when unset.
    :param fallback: provider to use when the first fails, or ``none``.
    :param sources: what ``memory_search`` searches; ``sessions`` only where session memory is on.
    :param indexed_sources: what is indexed; may hold ``sessions`` although it is not searched by default.
    :param session_memory: the user asked for transcripts to be indexed, by either name of the setting.
    """

    store: StoreConfig
    enabled: bool = True
    sources: tuple[Source, ...] = ("memory",)
    indexed_sources: tuple[Source, ...] = ("memory",)
    extra_paths: tuple[ExtraPath, ...] = ()
    multimodal: MultimodalConfig = field(default_factory=MultimodalConfig)
    session_memory: bool = False
    remember_across_conversations: bool = False
    provider: str = "auto"
    fallback: str = "none"
    model: str | None = None
    input_type: str | None = None
    query_input_type: str | None = None
    document_input_type: str | None = None
    output_dimensionality: int | None = None
    remote: RemoteConfig = field(default_factory=RemoteConfig)
    local: LocalConfig = field(default_factory=LocalConfig)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)
    query: QueryConfig = field(default_factory=QueryConfig)
    cache: CacheConfig = field(default_factory=CacheConfig)


@record
class FlushConfig:
    """``agents.defaults.compaction``: the flush before compaction.  None as a prompt means our own text."""

    enabled: bool = True
    reserve_tokens_floor: int = 20_000
    soft_threshold_tokens: int = 4_000
    prompt: str | None = None
    system_prompt: str | None = None
    force_flush_transcript_bytes: int = 2_097_152
    model: str | None = None


@record
class StartupConfig:
    """What a session start may load, in characters.

    ``bootstrapMaxChars`` bounds one curated file, ``bootstrapTotalMaxChars`` everything together,
    ``startupContext.*`` the daily notes.
    """

    enabled: bool = True
    max_file_chars: int = 20_000
    max_total_chars: int = 60_000
    daily_days: int = 2
    daily_max_file_chars: int = 8_000
    daily_max_total_chars: int = 16_000


@record
class AgentConfig:
    """One agent: where its files are and how its memory works.

    :param context_tokens: ``contextTokens``, the window to assume when the host does not say.
    :param timezone: IANA name from ``userTimezone``, None if unset or unknown.
    :param memory_get_max_chars: character budget of ``memory_get``.
    :param sandbox_mode: which sessions the host runs in a sandbox.
    :param sandbox_workspace_access: what those may do with the workspace; None where no session is sandboxed.
    """

    id: str
    workspace: Path
    agent_dir: Path
    sessions_dir: Path
    search: SearchConfig
    flush: FlushConfig = field(default_factory=FlushConfig)
    startup: StartupConfig = field(default_factory=StartupConfig)
    is_default: bool = False
    context_tokens: int | None = None
    timezone: str | None = None
    memory_get_max_chars: int = 12_000
    sandbox_mode: Literal["off", "non-main", "all"] = "off"
    sandbox_workspace_access: Literal["rw", "ro", "none"] | None = None


@record
class SlotConfig:
    """``plugins``: which plugin has the memory slot and what may switch it off.

    :param memory: plugin id, or None when the slot is ``"none"``.
    """

    memory: str | None = "memory-core"
    enabled: bool = True
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    disabled_entries: tuple[str, ...] = ()


@record
class SessionsConfig:
    """``session`` and ``tools.sessions``: keys, store and visibility.

    :param main_key: name of the main session (``session.mainKey``).
    :param store: ``session.store`` with ``{agentId}`` still in it; None for the default place.
    :param sandbox_visibility: visibility cap for sandboxed callers (``spawned`` = ``tree``).
    """

    main_key: str = "main"
    scope: Literal["per-sender", "global"] = "per-sender"
    dm_scope: str = "main"
    store: str | None = None
    visibility: VisibilityLevel = "tree"
    sandbox_visibility: Literal["spawned", "all"] = "spawned"
    agent_to_agent_enabled: bool = False
    agent_to_agent_allow: tuple[str, ...] = ()


@record
class ProviderEntry:
    """``models.providers.<id>``: an endpoint with its own key and headers; fields as in :class:`RemoteConfig`."""

    id: str
    base_url: str | None = None
    api_key: Secret | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    api: str | None = None
    api_key_problem: str | None = None


@record
class ConfigWarning:
    """Something in the configuration that is not an error: an unknown key, a missing variable."""

    key_path: str
    message: str

    def __str__(self) -> str:
        return f"{self.key_path}: {self.message}" if self.key_path else self.message


@record
class MemoryConfig:
    """The whole configuration.

    :param path: the file it came from; None if there is none.
    :param agents: by id; the default agent is always among them.
    :param origins: for each key path of a value that was configured, where it came from (file and key); values of an
        agent stand under ``agents.entries.<id>``, whatever shape they were written in.
    """

    path: Path | None
    state_dir: Path
    home: Path
    agents: Mapping[str, AgentConfig]
    default_agent: str
    slot: SlotConfig = field(default_factory=SlotConfig)
    sessions: SessionsConfig = field(default_factory=SessionsConfig)
    providers: Mapping[str, ProviderEntry] = field(default_factory=dict)
    citations: CitationsMode = "auto"
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    warnings: tuple[ConfigWarning, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)

    def agent(self, agent_id: str | None = None) -> AgentConfig:
        """The agent called *agent_id* in any spelling; None is the default agent.

        :raises ConfigError: no agent of that id is configured.
        """
        wanted = self.default_agent if agent_id is None else normalize_agent_id(agent_id)
        found = self.agents.get(wanted)
        if found is None:
            known = ", ".join(sorted(self.agents))
            message = f'there is no agent "{agent_id}"'
            raise ConfigError(message, key_path="agents.entries", hint=f"known agents: {known}")
        return found
