// Calls that were allowed and still wait, for their record or for their turn at the server, when that changes (POL-4, POL-9).

import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLibsql } from "../../packages/onym/src/store/sqlite/libsql.js";
import type { RunningOnym } from "./harness.js";
import { decisionFor, storeOf, until } from "./harness-approvals.js";
import { callUnasked } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { callRaw, callRawLegacy, rawsReceived } from "./harness-policy.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

const allow = { default: "allow", rules: [] };
const denySend = { default: "allow", rules: [{ effect: "deny", tool: "mail@1/send" }] };

/** A gateway whose server takes one request at a time, and answers `slow` when it is told to. */
async function start(policy: object) {
  const behaviours = [{ tool: "slow", hold: true }];
  const mcpServers = {
    mail: stage.entry({ label: "mail", tools: ["slow", "send", "read"], behaviours }),
    other: stage.entry({ label: "other", tools: ["look"] }),
  };
  const configOf = (next: object) => ({ mcpServers, limits: { pending: 1 }, metrics: true, policy: next });
  const onym = await stage.start({ config: configOf(policy) });
  return { onym, reload: (next: object) => reloadConfig(onym, configOf(next)) };
}

/** Holds the server, and starts a call that waits behind it. */
async function queue(onym: RunningOnym, call: typeof callRaw) {
  const slow = callRaw(onym, "openai", { name: "mail_slow" });
  const server = await stage.control.server("mail");
  await server.direct({ do: "awaitHeld", count: 1 });
  const { length: before } = await outcomes(onym, "mail_send", "intent");
  const waiting = call(onym, "openai", { name: "mail_send" });
  await until(async () => (await outcomes(onym, "mail_send", "intent")).length > before);
  return {
    waiting,
    async release() {
      await server.direct({ do: "release" });
      expect((await slow).result).toBeDefined();
    },
  };
}

/** Of the calls by a name, those on record of this kind, with their outcomes. */
async function outcomes(onym: RunningOnym, name: string, kind: string): Promise<readonly unknown[]> {
  const { out } = await runCli(onym, "audit", "tail", "--json");
  const { records } = JSON.parse(out) as { readonly records: readonly Readonly<Record<string, unknown>>[] };
  return records.flatMap((each) => (each["sent"] === name && each["kind"] === kind ? [each["outcome"]] : []));
}

it.each([
  ["modern", callRaw],
  ["legacy", callRawLegacy],
] as const)("a call that waits for its turn is not sent once it is denied, %s", async (_, call) => {
  const { onym, reload } = await start(allow);
  const { waiting, release } = await queue(onym, call);
  await reload(denySend);
  await release();
  expect((await waiting).error).toEqual({
    code: -32602,
    message: "Unknown tool: mail_send",
    data: { suggestions: [] },
  });
  // The next one has its turn.
  expect((await callUnasked(onym.url, "mail_read")).structuredContent).toMatchObject({ raw: "read" });
  expect(await rawsReceived(stage, "mail")).toEqual(["slow", "read"]);
  await until(async () => (await outcomes(onym, "mail_send", "outcome")).includes("not sent: policy"));
});

it("a call that waits for its turn is sent when a reload changes nothing for it", async () => {
  const { onym, reload } = await start(allow);
  const { waiting, release } = await queue(onym, callRaw);
  await reload({ default: "allow", rules: [{ effect: "deny", tool: "other@1/look" }] });
  await release();
  expect((await waiting).result?.["structuredContent"]).toMatchObject({ raw: "send" });
});

it("a call that waits for its turn is not sent once its approval is revoked", async () => {
  const ask = ["mail@1/send", "other@1/look"].map((tool) => ({ effect: "ask", tool }));
  const { onym } = await start({ default: "allow", rules: ask });
  const store = await storeOf(onym);
  const approvals: number[] = [];
  for (const name of ["mail_send", "other_look"]) {
    await callUnasked(onym.url, name);
    const [pending] = await store.approvals.pending();
    approvals.push((await store.approvals.decide(decisionFor(pending))).id);
    await until(async () => (await callUnasked(onym.url, name)).isError !== true);
  }
  const before = await rawsReceived(stage, "mail");
  const { waiting, release } = await queue(onym, callRaw);
  for (const id of approvals) await store.approvals.revoke(id, Date.now());
  // What was revoked last is known, so what was revoked before is, too.
  await until(async () => (await callUnasked(onym.url, "other_look")).isError === true);
  await release();
  const { result } = await waiting;
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain("mail@1/send@1 was not called: it is not allowed here.");
  expect(await rawsReceived(stage, "mail")).toEqual([...before, "slow"]);
  await until(async () => (await outcomes(onym, "mail_send", "outcome")).includes("not sent: rejected"));
});

it("a call that waits for its record is not sent once it is denied (POL-4)", async () => {
  const { onym, reload } = await start(allow);
  await callUnasked(onym.url, "mail_read");
  const other = openLibsql(join(onym.dir, "onym.db"), "rw", 5000);
  await until(async () => (await outcomes(onym, "mail_read", "outcome")).length > 0);
  await other.exec("begin immediate");
  const waiting = callRaw(onym, "openai", { name: "mail_send" });
  const metrics = new URL("/metrics", onym.url);
  await until(async () => /^onym_requests_in_flight 1$/m.test(await (await fetch(metrics)).text()));
  await reload(denySend);
  await other.exec("rollback");
  other.close();
  expect((await waiting).error?.message).toBe("Unknown tool: mail_send");
  expect(await rawsReceived(stage, "mail")).toEqual(["read"]);
});
