// The plugin with a host made of objects: once with the real Python, else with one that misbehaves.
//
// Run by test_plugin.py, which gives FOLDER (a written plugin folder), WORKSPACE, SCRATCH and FAKE (fake_python.mjs).
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { load } from "./host.mjs";

const { FOLDER, WORKSPACE, SCRATCH, FAKE } = process.env;
const MAIN = { sessionKey: "agent:main:main" };
const GROUP = { sessionKey: "agent:main:telegram:group:-1009" };
const DATA = JSON.parse(readFileSync(join(FOLDER, "bridge.json"), "utf8"));

const hosts = [];
const opened = async (options) => {
  const host = await load(FOLDER, { workspace: WORKSPACE, ...options });
  hosts.push(host);
  return host;
};
let number = 0;
/** A host whose Python shows a behaviour, and a function that reads what that one has seen. */
const faked = async (behaviour, options) => {
  const log = join(mkdtempSync(join(SCRATCH, "fake-")), `log-${++number}`);
  const host = await opened({ pluginConfig: { command: [process.execPath, FAKE, behaviour, log] }, ...options });
  return { host, seen: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []) };
};
const starts = (seen) => seen.filter((line) => line.startsWith("start"));
const until = async (condition) => {
  for (let i = 0; i < 400; i++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`not reached: ${condition}`);
};
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.dispose();
});

describe("with the real Python", () => {
  test("registering starts nothing, and a search RPC answers", async () => {
    const { host, seen } = await faked("good");
    assert.deepEqual(seen(), []);
    assert.deepEqual([...host.tools.keys()], ["memory_search", "memory_get"]);
    assert.equal(host.hooks.get("before_prompt_build").options.requiresToolAuthority, true);

    const real = await opened();
    const { manager } = await real.capability.runtime.getMemorySearchManager({ cfg: {}, agentId: "main", purpose: "cli" });
    assert.equal(manager.status().workspaceDir, WORKSPACE);
    const [first] = await manager.search("fuse motor", { maxResults: 3 });
    assert.equal(first.path, "memory/2026-05-04.md");
    assert.match((await manager.readFile({ relPath: "MEMORY.md" })).text, /gate code/);
    assert.equal((await manager.readFile({ relPath: "memory/none.md" })).status, "not_found");
    assert.deepEqual(await manager.probeEmbeddingAvailability(), { ok: true });
    await manager.sync({ reason: "post-compaction" });
    await manager.close();
  });

  test("tools and recall follow the session", async () => {
    const host = await opened();
    const get = { path: "MEMORY.md" };
    assert.match((await host.details("memory_get", MAIN, get)).text, /4471/);
    assert.doesNotMatch(JSON.stringify(await host.details("memory_get", GROUP, get)), /4471/);
    assert.match((await host.turn(MAIN, "the gate code?")).prependContext, /4471/);
    assert.equal(await host.turn(GROUP, "the gate code?"), undefined);
    assert.equal(await host.turn({ ...MAIN, trigger: "heartbeat" }, "the gate code?"), undefined);
    assert.equal(await host.turn({ ...MAIN, trigger: undefined }, "the gate code?"), undefined);
    assert.equal(await host.turn({ ...MAIN, toolAuthority: { allows: () => false } }, "the gate code?"), undefined);
    assert.equal(await host.turn({ ...MAIN, toolAuthority: undefined }, "the gate code?"), undefined);
  });

  test("hits are authorised by Python", async () => {
    const host = await opened();
    const hits = [{ path: "MEMORY.md", source: "memory" }, { path: "memory/2026-05-04.md", source: "memory" }];
    const ask = (requesterSessionKey) =>
      host.capability.runtime.authorizeSearchHits({ cfg: {}, agentId: "main", requesterSessionKey, sandboxed: false, hits });
    assert.equal((await ask(MAIN.sessionKey)).length, 2);
    assert.deepEqual(await ask(GROUP.sessionKey), [hits[1]]);
  });

  test("one process serves all evaluations and ends with the last owner", async () => {
    const one = await opened();
    const two = await opened({ fresh: "?second", mode: "discovery" });
    assert.notEqual(one.module, two.module);
    const status = async (host) =>
      (await host.capability.runtime.getMemorySearchManager({ cfg: {}, agentId: "main" })).manager.status();
    await Promise.all([status(one), status(two)]);
    const entries = [...globalThis[Symbol.for(`openclaw-memory/pool/${DATA.protocol}`)].values()];
    assert.equal(entries.length, 1);
    const { child } = entries[0].peer.child;
    await one.dispose();
    await status(two);
    assert.equal(child.exitCode, null);
    await two.dispose();
    await until(() => child.exitCode !== null || child.signalCode !== null);
    assert.equal(child.exitCode, 0);
  });
});

describe("when Python misbehaves", () => {
  test("a call after the disposal starts nothing", async () => {
    const { host, seen } = await faked("good");
    await host.details("memory_search", MAIN, { query: "x" });
    await host.dispose();
    assert.match((await host.details("memory_search", MAIN, { query: "x" })).error, /unloaded/);
    await host.hooks.get("session_end").handler({}, { agentId: "main", ...MAIN });
    assert.equal(starts(seen()).length, 1);
  });

  test("a missing program costs its help, not the turn", async () => {
    const host = await opened({ pluginConfig: { command: ["/nonexistent/python"] } });
    const details = await host.details("memory_search", MAIN, { query: "x" });
    assert.equal(details.unavailable, true);
    assert.match(details.error, /nonexistent.*cannot be started/);
    assert.equal(await host.turn(MAIN, "the gate code?"), undefined);
    const { runtime } = host.capability;
    const classes = await runtime.classifyWorkspaceMemoryPaths({ agentId: "main", relativePaths: ["MEMORY.md", "USER.md"] });
    assert.deepEqual(classes.map((one) => one.originClass), ["agent", "agent"]);
    const answer = await runtime.getMemorySearchManager({ agentId: "main" });
    assert.equal(answer.manager, null);
    assert.match(answer.error, /cannot be started/);
    assert.deepEqual(await runtime.authorizeSearchHits({ agentId: "main", hits: [{ path: "MEMORY.md" }] }), []);
    await host.hooks.get("session_start").handler({}, { agentId: "main", ...MAIN });
  });

  test("the service's start fails with the reason, and its health is cleared later", async () => {
    const bad = await opened({ pluginConfig: { command: ["/nonexistent/python"] } });
    await assert.rejects(bad.services[0].start({}), /cannot be started/);

    const { host } = await faked("good");
    const health = [];
    const serviceHealth = {
      reportFailure: (error) => health.push(error.message),
      clearFailure: () => health.push("clear"),
    };
    await host.services[0].start({ serviceHealth });
    const { pid } = await host.details("memory_search", MAIN, { query: "x" });
    process.kill(pid, "SIGKILL");
    await until(() => health.length === 2);
    await host.details("memory_search", MAIN, { query: "x" });
    assert.deepEqual(health, ["clear", "Python ended (SIGKILL)", "clear"]);
  });

  test("a killed process is replaced by the next call", async () => {
    const { host, seen } = await faked("good");
    const first = (await host.details("memory_search", MAIN, { query: "x" })).pid;
    process.kill(first, "SIGKILL");
    await until(() => host.logs.some((line) => line.includes("Python ended")));
    const second = (await host.details("memory_search", MAIN, { query: "x" })).pid;
    assert.notEqual(first, second);
    assert.equal(starts(seen()).length, 2);
  });

  test("a call that the dying process leaves open fails with the reason", async () => {
    const { host } = await faked("late");
    const waiting = host.details("memory_search", MAIN, { query: "x" });
    await until(() => host.logs.length >= 0 && processes().length === 1);
    process.kill(processes()[0], "SIGKILL");
    assert.match((await waiting).error, /Python ended \(SIGKILL\)/);
  });

  test("a process that dies at once says why, and is not started again and again", async () => {
    const { host, seen } = await faked("dies");
    const first = await host.details("memory_search", MAIN, { query: "x" });
    assert.match(first.error, /exit code 1.*No module named openclaw_memory_core/);
    await host.details("memory_search", MAIN, { query: "x" });
    await host.details("memory_search", MAIN, { query: "x" });
    assert.ok(starts(seen()).length <= 2, seen().join());
    // After the back-off it is tried again.
    await new Promise((resolve) => setTimeout(resolve, DATA.backOff.first * 2 + 50));
    const before = starts(seen()).length;
    await host.details("memory_search", MAIN, { query: "x" });
    assert.equal(starts(seen()).length, before + 1);
  });

  test("a process that hangs is killed after one late answer and one late ping", async () => {
    const { host, seen } = await faked("hung");
    const started = Date.now();
    assert.equal(await host.turn(MAIN, "the gate code?"), undefined);
    assert.ok(Date.now() - started < DATA.limits.recall + 2000);
    await until(() => host.logs.some((line) => line.includes("does not answer")));
    // The ping is called off as well, which the process may see before it is killed.
    assert.deepEqual(seen().slice(1, 5), ["hello", "hook", "$/cancel", "ping"]);
    await host.turn(MAIN, "the gate code?");
    assert.equal(starts(seen()).length, 2);
  });

  test("a slow answer alone does not end the process", async () => {
    const { host, seen } = await faked("late");
    await host.turn(MAIN, "the gate code?");
    await until(() => seen().includes("ping"));
    await host.turn(MAIN, "the gate code?");
    assert.equal(starts(seen()).length, 1);
  });

  test("another protocol is refused", async () => {
    const { host } = await faked("older");
    assert.match((await host.details("memory_search", MAIN, { query: "x" })).error, /another protocol/);
  });

  test("lines that are no message are passed over", async () => {
    const { host } = await faked("noisy");
    assert.equal((await host.details("memory_search", MAIN, { query: "x" })).echo.name, "memory_search");
  });

  test("answers out of order reach their callers", async () => {
    const { host } = await faked("reversed");
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((query) => host.details("memory_search", MAIN, { query })),
    );
    assert.deepEqual(answers.map((one) => one.echo.arguments.query), ["a", "b", "c", "d"]);
  });

  test("an error of Python is the tool's answer", async () => {
    const { host } = await faked("fails");
    const { content, details } = await host.tool("memory_search", MAIN).execute("id", { query: "x" });
    assert.deepEqual(details, { disabled: true, unavailable: true, error: "the index is broken" });
    assert.deepEqual(JSON.parse(content[0].text), details);
    assert.equal(await host.turn(MAIN, "the gate code?"), undefined);
  });

  test("an aborted call is cancelled in Python and throws", async () => {
    const { host, seen } = await faked("late");
    const stop = new AbortController();
    const call = host.tool("memory_search", MAIN).execute("id", { query: "x" }, stop.signal);
    await until(() => seen().includes("tool"));
    stop.abort(new Error("stopped"));
    await assert.rejects(call, /stopped/);
    await until(() => seen().includes("$/cancel"));
    assert.ok(!seen().includes("ping"));
  });

  test("what the host knows of a caller is handed on, its workspace resolved by the host", async () => {
    const { host } = await faked("good");
    const ctx = { ...MAIN, sessionId: "s1", senderIsOwner: true, sandboxed: true, workspaceDir: "/sandbox/copy" };
    const { echo } = await host.details("memory_get", ctx, { path: "a" });
    assert.deepEqual(echo, {
      agentId: "main",
      workspace: WORKSPACE,
      sessionKey: MAIN.sessionKey,
      sessionId: "s1",
      sandboxed: true,
      senderIsOwner: true,
      name: "memory_get",
      arguments: { path: "a" },
    });
  });
});

function processes() {
  return [...globalThis[Symbol.for(`openclaw-memory/pool/${DATA.protocol}`)].values()]
    .map((entry) => entry.peer.child)
    .filter((current) => current?.healthy)
    .map((current) => current.child.pid);
}

describe("without Python", () => {
  test("the prompt section needs memory_search", async () => {
    const host = await opened();
    const { promptBuilder } = host.capability;
    assert.match(promptBuilder({ availableTools: new Set(["memory_search"]) }).join("\n"), /## Memory/);
    assert.deepEqual(promptBuilder({ availableTools: new Set(["read", "write"]) }), []);
    assert.deepEqual(promptBuilder(), []);
  });

  test("the flush plan follows the configuration and never throws", async () => {
    const host = await opened();
    const plan = host.capability.flushPlanResolver;
    const cfg = (memoryFlush, userTimezone) => ({ agents: { defaults: { userTimezone, compaction: { memoryFlush } } } });
    const nowMs = Date.UTC(2026, 0, 1, 23, 30);
    const plain = plan({ cfg: {}, nowMs, contextWindowTokens: 200_000 });
    assert.equal(plain.softThresholdTokens, 4000);
    assert.equal(plain.reserveTokensFloor, 20_000);
    assert.equal(plain.forceFlushTranscriptBytes, 2_097_152);
    assert.equal(plan({ cfg: cfg({}, "Asia/Tokyo"), nowMs }).relativePath, "memory/2026-01-02.md");
    assert.equal(plan({ cfg: cfg({}, "America/New_York"), nowMs }).relativePath, "memory/2026-01-01.md");
    assert.match(plan({ cfg: cfg({}, "Asia/Tokyo"), nowMs }).prompt, /memory\/2026-01-02\.md/);
    assert.match(plan({ cfg: cfg({}, "No/Zone"), nowMs }).relativePath, /^memory\/2026-01-0[12]\.md$/);
    assert.equal(plan({ cfg: cfg({ enabled: false }) }), null);
    const set = plan({ cfg: cfg({ softThresholdTokens: 10, forceFlushTranscriptBytes: "1.5mb", model: " fake/m " }) });
    assert.deepEqual([set.softThresholdTokens, set.forceFlushTranscriptBytes, set.model], [10, 1_572_864, "fake/m"]);
    const small = plan({ cfg: {}, contextWindowTokens: 8000 });
    assert.deepEqual([small.reserveTokensFloor, small.softThresholdTokens], [2000, 3000]);
    for (const odd of [undefined, {}, { cfg: null }, { cfg: { agents: 5 } }, { nowMs: Number.NaN }, { cfg: cfg("x") }]) {
      assert.doesNotThrow(() => plan(odd));
    }
  });

  test("only memory files are vouched for", async () => {
    const { module } = await opened();
    const paths = ["MEMORY.md", "memory.md", "USER.md", "memory/a.md", "memory/b/c.md", "../x.md", "memory/../x.md", "SOUL.md"];
    assert.deepEqual(
      module.classifyWithoutPython(paths).map((one) => one.originClass),
      ["agent", "agent", "agent", "agent", "agent", "untrusted", "untrusted", "untrusted"],
    );
  });

  test("the commands are known before the runtime is there", async () => {
    const host = await opened({ mode: "cli-metadata" });
    assert.equal(host.capability, null);
    const { register, options } = host.cli[0];
    assert.equal(options.descriptors[0].name, "memory");
    const names = [];
    const command = (name) => {
      names.push(name.split(" ")[0]);
      const self = {};
      for (const method of ["description", "allowUnknownOption", "helpOption", "action"]) self[method] = () => self;
      self.command = command;
      return self;
    };
    register({ program: { command } });
    assert.deepEqual(names, ["memory", "status", "index", "search", "get", "append", "doctor", "reset"]);
  });
});
