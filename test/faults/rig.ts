// A real gateway in front of real servers that are well and others that are made to fail, in lanes: each lane has a server
// over stdio and one over HTTP, so that faults in different lanes do not meet.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningOnym, startOnym } from "../gateway/harness.js";
import { askModern } from "../gateway/harness-raw.js";
import { realServers } from "../gateway/real-servers.js";
import { projectRoot } from "../project-files.js";
import { type CallRecord, createCallRecord } from "./call-record.js";
import { serveEcho } from "./echo-http.js";
import type { Outcome } from "./fault.js";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { PROXY_FAULTS } from "./http-faults.js";

export interface Lane {
  readonly stdio: string;
  readonly http: string;
  readonly proxy: FaultProxy;
}

export interface Rig {
  readonly onym: RunningOnym;
  /** The socket of the probe in the gateway. */
  readonly probe: string;
  readonly lanes: readonly Lane[];
  readonly record: CallRecord;
  readonly nextNonce: () => string;
  /** By nonce: the arguments of every call, as they were sent. */
  readonly sent: Map<string, string>;
  /** Calls `SERVER/act` with these arguments, which have a nonce. */
  readonly call: (server: string, args: Readonly<Record<string, unknown>>) => Promise<Outcome>;
  /** Calls any tool by its canonical name. */
  readonly ask: (
    name: string,
    args: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly text: string; readonly outcome: Outcome }>;
  /** A text that only processes of this rig have in their environment. */
  readonly mark: string;
  /** Ends the gateway and what is around it; the folder stays until `remove`. */
  readonly stop: () => Promise<{ readonly code: number | null }>;
  readonly remove: () => void;
}

const here = join(projectRoot, "test/faults");
/** Small enough that faults come to an end soon, large enough for a busy machine. */
const LIMITS = { callMs: 3_000, frameBytes: 2_000_000, startMs: 60_000, callerRate: 100_000 };

export async function startRig(laneCount: number): Promise<Rig> {
  const dir = mkdtempSync(join(tmpdir(), "onym-faults-"));
  const mark = `ONYM_RIG=${dir}`;
  const recordFile = join(dir, "calls.txt");
  const record = createCallRecord(recordFile);
  const probe = join(dir, "probe.sock");
  const echo = await serveEcho("echo", record);
  const hostile = (server: string) => ({
    command: process.execPath,
    args: [join(here, "hostile-server.mjs")],
    env: { SERVER: server, RECORD: recordFile, ONYM_RIG: dir },
  });
  const lanes = await Promise.all(
    Array.from({ length: laneCount }, async (_, index): Promise<Lane> => {
      const http = `http${index}`;
      return { stdio: `stdio${index}`, http, proxy: await startFaultProxy(http, record, PROXY_FAULTS) };
    }),
  );
  const { everything, filesystem } = realServers(dir);
  const mcpServers = {
    everything,
    filesystem,
    well: hostile("well"),
    echo: { url: echo.url },
    ...Object.fromEntries(lanes.map(({ stdio }) => [stdio, hostile(stdio)])),
    ...Object.fromEntries(lanes.map(({ http, proxy }) => [http, { url: proxy.url }])),
  };
  const onym = await startOnym({
    dir,
    config: { mcpServers, limits: LIMITS, store: "onym.db" },
    env: { NODE_OPTIONS: `--import ${join(here, "probe.mjs")}`, ONYM_PROBE: probe, ONYM_RIG: dir },
  });
  let nonces = 0;
  const sent = new Map<string, string>();
  const ask: Rig["ask"] = async (name, args) => {
    const params = { name, arguments: args };
    sent.set(String(args["nonce"]), JSON.stringify(args));
    const { text, result, error } = await askModern({
      url: `${onym.url}/canonical`,
      method: "tools/call",
      params,
    });
    if (error !== undefined) {
      const { code, message, data = {} } = error;
      return { text, outcome: { kind: "error", code, message, data } };
    }
    return { text, outcome: { kind: "result", echo: Object(result?.["structuredContent"]) } };
  };
  return {
    onym,
    probe,
    lanes,
    record,
    mark,
    sent,
    ask,
    nextNonce: () => `n${++nonces}`,
    call: async (server, args) => (await ask(`${server}@1/act@1`, args)).outcome,
    stop: async () => {
      const ended = await onym.stop();
      await Promise.all([echo.close(), ...lanes.map(({ proxy }) => proxy.close())]);
      return ended;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
