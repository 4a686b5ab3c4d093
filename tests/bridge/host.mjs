// A host as far as the plugin needs one: records what is registered and offers it to the tests.
import { pathToFileURL } from "node:url";

export async function load(folder, { pluginConfig, mode = "full", workspace, fresh = "" } = {}) {
  const module = await import(`${pathToFileURL(`${folder}/index.js`).href}${fresh}`);
  const host = { hooks: new Map(), tools: new Map(), services: [], cli: [], disposers: [], logs: [], capability: null };
  const log = (level) => (text) => host.logs.push(`${level}: ${text}`);
  const api = {
    id: "openclaw-memory",
    rootDir: folder,
    registrationMode: mode,
    pluginConfig,
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    lifecycle: { onDispose: (dispose) => host.disposers.push(dispose) },
    runtime: {
      config: { current: () => ({}) },
      agent: { resolveAgentWorkspaceDir: () => workspace },
    },
    registerMemoryCapability: (capability) => (host.capability = capability),
    registerTool: (make, { names }) => host.tools.set(names[0], make),
    registerService: (service) => host.services.push(service),
    registerCli: (register, options) => host.cli.push({ register, options }),
    on: (name, handler, options) => host.hooks.set(name, { handler, options }),
  };
  if (mode === "cli-metadata") {
    for (const name of ["runtime", "lifecycle"]) {
      Object.defineProperty(api, name, { get: () => { throw new Error(`${name} is not there yet`); } });
    }
  }
  module.default.register(api);
  host.module = module;
  host.tool = (name, ctx) => host.tools.get(name)({ agentId: "main", ...ctx });
  host.details = async (name, ctx, args, signal) => (await host.tool(name, ctx).execute("id", args, signal)).details;
  host.turn = (ctx, prompt) =>
    host.hooks.get("before_prompt_build").handler(
      { prompt, messages: [] },
      { agentId: "main", trigger: "user", toolAuthority: { allows: () => true }, ...ctx },
    );
  host.dispose = async () => {
    for (const dispose of host.disposers) await dispose();
  };
  return host;
}
