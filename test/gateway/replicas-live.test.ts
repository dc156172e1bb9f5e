// Three replicas at work: a decision made anywhere holds everywhere, and one after the other is restarted under load.

import { Agent, request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { callByName, createFleet, type Fleet, namesIn } from "./harness-replicas.js";

/** Calls until a change has come through; far more than a second's worth. */
const MAX_CALLS = 3_000;
const WORKERS = 6;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await createFleet();
});
afterEach(() => fleet.clear());
afterAll(() => fleet.close());

describe("a decision", () => {
  it("made through one process is in force on every replica, and so is its end (POL-2)", async () => {
    const location = await fleet.newLocation();
    const { url } = await fleet.control.startHttp({ label: "crm", tools: ["send", "read"] });
    const config = {
      mcpServers: { crm: { url } },
      store: location,
      policy: { rules: [{ effect: "ask", tool: "crm@*/send@*" }] },
    };
    const onyms = await Promise.all([1, 2, 3].map(() => fleet.start(config)));
    const isRun = async (onym: RunningOnym): Promise<boolean> => {
      const { result } = await callByName(onym, "openai", "crm_send");
      expect(result).toBeDefined();
      return result?.["isError"] !== true;
    };
    const reach = async (onym: RunningOnym, wanted: boolean): Promise<void> => {
      for (let count = 0; count < MAX_CALLS; count += 1) if ((await isRun(onym)) === wanted) return;
      throw new Error(`${MAX_CALLS} calls, and the decision is not in force`);
    };
    for (const onym of onyms) expect(await isRun(onym)).toBe(false);
    const store = await fleet.open(location);
    const [pending, ...others] = await store.approvals.pending();
    if (pending === undefined) throw new Error("nothing waits");
    // Three replicas asked, about one thing.
    expect(others).toEqual([]);
    const { principal, tool, launch, digest, definition } = pending;
    const binding = { principal, tool, launch, digest, definition };
    const approved = await store.approvals.decide({
      ...binding,
      verdict: "approved",
      decidedAt: Date.now(),
      decidedBy: "test",
      expiresAt: undefined,
    });
    await Promise.all(onyms.map((onym) => reach(onym, true)));
    expect(await store.approvals.revoke(approved.id, Date.now())).toBe(true);
    await Promise.all(onyms.map((onym) => reach(onym, false)));
    for (const onym of onyms) expect(await isRun(onym)).toBe(false);
  });
});

describe("a rolling restart", () => {
  it("fails no call: what was taken is answered, and the rest goes to another replica", async () => {
    const location = await fleet.newLocation();
    const dirs = [fleet.newFolder(), fleet.newFolder(), fleet.newFolder()];
    const configs = dirs.map((dir) => {
      const behaviours = [{ delayMs: 5 }];
      const entry = fleet.control.stdioEntry({ label: "load", tools: ["work"], behaviours }, dir);
      return { mcpServers: { load: entry }, store: location, limits: { listMs: 60_000 } };
    });
    const onyms = await Promise.all(configs.map((config, at) => fleet.start(config, dirs[at])));
    const [name = ""] = (await namesIn(onyms[0] as RunningOnym, "openai")).values();

    let isOver = false;
    let answered = 0;
    let elsewhere = 0;
    const failures: unknown[] = [];
    const work = async (worker: number): Promise<void> => {
      // Connections are kept, as those of most clients are.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let turn = worker; !isOver; turn += 1) {
        const onym = onyms[turn % 3] as RunningOnym;
        const answer = await post(onym.url, name, agent);
        if (answer === "elsewhere") elsewhere += 1;
        else if (answer.result?.isError === undefined && answer.result?.structuredContent !== undefined)
          answered += 1;
        else failures.push(answer);
      }
      agent.destroy();
    };
    const workers = Array.from({ length: WORKERS }, (_, worker) => work(worker));
    const untilAnswered = async (count: number): Promise<void> => {
      const goal = answered + count;
      while (answered < goal && failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    for (const [at, dir] of dirs.entries()) {
      await untilAnswered(100);
      const { code } = await (onyms[at] as RunningOnym).stop();
      expect(code).toBe(0);
      await untilAnswered(100);
      onyms[at] = await fleet.start(configs[at] as object, dir);
    }
    await untilAnswered(100);
    isOver = true;
    await Promise.all(workers);
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(600);
    await fleet.clear();

    // No call was taken and left without its answer.
    const store = await fleet.open(location);
    const records = await store.audit.read({ limit: 100_000 });
    const count = (kind: string) => records.filter((record) => record.kind === kind).length;
    expect({ intents: count("intent"), outcomes: count("outcome") }).toEqual({
      intents: answered,
      outcomes: answered,
    });
    expect((await store.audit.verify()).broken).toEqual([]);
    expect(elsewhere).toBeGreaterThan(0);
  });
});

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown };
}

/** One call; `elsewhere` where the replica did not take it: nobody listens, or it says that it is closing. */
function post(url: string, name: string, agent: Agent): Promise<Answer | "elsewhere"> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, _meta: meta } };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/openai`,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": name,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("error", reject).once("end", () => {
          if (response.statusCode === 503) resolve("elsewhere");
          else resolve(JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as Answer);
        });
      },
    );
    sent.once("error", (error: NodeJS.ErrnoException) => {
      // Nothing came back on this connection; that nothing was done is held against the record at the end.
      if (error.code === "ECONNREFUSED" || error.code === "ECONNRESET") resolve("elsewhere");
      else reject(error);
    });
    sent.end(JSON.stringify(body));
  });
}
