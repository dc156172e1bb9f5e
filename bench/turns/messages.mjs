// The longest turn of the gateway's event loop for single messages that are made to be costly (SAFE-4): npm run bench:messages --
// [--mib N] [--shapes a,b] [--places a,b] [--from stdio,json,sse] [--limits JSON] [--modern] [--profile]. `--modern`: to a client of
// 2026-07-28. CPU time of the main thread; Linux only. Build first.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SHAPES } from "./shapes.mjs";
import { openClient, openModernClient, startGateway } from "./start-gateway.mjs";

const { values } = parseArgs({
  options: {
    mib: { type: "string", default: "31" },
    shapes: { type: "string", default: Object.keys(SHAPES).join(",") },
    places: { type: "string", default: "result" },
    from: { type: "string", default: "stdio" },
    limits: { type: "string", default: "{}" },
    modern: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});
const here = fileURLToPath(new URL(".", import.meta.url));
const bytes = Number(values.mib) * 1_048_576 - 512;
const QUIET_MS = 250;

for (const from of values.from.split(",")) await measure(from);

async function measure(from) {
  const folder = mkdtempSync(join(tmpdir(), "onym-messages-"));
  const hostile = [join(here, "hostile.mjs"), from];
  const remote =
    from === "stdio" ? undefined : spawn(process.execPath, hostile, { stdio: ["ignore", "pipe", "inherit"] });
  const port = remote === undefined ? undefined : String(await once(remote.stdout, "data")).trim();
  const server =
    port === undefined
      ? { command: process.execPath, args: hostile }
      : { type: "http", url: `http://127.0.0.1:${port}/mcp` };
  writeFileSync(
    join(folder, "onym.json"),
    JSON.stringify({ mcpServers: { hostile: server }, limits: JSON.parse(values.limits) }),
  );
  const gateway = await startGateway({ folder, isProfiled: values.profile });
  try {
    note("before it listens", await gateway.probe("stop"));
    const client = values.modern ? openModernClient(gateway.url) : await openClient(gateway.url);
    await client.ask("tools/list");
    await client.call("shape").catch(() => {});
    for (const place of values.places.split(","))
      for (const shape of values.shapes.split(",")) {
        await gateway.probe("arm");
        const wanted = `${shape} ${bytes} ${place}`;
        const answer = await ask(client, place, wanted).catch((error) => `! ${error.message}`);
        while ((await gateway.probe("quiet")) < QUIET_MS) await wait(50);
        note(`${from} ${place} ${shape}`, await gateway.probe("stop"), answer);
      }
  } finally {
    gateway.child.kill("SIGTERM");
    await once(gateway.child, "exit");
    remote?.kill("SIGTERM");
    rmSync(folder, { recursive: true });
  }
}

function ask(client, place, wanted) {
  switch (place) {
    case "prompt":
      return client.ask("prompts/get", { name: "shape", arguments: { wanted } });
    case "resource":
      return client.ask("resources/read", { uri: `shape://${encodeURIComponent(wanted)}` });
    case "completion":
      return client.ask("completion/complete", {
        ref: { type: "ref/prompt", name: "shape" },
        argument: { name: "wanted", value: wanted },
      });
    default:
      return client.ask("tools/call", {
        name: "shape",
        arguments: { wanted },
        ...(place === "progress" && { _meta: { progressToken: 1 } }),
      });
  }
}

function note(what, { turns }, answer = "") {
  const longest = turns.map(({ cpuMs }) => cpuMs.toFixed(0)).join(" ");
  const said =
    answer.length < 2_000 ? answer.slice(0, 150).replaceAll("\n", " ") : `${answer.length} characters`;
  process.stdout.write(`${what.padEnd(36)} ${longest.padEnd(32)} load ${loadavg()[0].toFixed(1)} ${said}\n`);
  if (!values.profile) return;
  for (const { cpuMs, hot } of turns.slice(0, 3))
    if (cpuMs >= 20) process.stdout.write(`  ${cpuMs.toFixed(0)}: ${hot.join("  ")}\n`);
}
