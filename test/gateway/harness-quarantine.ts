// What is new and what is known, asked of a running Onym.

import { expect } from "vitest";
import type { RunningOnym } from "./harness.js";
import { callUnasked, textOf } from "./harness-asked.js";
import { askModern, entriesIn } from "./harness-raw.js";

export const ASK = { newTools: "ask" };
export const DENY = { newTools: "deny" };
const IS_NEW = "needs approval (new: it was not there when its server, as configured now, was first seen)";

export async function expectRun(onym: RunningOnym, ...names: readonly unknown[]): Promise<void> {
  for (const name of names)
    expect((await callUnasked(onym.url, name)).isError, JSON.stringify(name)).toBeUndefined();
}

export async function expectNew(onym: RunningOnym, ...names: readonly unknown[]): Promise<void> {
  for (const name of names) {
    const result = await callUnasked(onym.url, name);
    expect(textOf(result), JSON.stringify(name)).toContain(IS_NEW);
  }
}

export async function refusalOf(onym: RunningOnym, name: string): Promise<string> {
  const { error, text } = await askModern({
    url: `${onym.url}/openai`,
    method: "tools/call",
    params: { name },
  });
  expect(error?.code, name).toBe(-32602);
  return text;
}

export async function listed(onym: RunningOnym): Promise<readonly string[]> {
  const list = await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
  return entriesIn(list, "tools").map(({ name }) => name);
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
