import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../config/limits.js";
import { createDownstream } from "../downstream/create-downstream.js";
import type { Launch } from "../model/launch.js";
import { createTerminal } from "../output/terminal.js";
import { createLogOutput, type LogOutputOptions } from "./log-output.js";

function createOutput(options: LogOutputOptions) {
  const lines: string[] = [];
  const terminal = { ...createTerminal(process), err: (text: string) => void lines.push(text.trimEnd()) };
  return { lines, output: createLogOutput(terminal, options) };
}

/** Starts a server that is down at once, or once it was tried. */
async function startServer(launch: Launch, options: LogOutputOptions) {
  const { lines, output } = createOutput(options);
  const downstream = createDownstream({
    id: { server: "crm", toolbox: "dev" },
    launch,
    limits: DEFAULT_LIMITS,
    clientInfo: { name: "onym", version: "0.0.0" },
    log: output.gatewayLog,
    events: {
      onStatus: () => {},
      onInventory: () => {},
      onNotification: () => {},
      onServerRequest: async () => ({ kind: "error", error: { code: -32601, message: "nobody to ask" } }),
    },
  });
  downstream.start();
  await downstream.firstAttempt;
  await downstream.close();
  return lines;
}

const UNSTARTED: Launch = {
  kind: "unusable",
  code: "missing-variable",
  variable: "TOKEN",
  reason: "TOKEN is not set",
  hint: "Set it.",
};
const UNREACHABLE: Launch = { kind: "http", url: "http://127.0.0.1:9/mcp", headers: new Map() };

describe("the log of a gateway whose progress is shown", () => {
  it.each([
    ["is never started", UNSTARTED],
    ["is tried again", UNREACHABLE],
  ])("does not repeat that a server is down that %s", async (_, launch) => {
    expect((await startServer(launch, {})).filter((line) => line.includes("is down"))).toEqual([]);
    const verbose = await startServer(launch, { verbose: true });
    expect(verbose.filter((line) => line.includes('server "crm" is down'))).toHaveLength(1);
    const json = await startServer(launch, { logJson: true });
    const [down, ...others] = json
      .map((line) => JSON.parse(line))
      .filter(({ severity }) => severity === "warn");
    expect(down).toMatchObject({ server: "crm", toolbox: "dev" });
    expect(down).not.toHaveProperty("event");
    expect(others).toEqual([]);
  });

  it.each([{ retryMs: 5 }, { state: "unusable" }])("shows every other line, even with %j", (facts) => {
    const { lines, output } = createOutput({});
    output.gatewayLog("warn", "approvals cannot be read", facts);
    output.gatewayLog("warn", "the server writes", facts, { server: "crm", toolbox: undefined });
    expect(lines).toEqual([
      expect.stringContaining("approvals cannot be read"),
      expect.stringContaining("the server writes"),
    ]);
  });
});
