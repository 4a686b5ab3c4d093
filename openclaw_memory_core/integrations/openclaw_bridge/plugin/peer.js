// The other side of the bridge: a Python process, JSON-RPC 2.0 lines on its stdin and stdout, time limits, replacement.
//
// Written by `openclaw-memory bridge install`; do not edit, it is replaced at the next install.
import { spawn } from "node:child_process";

export const ID = "openclaw-memory";

export const textOf = (error) => (error instanceof Error ? error.message : String(error));

class LateError extends Error {}

/** One Python process and the calls that wait for it. */
class Peer {
  constructor(command, settings, log) {
    this.command = command;
    this.settings = settings;
    this.log = log;
    this.calls = new Map();
    this.lastId = 0;
    this.child = null;
    this.failures = 0;
    this.notBefore = 0;
    this.lastError = "it was not started yet";
    this.facts = null;
    this.onHealth = new Set();
  }

  /** The answer to a request; rejects when it is late, aborted, or Python is not there. */
  async call(method, params, { limit, signal } = {}) {
    const until = Date.now() + limit;
    await this.within(this.hello(), limit, signal, method);
    return this.request(method, params, Math.max(1, until - Date.now()), signal);
  }

  /** Start Python if it does not run; the first call after a healthy process died starts the next one at once. */
  hello() {
    if (this.child) return this.child.greeted;
    if (Date.now() < this.notBefore) return Promise.reject(new Error(this.lastError));
    const [program, ...args] = this.command;
    const child = spawn(program, [...args, "bridge", "serve"], { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const current = { child, said: "", greeted: null, healthy: false };
    child.on("error", (error) => this.lost(current, `${program} cannot be started: ${error.message}`));
    if (!child.stdin) return Promise.reject(new Error(`${program} cannot be started now`)); // no descriptor is free
    this.child = current;
    const ended = (code, signal) => this.lost(current, `Python ended (${signal ?? `exit code ${code}`})`);
    child.on("close", ended);
    // Its last words may still be on the way; something that it started may keep them open.
    child.on("exit", (code, signal) => setTimeout(ended, this.settings.lastWords, code, signal).unref());
    // A write to a process that is just ending is no error of ours; "exit" says what happened.
    child.stdin.on("error", () => {});
    lines(child.stdout, (line) => this.receive(current, line));
    lines(child.stderr, (line) => {
      current.said = line.slice(0, 500);
      this.log.warn?.(`${ID}: ${current.said}`);
    });
    for (const one of [child, child.stdin, child.stdout, child.stderr]) one.unref?.();
    current.greeted = this.request("hello", { protocol: this.settings.protocol }, this.settings.limits.hello).then(
      (facts) => {
        if (facts?.protocol !== this.settings.protocol) throw new Error("another protocol answers");
        Object.assign(this, { facts, failures: 0, notBefore: 0 });
        current.healthy = true;
        this.tell(null);
        return facts;
      },
    );
    current.greeted.catch((error) => this.kill(current, textOf(error)));
    return current.greeted;
  }

  request(method, params, limit, signal) {
    const current = this.child;
    if (!current) return Promise.reject(new Error(this.lastError));
    const id = ++this.lastId;
    const answer = new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject, current });
      this.hold(current);
      current.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
    return this.within(answer, limit, signal, method).catch((error) => {
      if (this.calls.delete(id)) {
        this.release(current);
        this.notify(current, "$/cancel", { id });
        if (error instanceof LateError && method !== "ping" && method !== "hello") this.probe(current);
      }
      throw error;
    });
  }

  /** After a late answer: a process that does not even answer a ping is replaced. */
  probe(current) {
    if (current.probing || this.child !== current) return;
    current.probing = true;
    this.request("ping", {}, this.settings.limits.ping)
      .catch((error) => error instanceof LateError && this.kill(current, "Python does not answer"))
      .finally(() => (current.probing = false));
  }

  within(promise, limit, signal, what) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason ?? new Error("aborted"));
      const onAbort = () => done(reject, signal.reason ?? new Error("aborted"));
      const timer = setTimeout(() => done(reject, new LateError(`${what}: no answer within ${limit} ms`)), limit);
      const done = (settle, value) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        settle(value);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      promise.then((value) => done(resolve, value), (error) => done(reject, error));
    });
  }

  receive(current, line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const call = this.calls.get(message?.id);
    if (!call || call.current !== current) return;
    this.calls.delete(message.id);
    this.release(current);
    if (message.error) call.reject(new Error(message.error.message ?? "failed"));
    else call.resolve(message.result);
  }

  notify(current, method, params) {
    if (this.child === current) current.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  // While a call waits, the process keeps Node alive; when idle it does not.
  hold({ child }) {
    for (const one of [child, child.stdin, child.stdout]) one.ref?.();
  }

  release(current) {
    if ([...this.calls.values()].some((call) => call.current === current)) return;
    const { child } = current;
    for (const one of [child, child.stdin, child.stdout]) one.unref?.();
  }

  lost(current, why) {
    if (current.gone) return;
    current.gone = true;
    const reason = current.said && !current.healthy ? `${why}: ${current.said}` : why;
    if (this.child === current) {
      this.child = null;
      if (!current.stopped) {
        this.lastError = reason;
        const { first, most } = this.settings.backOff;
        if (!current.healthy) this.notBefore = Date.now() + Math.min(most, first * 2 ** this.failures++);
        this.tell(reason);
      }
    }
    for (const [id, call] of this.calls) {
      if (call.current !== current) continue;
      this.calls.delete(id);
      call.reject(new Error(reason));
    }
  }

  kill(current, why) {
    if (current.gone) return;
    current.child.kill("SIGKILL");
    this.lost(current, why);
  }

  tell(problem) {
    if (problem) this.log.warn?.(`${ID}: ${problem}`);
    for (const report of this.onHealth) report(problem);
  }

  /** Close Python's input, which ends it; insist after a while. */
  stop() {
    const current = this.child;
    if (!current) return;
    current.stopped = true;
    this.child = null;
    current.child.stdin.end();
    const { term, kill } = this.settings.stop;
    const timers = [
      setTimeout(() => current.child.kill("SIGTERM"), term),
      setTimeout(() => current.child.kill("SIGKILL"), kill),
    ];
    for (const timer of timers) timer.unref();
    current.child.once("exit", () => timers.forEach(clearTimeout));
  }
}

/** Call *take* for each line of a stream. */
function lines(stream, take) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part.trim()) take(part);
  });
}

/** The peers of this Node process: one for each command, shared by all evaluations of this module. */
function pool(protocol) {
  return (globalThis[Symbol.for(`${ID}/pool/${protocol}`)] ??= new Map());
}

/** One evaluation's share in a peer. */
export class Owner {
  constructor(command, settings, log) {
    Object.assign(this, { command, settings, log, key: JSON.stringify(command), report: null });
  }

  get peer() {
    // A late call of an evaluation that OpenClaw has disposed of must not start a process that nobody stops.
    if (this.disposed) throw new Error("the plugin was unloaded");
    const peers = pool(this.settings.protocol);
    let entry = peers.get(this.key);
    if (!entry) peers.set(this.key, (entry = { peer: new Peer(this.command, this.settings, this.log), owners: new Set() }));
    entry.owners.add(this);
    if (this.report) entry.peer.onHealth.add(this.report);
    return entry.peer;
  }

  async call(method, params, limit, signal) {
    return this.peer.call(method, params, { limit: this.settings.limits[limit], signal });
  }

  dispose() {
    this.disposed = true;
    this.leave();
  }

  leave() {
    const peers = pool(this.settings.protocol);
    const entry = peers.get(this.key);
    if (!entry?.owners.delete(this)) return;
    entry.peer.onHealth.delete(this.report);
    if (entry.owners.size > 0) return;
    peers.delete(this.key);
    entry.peer.stop();
  }
}
