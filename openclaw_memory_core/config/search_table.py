"""Every setting of ``memory.search`` (``memorySearch`` in the older shape)."""

from __future__ import annotations

from typing import Any

from openclaw_memory_core.config.context import Context, join, type_name
from openclaw_memory_core.config.kinds import (
    Bool,
    Choice,
    Converted,
    Integer,
    IntegerOrAuto,
    Number,
    Schema,
    Size,
    Text,
    Texts,
    Url,
    checked_text,
)
from openclaw_memory_core.config.secrets import Headers, SecretKind
from openclaw_memory_core.config.table import Setting, Table


class ExtraPathsKind:
    """Paths, or objects with a path and a pattern; resolved later, because ``~`` and the workspace decide."""

    label = "list of string or `{path, pattern}`"

    def parse(self, value: Any, key_path: str, context: Context) -> tuple[tuple[str, str | None], ...]:
        """Pairs of path and pattern as written, empty paths left out."""
        if not isinstance(value, list):
            context.fail(key_path, f"must be a list, not {type_name(value)}", 'use a list such as ["~/notes"]')
        pairs = [self._pair(item, f"{key_path}[{i}]", context) for i, item in enumerate(value)]
        return tuple((path, pattern) for path, pattern in pairs if path)

    def _pair(self, item: object, key_path: str, context: Context) -> tuple[str, str | None]:
        if not isinstance(item, dict):
            return checked_text(item, key_path, context).strip(), None
        for name in item.keys() - {"path", "pattern"}:
            context.warn(join(key_path, name), "is not a known key and is ignored")
        if item.get("path") is None:
            context.fail(key_path, "has no path", 'write {path: "~/notes", pattern: "**/*.md"}')
        path = checked_text(item["path"], join(key_path, "path"), context).strip()
        pattern = item.get("pattern")
        return path, None if pattern is None else checked_text(pattern, join(key_path, "pattern"), context) or None

    def schema(self) -> Schema:
        """Strings or objects."""
        text = {"type": "string"}
        entry = {"type": "object", "properties": {"path": text, "pattern": text}, "required": ["path"]}
        return {"type": "array", "items": {"anyOf": [text, entry]}}


def _modalities(words: tuple[str, ...]) -> tuple[str, ...]:
    return ("image", "audio") if "all" in words else words


_SETTINGS = (
    Setting("enabled", "enabled", Bool(), "Switch memory search on or off; off removes the tools."),
    Setting(
        "sources",
        "sources",
        Texts(("memory", "sessions")),
        "What `memory_search` searches; `sessions` counts only where session memory is on.",
    ),
    Setting(
        "extraPaths",
        "extra_paths",
        ExtraPathsKind(),
        "More folders or files to index; `~` is the home, relative paths start at the agent's workspace. "
        "Defaults and agent are joined.",
    ),
    Setting(
        "experimental.sessionMemory",
        "session_memory",
        Bool(),
        "Index the transcripts of sessions.",
    ),
    Setting(
        "rememberAcrossConversations",
        "remember_across_conversations",
        Bool(),
        "Index the transcripts of sessions, the newer name; only an explicit `true` counts.",
    ),
    Setting("provider", "provider", Text(fold=("auto", "none")), "Embedding provider; `none` for keywords only."),
    Setting("fallback", "fallback", Text(fold=("none",)), "Provider to use when the first one fails."),
    Setting("model", "model", Text(), "Embedding model.", "the provider's own"),
    Setting("inputType", "input_type", Text(required=True), "Input type for queries and documents."),
    Setting("queryInputType", "query_input_type", Text(required=True), "Input type for queries."),
    Setting("documentInputType", "document_input_type", Text(required=True), "Input type for documents."),
    Setting("outputDimensionality", "output_dimensionality", Integer(low=1), "Length of the vectors to ask for."),
    Setting("remote.baseUrl", "remote.base_url", Url(), "Address of the embedding service.", "the provider's own"),
    Setting("remote.apiKey", "remote.api_key", SecretKind(), "Key for the embedding service."),
    Setting(
        "remote.headers", "remote.headers", Headers(), "Headers to send along; an agent's map replaces the default."
    ),
    Setting(
        "remote.nonBatchConcurrency",
        "remote.non_batch_concurrency",
        Integer(low=1),
        "Requests at the same time outside the batch API.",
        "the provider's own",
    ),
    Setting("remote.batch.enabled", "remote.batch.enabled", Bool(), "Use the provider's batch API for indexing."),
    Setting("remote.batch.wait", "remote.batch.wait", Bool(), "Wait for batch jobs to finish."),
    Setting(
        "remote.batch.concurrency", "remote.batch.concurrency", Integer(low=1, clamp=True), "Batch jobs at a time."
    ),
    Setting(
        "remote.batch.pollIntervalMs",
        "remote.batch.poll_interval_ms",
        Integer(low=1),
        "Milliseconds between looks at a batch job.",
    ),
    Setting(
        "remote.batch.timeoutMinutes",
        "remote.batch.timeout_minutes",
        Number(low=0, above=True),
        "Minutes after which a batch job is given up.",
    ),
    Setting("local.modelPath", "local.model_path", Text(), "GGUF model: a path, or an `hf:` or `https:` address."),
    Setting("local.modelCacheDir", "local.model_cache_dir", Text(), "Folder for downloaded models."),
    Setting("local.contextSize", "local.context_size", IntegerOrAuto(low=1), "Context of the local model, in tokens."),
    Setting("multimodal.enabled", "multimodal.enabled", Bool(), "Index images and audio under extra paths."),
    Setting(
        "multimodal.modalities",
        "multimodal.modalities",
        Converted(Texts(("image", "audio", "all")), _modalities),
        "Which of them.",
    ),
    Setting("multimodal.maxFileBytes", "multimodal.max_file_bytes", Size(low=1), "Largest such file."),
    Setting(
        "store.path",
        "store.path",
        Text(),
        "The index file; `{agentId}` is replaced.",
        "`<state>/memory/{agentId}.sqlite`; `{agentId}.core.sqlite` beside OpenClaw 2026.9 and later",
    ),
    Setting("store.vector.enabled", "store.vector_enabled", Bool(), "Use the sqlite-vec extension."),
    Setting("store.vector.extensionPath", "store.extension_path", Text(), "The extension to load.", "the packaged one"),
    Setting(
        "store.fts.tokenizer",
        "store.fts_tokenizer",
        Choice(("unicode61", "trigram")),
        "How the keyword index cuts words.",
    ),
    Setting("chunking.tokens", "chunking.tokens", Integer(low=1, clamp=True), "Target size of a chunk, in tokens."),
    Setting(
        "chunking.overlap",
        "chunking.overlap",
        Integer(low=0, clamp=True),
        "Tokens that neighbouring chunks share; at most one less than the size.",
    ),
    Setting("sync.onSessionStart", "sync.on_session_start", Bool(), "Update the index when a session starts."),
    Setting("sync.onSearch", "sync.on_search", Bool(), "Update the index in the background of a search."),
    Setting("sync.watch", "sync.watch", Bool(), "Watch the files."),
    Setting("sync.watchDebounceMs", "sync.watch_debounce_ms", Integer(low=0), "Quiet milliseconds before an update."),
    Setting("sync.intervalMinutes", "sync.interval_minutes", Number(low=0), "Minutes between updates; 0 is never."),
    Setting(
        "sync.sessions.deltaBytes",
        "sync.sessions_delta_bytes",
        Size(),
        "Bytes a transcript grows by before it is indexed again.",
    ),
    Setting(
        "sync.sessions.deltaMessages",
        "sync.sessions_delta_messages",
        Integer(low=0, clamp=True),
        "Messages a transcript grows by before it is indexed again.",
    ),
    Setting(
        "sync.sessions.postCompactionForce",
        "sync.sessions_post_compaction_force",
        Bool(),
        "Index a transcript after its compaction in any case.",
    ),
    Setting(
        "sync.embeddingBatchTimeoutSeconds",
        "sync.embedding_batch_timeout_seconds",
        Number(low=0, above=True),
        "Seconds for one embedding request while indexing.",
        "the provider's own",
    ),
    Setting("query.maxResults", "query.max_results", Integer(low=1), "Results of a search."),
    Setting(
        "query.minScore",
        "query.min_score",
        Number(low=0, high=1, clamp=True),
        "Least score of a result, as a share of the best hit; hits by words below it fill empty places.",
    ),
    Setting("query.hybrid.enabled", "query.hybrid.enabled", Bool(), "Join keyword and vector search."),
    Setting(
        "query.hybrid.vectorWeight",
        "query.hybrid.vector_weight",
        Number(low=0, high=1, clamp=True),
        "Weight of the vector score; the two weights are scaled to a sum of 1.",
    ),
    Setting(
        "query.hybrid.textWeight",
        "query.hybrid.text_weight",
        Number(low=0, high=1, clamp=True),
        "Weight of the keyword score.",
    ),
    Setting(
        "query.hybrid.candidateMultiplier",
        "query.hybrid.candidate_multiplier",
        Integer(low=1, high=20, clamp=True),
        "Candidates per wanted result.",
    ),
    Setting(
        "query.hybrid.fusion",
        "query.hybrid.fusion",
        Choice(("relative", "zscore", "documented", "rrf")),
        "How the two scores are joined. This setting is our own; OpenClaw does not know it.",
    ),
    Setting("query.hybrid.mmr.enabled", "query.hybrid.mmr.enabled", Bool(), "Prefer results that differ."),
    Setting(
        "query.hybrid.mmr.lambda",
        "query.hybrid.mmr.lambda_",
        Number(low=0, high=1, clamp=True),
        "1 is relevance only, 0 is difference only.",
    ),
    Setting(
        "query.hybrid.temporalDecay.enabled",
        "query.hybrid.temporal_decay.enabled",
        Bool(),
        "Let dated notes lose score with age.",
    ),
    Setting(
        "query.hybrid.temporalDecay.halfLifeDays",
        "query.hybrid.temporal_decay.half_life_days",
        Integer(low=1, clamp=True),
        "Days after which half of the score is left.",
    ),
    Setting("cache.enabled", "cache.enabled", Bool(), "Keep vectors of texts that no note holds at present."),
    Setting("cache.maxEntries", "cache.max_entries", Integer(low=1, clamp=True), "How many."),
)

_SECTIONS = (
    "",
    "experimental",
    "remote",
    "remote.batch",
    "local",
    "multimodal",
    "store",
    "store.vector",
    "store.fts",
    "chunking",
    "sync",
    "sync.sessions",
    "query",
    "query.hybrid",
    "query.hybrid.mmr",
    "query.hybrid.temporalDecay",
    "cache",
)

SEARCH = Table(
    _SETTINGS,
    strict=frozenset(_SECTIONS),
    ignored={"store.driver": "the index is always SQLite"},
    aliases={
        "chunkSize": "chunking.tokens",
        "chunkOverlap": "chunking.overlap",
        "maxResults": "query.maxResults",
    },
)
