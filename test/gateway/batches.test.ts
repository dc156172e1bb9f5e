// Batches of revision 2025-03-26 through a running gateway: many requests at once take no more than they would one by one.

import { afterAll, beforeAll, expect, it } from "vitest";
import { framesOf, initialize, openSession, post } from "../edge/http-client.js";
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

it("answers of a batch over HTTP+SSE have 4 MiB at most, too (SAFE-5)", async () => {
  const { origin } = new URL(onym.url);
  const stream = await fetch(`${origin}/sse`);
  const frames = framesOf(stream);
  const next = async () => (await frames.next())?.data ?? "";
  const url = `${origin}${await next()}`;
  await post(url, initialize("2025-03-26"));
  await next();
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" });
  const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
  await post(url, list(0));
  const length = (await next()).length;
  await post(
    url,
    Array.from({ length: 50 }, (_, at) => list(at + 1)),
  );
  const answers = JSON.parse(await next()) as readonly { readonly id: number; readonly result?: object }[];
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  const whole = answers.filter(({ result }) => result !== undefined);
  expect(whole.length).toBeLessThanOrEqual(Math.ceil((4 * 1024 * 1024) / length));
  expect(whole.length).toBeGreaterThan(3);
});
