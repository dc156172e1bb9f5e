// Batches of revision 2025-03-26 through a running gateway: many requests at once take no more than they would one by one.

import { afterAll, beforeAll, expect, it } from "vitest";
import { openSession, post } from "../edge/http-client.js";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";

let stage: Stage;
let onym: RunningOnym;
beforeAll(async () => {
  stage = await createStage();
  const tools = Array.from({ length: 3_000 }, (_, at) => `tool_${at}`);
  onym = await stage.start({ config: { mcpServers: { many: stage.entry({ label: "many", tools }) } } });
});
afterAll(() => stage.close());

it("answers of a batch have 4 MiB at most; what goes beyond is to be asked by itself (SAFE-5)", async () => {
  const headers = await openSession(onym.url, "2025-03-26");
  const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
  const one = await post(onym.url, list(0), { headers });
  expect(one.json.result.tools).toHaveLength(3_000);
  const fitting = Math.floor((4 * 1024 * 1024) / one.text.length);
  expect(fitting).toBeGreaterThan(3);
  const batch = Array.from({ length: fitting + 10 }, (_, at) => list(at + 10));
  const { json } = await post(onym.url, [...batch, { jsonrpc: "2.0", id: 1, method: "ping" }], { headers });
  const answers = json as readonly { readonly id: number; readonly error?: { readonly data: object } }[];
  expect(answers.map(({ id }) => id)).toEqual([...batch.map(({ id }) => id), 1]);
  const refused = answers.filter(({ error }) => error !== undefined);
  expect(refused.length).toBeGreaterThanOrEqual(9);
  expect(refused.length).toBeLessThanOrEqual(12);
  for (const { error } of refused) expect(error?.data).toEqual({ limit: "batchBytes", max: 4 * 1024 * 1024 });
  expect(answers.slice(0, fitting - 1).every(({ error }) => error === undefined)).toBe(true);
});
