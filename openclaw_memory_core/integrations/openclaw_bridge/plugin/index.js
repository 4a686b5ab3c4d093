// OpenClaw plugin "openclaw-memory": hands OpenClaw's memory slot to a Python process.
//
// Written by `openclaw-memory bridge install`; do not edit, it is replaced at the next install.
//
// Rules of this file:
// - No work when the module is evaluated or registered: OpenClaw does both several times in one process.
// - One Python process for each Node process, kept in globalThis, started by the first call, stopped with its last owner.
// - What OpenClaw calls synchronously, and what can fail a whole turn, is answered here, from data that is at hand.
// - Every wait for Python has a limit. A late or dead Python costs its help, never the turn.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ID, Owner, textOf } from "./peer.js";

const CURATED_OR_NOTE = /^(?:MEMORY|memory|USER)\.md$|^memory\/(?!\.)(?:(?!\.\.\/).)*\.md$/;
const UNITS = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** The plan of the flush before compaction. Synchronous, called several times a turn, and must not throw. */
export function flushPlan(flush, { cfg, nowMs, contextWindowTokens } = {}) {
  const set = cfg?.agents?.defaults?.compaction?.memoryFlush ?? {};
  if (set.enabled === false) return null;
  let reserve = flush.reserveTokensFloor;
  let soft = whole(set.softThresholdTokens) ?? flush.softThresholdTokens;
  const window = whole(contextWindowTokens);
  if (window && window <= reserve + soft) {
    reserve = Math.min(reserve, Math.floor(window / 4));
    soft = Math.min(soft, Math.floor((window - reserve) / 2));
  }
  const day = dayIn(cfg?.agents?.defaults?.userTimezone, nowMs ?? Date.now());
  const dated = (text) => text.replaceAll("YYYY-MM-DD", day);
  const model = typeof set.model === "string" ? set.model.trim() : "";
  return {
    softThresholdTokens: soft,
    forceFlushTranscriptBytes: bytes(set.forceFlushTranscriptBytes) ?? flush.forceFlushTranscriptBytes,
    reserveTokensFloor: reserve,
    ...(model && { model }),
    prompt: dated(flush.prompt),
    systemPrompt: dated(flush.systemPrompt),
    relativePath: `memory/${day}.md`,
  };
}

function whole(value) {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

function bytes(value) {
  if (typeof value !== "string") return whole(value);
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(value.trim());
  return match ? Math.floor(Number(match[1]) * UNITS[(match[2] ?? "b").toLowerCase()]) : undefined;
}

function dayIn(timeZone, nowMs) {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit" };
  for (const zone of [timeZone || undefined, undefined]) {
    try {
      return new Intl.DateTimeFormat("en-CA", { ...parts, timeZone: zone }).format(nowMs);
    } catch {
      // An unknown zone: the host's own is the next best.
    }
  }
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** Answers for memory files while Python cannot be asked: OpenClaw drops a file that nobody vouches for. */
export function classifyWithoutPython(paths) {
  return paths.map((relativePath) => ({
    relativePath,
    originClass: CURATED_OR_NOTE.test(relativePath) ? "agent" : "untrusted",
  }));
}

function register(api) {
  const settings = JSON.parse(readFileSync(join(api.rootDir ?? ".", "bridge.json"), "utf8"));
  const given = api.pluginConfig?.command;
  const command = Array.isArray(given) && given.length > 0 ? given : settings.command;
  registerCommands(api, command, settings);
  if (["cli-metadata", "setup-only"].includes(api.registrationMode)) return;

  const owner = new Owner(command, settings, api.logger);
  api.lifecycle?.onDispose?.(() => owner.dispose());

  // The agent's workspace, not that of a run, which may be a copy in a sandbox.
  const place = (agentId, cfg) => {
    try {
      const workspace = api.runtime.agent.resolveAgentWorkspaceDir(cfg ?? api.runtime.config.current(), agentId);
      return { agentId, workspace };
    } catch {
      return { agentId };
    }
  };
  const sessionOf = (ctx, cfg) => ({
    ...place(ctx.agentId, cfg),
    sessionKey: ctx.sessionKey,
    sessionId: ctx.sessionId,
    trigger: ctx.trigger,
    sandboxed: ctx.sandboxed,
    senderIsOwner: ctx.senderIsOwner,
  });

  registerMemory(api, owner, settings, place);
  registerTools(api, owner, settings, sessionOf);
  registerHooks(api, owner, sessionOf);
  registerService(api, owner);
}

function registerMemory(api, owner, settings, place) {
  api.registerMemoryCapability({
    promptBuilder: ({ availableTools } = {}) => (availableTools?.has?.("memory_search") ? settings.promptLines : []),
    flushPlanResolver: (params) => {
      try {
        return flushPlan(settings.flush, params);
      } catch (error) {
        api.logger.warn?.(`${ID}: no flush plan: ${textOf(error)}`);
        return null;
      }
    },
    runtime: {
      resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
      supportsWorkspaceMemoryReadSources: true,
      async getMemorySearchManager({ cfg, agentId, purpose }) {
        const where = { ...place(agentId, cfg), forOwner: purpose === "cli" };
        try {
          return { manager: manager(owner, where, await owner.call("status", where, "status")) };
        } catch (error) {
          return { manager: null, error: textOf(error) };
        }
      },
      async classifyWorkspaceMemoryPaths({ cfg, agentId, relativePaths }) {
        const paths = relativePaths ?? [];
        try {
          return await owner.call("classify", { ...place(agentId, cfg), paths }, "classify");
        } catch {
          return classifyWithoutPython(paths);
        }
      },
      async authorizeSearchHits({ cfg, agentId, requesterSessionKey, sandboxed, hits }) {
        const params = { ...place(agentId, cfg), sessionKey: requesterSessionKey, sandboxed, hits };
        try {
          return await owner.call("authorize", params, "search");
        } catch {
          return []; // Nobody can say who may see them.
        }
      },
      // A manager holds nothing; the process belongs to the owners.
      async closeMemorySearchManager() {},
      async closeAllMemorySearchManagers() {},
    },
  });
}

function manager(owner, where, status) {
  return {
    async search(query, { maxResults, minScore, sessionKey, sources, signal } = {}) {
      const params = { ...where, query, maxResults, minScore, sessionKey, sources };
      const answer = await owner.call("search", params, "search", signal);
      if (answer.unavailable) throw new Error(answer.error ?? "memory search is unavailable");
      return answer.results;
    },
    async readFile({ relPath, from, lines: count }) {
      const answer = await owner.call("get", { ...where, path: relPath, from, lines: count }, "search");
      if (answer.status === "error") throw new Error(answer.error);
      return answer;
    },
    status: () => status,
    async sync({ reason, force } = {}) {
      await owner.call("sync", { ...where, reason, force }, "sync");
    },
    async probeEmbeddingAvailability() {
      try {
        const { custom } = await owner.call("status", { ...where, deep: true }, "search");
        const { ok, error } = custom?.embeddingProbe ?? { ok: true };
        return { ok, ...(error && { error }) };
      } catch (error) {
        return { ok: false, error: textOf(error) };
      }
    },
    probeVectorAvailability: async () => status.vector?.available === true,
    async close() {},
  };
}

function registerTools(api, owner, settings, sessionOf) {
  for (const { name, label, description, parameters } of settings.tools) {
    const make = (ctx) => ({
      name,
      label,
      description,
      parameters,
      catalogMode: "direct-only", // else OpenClaw hides it behind its tool search
      async execute(_toolCallId, args, signal) {
        let details;
        try {
          const params = { ...sessionOf(ctx, ctx.getRuntimeConfig?.() ?? ctx.config), name, arguments: args };
          details = await owner.call("tool", params, "tool", signal);
        } catch (error) {
          if (signal?.aborted) throw error;
          details = { disabled: true, unavailable: true, error: textOf(error) };
        }
        return { content: [{ type: "text", text: JSON.stringify(details, null, 2) }], details };
      },
    });
    api.registerTool(make, { names: [name] });
  }
}

function registerHooks(api, owner, sessionOf) {
  const quietly = async (method, params, limit) => {
    try {
      return await owner.call(method, params, limit);
    } catch (error) {
      api.logger.debug?.(`${ID}: ${params.name}: ${textOf(error)}`);
      return undefined;
    }
  };
  // Trigger recall: a user's turn whose tools include memory_search, so that it follows the tool policy of the turn.
  api.on(
    "before_prompt_build",
    async (event, ctx) => {
      if (ctx.trigger !== "user" || !ctx.toolAuthority?.allows?.("memory_search")) return undefined;
      const said = String(event.currentUserMessage ?? event.prompt ?? "").slice(-20_000);
      const params = { ...sessionOf(ctx), name: "before_prompt_build", prompt: said };
      const answer = await quietly("hook", params, "recall");
      return answer?.prependContext ? { prependContext: answer.prependContext } : undefined;
    },
    { requiresToolAuthority: true },
  );
  for (const name of ["session_start", "session_end", "after_compaction"]) {
    api.on(name, async (_event, ctx) => {
      await quietly("hook", { ...sessionOf(ctx), name }, "hook");
    });
  }
}

function registerService(api, owner) {
  api.registerService({
    id: ID,
    // Throws if Python does not answer: a hot reload then keeps what was there, and `openclaw health` says why.
    async start(ctx) {
      owner.report = (problem) => {
        if (problem) ctx.serviceHealth?.reportFailure?.(new Error(problem));
        else ctx.serviceHealth?.clearFailure?.();
      };
      await owner.call("ping", {}, "hello");
    },
    async stop() {
      owner.leave();
    },
  });
}

/** `openclaw memory ...` is `openclaw-memory ...`: same terminal, same exit code. */
function registerCommands(api, command, settings) {
  const { name, description, commands } = settings.cli;
  api.registerCli(
    ({ program }) => {
      const group = program.command(name).description(description);
      for (const [one, help] of commands) {
        group
          .command(`${one} [args...]`)
          .description(help)
          .allowUnknownOption()
          .helpOption(false)
          .action((_args, _options, self) => run([...command, one, ...self.args]));
      }
    },
    { descriptors: [{ name, description, hasSubcommands: true }] },
  );
}

function run([program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit", windowsHide: true });
    child.on("error", (error) => {
      process.stderr.write(`${ID}: ${program} cannot be started: ${error.message}\n`);
      process.exitCode = 1;
      resolve();
    });
    child.on("exit", (code) => {
      process.exitCode = code ?? 1;
      resolve();
    });
  });
}

export default {
  id: ID,
  name: "OpenClaw Memory Core",
  description: "Memory of Markdown notes, served by the Python package openclaw-memory-core.",
  register,
};
