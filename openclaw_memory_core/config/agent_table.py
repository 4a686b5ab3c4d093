"""Settings of ``agents.defaults`` and of one agent, and those of the whole installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_memory_core.config.kinds import Bool, Choice, Integer, Prompt, Schema, Size, Text, Texts, Url
from openclaw_memory_core.config.secrets import Headers, SecretKind
from openclaw_memory_core.config.table import Setting, Table

if TYPE_CHECKING:
    from openclaw_memory_core.config.context import Context

AGENT = Table(
    (
        Setting(
            "workspace",
            "",
            Text(),
            "Folder of the notes.",
            "`~/.openclaw/workspace`",
        ),
        Setting("userTimezone", "timezone", Text(), "IANA time zone of the user.", "that of the machine"),
        Setting("contextTokens", "context_tokens", Integer(low=1), "Context window where the host does not say."),
        Setting("bootstrapMaxChars", "startup.max_file_chars", Integer(low=1), "Characters of one file at the start."),
        Setting(
            "bootstrapTotalMaxChars",
            "startup.max_total_chars",
            Integer(low=1),
            "Characters of all files at the start.",
        ),
        Setting(
            "contextLimits.memoryGetMaxChars",
            "memory_get_max_chars",
            Integer(low=1),
            "Characters that `memory_get` returns at most.",
        ),
        Setting("startupContext.enabled", "startup.enabled", Bool(), "Load daily notes when a session starts."),
        Setting(
            "startupContext.dailyMemoryDays",
            "startup.daily_days",
            Integer(low=1, high=14, clamp=True),
            "Days of daily notes, today included.",
        ),
        Setting(
            "startupContext.maxFileChars",
            "startup.daily_max_file_chars",
            Integer(low=1),
            "Characters of one daily note.",
        ),
        Setting(
            "startupContext.maxTotalChars",
            "startup.daily_max_total_chars",
            Integer(low=1),
            "Characters of all daily notes.",
        ),
        Setting(
            "sandbox.mode",
            "sandbox_mode",
            Choice(("off", "non-main", "all"), lenient=True),
            "Which sessions the host runs in a sandbox.",
        ),
        Setting(
            "sandbox.workspaceAccess",
            "sandbox_workspace_access",
            Choice(("rw", "ro", "none"), lenient=True),
            "What a sandboxed session may do with the workspace.",
            "`none` where a sandbox is on",
        ),
        Setting(
            "sandbox.sessionToolsVisibility",
            "",
            Choice(("spawned", "all"), lenient=True),
            "Sessions that a sandboxed session may see; read from `agents.defaults` only.",
            "`spawned`",
        ),
        Setting(
            "compaction.reserveTokensFloor",
            "flush.reserve_tokens_floor",
            Integer(low=0),
            "Tokens kept free below the context window.",
        ),
        Setting("compaction.memoryFlush.enabled", "flush.enabled", Bool(), "Ask for one flush before compaction."),
        Setting(
            "compaction.memoryFlush.softThresholdTokens",
            "flush.soft_threshold_tokens",
            Integer(low=0, clamp=True),
            "Tokens before the reserve at which the flush is due.",
        ),
        Setting("compaction.memoryFlush.prompt", "flush.prompt", Prompt(), "Text of the flush turn.", "our own"),
        Setting(
            "compaction.memoryFlush.systemPrompt",
            "flush.system_prompt",
            Prompt(),
            "Added to the system prompt of the flush turn.",
            "our own",
        ),
        Setting(
            "compaction.memoryFlush.forceFlushTranscriptBytes",
            "flush.force_flush_transcript_bytes",
            Size(),
            "Transcript size that makes a flush due by itself; 0 is never.",
        ),
        Setting("compaction.memoryFlush.model", "flush.model", Text(), "Model of the flush turn.", "the session's own"),
    ),
    strict=frozenset({"compaction.memoryFlush", "startupContext"}),
    ignored={
        "startupContext.applyOn": "daily notes are loaded at every session start",
        "startupContext.maxFileBytes": "the limits count characters",
    },
    elsewhere=frozenset({"id", "default", "agentDir", "memory", "memorySearch"}),
)


class SlotKind:
    """The id in the slot; ``none`` in any case switches memory off, a blank or anything else is the default."""

    label = "string"

    def parse(self, value: object, key_path: str, context: Context) -> str | None:
        """The plugin id, ``none`` in lower case, None for the default."""
        if not isinstance(value, str):
            context.warn(key_path, "is not a string; the default plugin is used")
            return None
        name = value.strip()
        return ("none" if name.lower() == "none" else name) or None

    def schema(self) -> Schema:
        """A string."""
        return {"type": "string"}


GLOBAL = Table(
    (
        Setting(
            "plugins.slots.memory",
            "",
            SlotKind(),
            "Plugin in the memory slot; `none` switches memory off.",
            "`memory-core`",
        ),
        Setting("plugins.enabled", "slot.enabled", Bool(), "Switch all plugins on or off."),
        Setting("plugins.deny", "slot.deny", Texts(), "Plugins that may not run; wins over the slot."),
        Setting("plugins.allow", "slot.allow", Texts(), "Plugins that may run."),
        Setting(
            "memory.citations",
            "citations",
            Choice(("auto", "on", "off"), lenient=True),
            "Whether results carry a source line.",
        ),
        Setting("session.mainKey", "sessions.main_key", Text(), "Name of the main session."),
        Setting(
            "session.scope",
            "sessions.scope",
            Choice(("per-sender", "global"), lenient=True),
            "One session for each sender, or one for all.",
        ),
        Setting("session.dmScope", "sessions.dm_scope", Text(), "How direct messages share sessions."),
        Setting(
            "session.store",
            "sessions.store",
            Text(),
            "The session store; `{agentId}` is replaced.",
            "`<state>/agents/{agentId}/sessions/sessions.json`",
        ),
        Setting(
            "tools.sessions.visibility",
            "sessions.visibility",
            Choice(("self", "tree", "agent", "all"), lenient=True),
            "Sessions whose transcripts a session may see.",
        ),
        Setting(
            "tools.agentToAgent.enabled",
            "sessions.agent_to_agent_enabled",
            Bool(),
            "Let agents see sessions of other agents.",
        ),
        Setting(
            "tools.agentToAgent.allow",
            "sessions.agent_to_agent_allow",
            Texts(),
            "Agent ids for that; `*` is a wildcard.",
        ),
    ),
    strict=frozenset({"memory", "tools.agentToAgent"}),
    ignored={
        "memory.backend": "there is one backend",
        "memory.qmd": "the QMD sidecar is not part of this plugin",
    },
    elsewhere=frozenset({"env", "agents", "models", "secrets", "memorySearch", "memory.search", "plugins.entries"}),
)

PROVIDER = Table(
    (
        Setting("baseUrl", "base_url", Url(), "Address of the service.", "the provider's own"),
        Setting("apiKey", "api_key", SecretKind(), "Key for the service."),
        Setting("headers", "headers", Headers(), "Headers to send along."),
        Setting("api", "api", Text(), "Protocol of the service."),
    ),
)
