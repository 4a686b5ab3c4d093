// Stands in for `openclaw-memory bridge serve` where a test needs it to misbehave.  argv: behaviour, log file, "bridge", "serve".
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [behaviour, log] = process.argv.slice(2);
appendFileSync(log, `start ${process.pid}\n`);
if (behaviour === "dies") {
  process.stderr.write("No module named openclaw_memory_core\n");
  process.exit(1);
}
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  appendFileSync(log, `${method}\n`);
  if (method === "hello") {
    if (behaviour === "silent") return;
    if (behaviour === "noisy") process.stdout.write("this is no message\n{}\n");
    send({ id, result: { protocol: behaviour === "older" ? 0 : params.protocol, pid: process.pid } });
  } else if (method === "ping") {
    if (behaviour !== "hung") send({ id, result: "pong" });
  } else if (method === "$/cancel" || behaviour === "hung" || behaviour === "late") {
    // no answer
  } else if (behaviour === "fails") send({ id, error: { code: -32000, message: "the index is broken" } });
  else if (behaviour === "reversed") setTimeout(() => send({ id, result: { echo: params } }), 200 - id * 20);
  else send({ id, result: { echo: params, pid: process.pid } });
}).on("close", () => {
  appendFileSync(log, "end\n");
  process.exit(0);
});
