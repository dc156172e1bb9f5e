// onym status before a running gateway: what people and scripts read of it (OBS-2).

import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1 } from "./harness-clients.js";
import { askModern } from "./harness-raw.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

function status(dir: string, ...args: readonly string[]): Promise<Said> {
  return run({ cwd: dir, home: dir }, ["status", "--config", "onym.json", ...args]);
}

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  { cwd, home }: { readonly cwd: string; readonly home: string },
  words: readonly string[],
): Promise<Said> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [ONYM_BIN, ...words],
      { cwd, env: onymEnvironment(home, {}) },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

it("tells servers, calls, approvals, clients, store and lock of the running gateway, and signs in once (OBS-2)", async () => {
  const onym = await stage.start({
    dir: stage.folder,
    config: {
      store: "onym.db",
      mcpServers: {
        mail: stage.entry({ label: "status", tools: ["send", "asked"] }),
        gone: { command: "no-such-program-anywhere" },
      },
      policy: { rules: [{ effect: "ask", tool: "*/asked@*" }] },
    },
  });
  await onym.said(/down\s+gone/);
  const client = await connectV1({ url: onym.url, clientName: "status\u202etest" });
  for (const name of ["mail_send", "mail_asked", "nothing"])
    await askModern({ url: `${onym.url}/openai`, method: "tools/call", params: { name, arguments: {} } });
  const { code, stdout } = await status(onym.dir, "--json");
  expect(code).toBe(1);
  const { gateways } = JSON.parse(stdout);
  expect(gateways).toHaveLength(1);
  expect(gateways[0]).toMatchObject({
    url: onym.url,
    activity: {
      calls: { total: 3, errors: 0, refused: 2 },
      clients: [{ principal: "local", idleMs: expect.any(Number) }],
      approvalsWaiting: 1,
      store: { engine: "sqlite" },
    },
  });
  expect(gateways[0].activity.lock.names).toBeGreaterThan(0);
  const key = /#key=(\S+)$/.exec(gateways[0].console)?.[1];
  const session = await fetch(new URL("/console/api/session", onym.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  expect(session.status).toBe(200);
  const text = (await status(onym.dir)).stdout;
  expect(text).toMatch(/ready\s+mail\s+2 tools/);
  expect(text).toMatch(/down\s+gone/);
  expect(text).toContain("3 calls, 0 errors, 2 refused");
  expect(text).toContain("1 approval waiting");
  // What would turn the line around is written out.
  expect(text).toContain("status\\u{202E}test");
  await client.close();
  await onym.stop();
  const after = await status(onym.dir);
  expect([after.code, after.stdout]).toEqual([
    1,
    expect.stringContaining("No gateway runs with this config"),
  ]);
});

it("tells of the only gateway that runs, whatever its config, where none is named (OBS-2)", async () => {
  const onym = await stage.start({ config: { mcpServers: { crm: { tools: ["get_leads"] } } } });
  const elsewhere = mkdtempSync(join(tmpdir(), "onym-status-"));
  const where = { cwd: elsewhere, home: onym.dir };
  const found = await run(where, ["status"]);
  const named = await run(where, ["status", "--config", "onym.json"]);
  await onym.stop();
  rmSync(elsewhere, { recursive: true });
  expect([found.code, found.stdout]).toEqual([0, expect.stringMatching(/static\s+crm.*\nconsole http/s)]);
  expect(found.stderr.replace(/\s+/g, " ")).toContain("no gateway of onym.json runs; this one runs ");
  expect([named.code, named.stdout]).toEqual([
    1,
    expect.stringContaining("No gateway runs with this config"),
  ]);
});

it("goes on with --watch until it is stopped, one line a look with --json (OBS-2)", async () => {
  const onym = await stage.start({ config: { mcpServers: { crm: { tools: ["get_leads"] } } } });
  const child = spawn(process.execPath, [ONYM_BIN, "status", "--config", "onym.json", "--watch", "--json"], {
    cwd: onym.dir,
    env: onymEnvironment(onym.dir, {}),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines: string[] = [];
  await new Promise<void>((resolve) => {
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      const found = (rest + part).split("\n");
      rest = found.pop() ?? "";
      lines.push(...found);
      if (lines.length >= 2) resolve();
    });
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal)),
  );
  child.kill("SIGTERM");
  expect(await ended).toBe("SIGTERM");
  for (const line of lines)
    expect(JSON.parse(line).gateways[0].servers).toMatchObject([{ server: "crm", state: "static" }]);
  // No key is made every second.
  expect(lines.join()).not.toContain("#key=");
});
