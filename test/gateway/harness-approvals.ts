// A mail server whose tool has to be approved, and the store behind it as another process sees it.

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig } from "../../packages/onym/src/config/load-config.js";
import { findStoreSeal } from "../../packages/onym/src/configured/store-seal.js";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import type { NewApproval, PendingApproval, Store } from "../../packages/onym/src/store/store.js";
import { onymEnvironment, type RunningOnym } from "./harness.js";
import type { Stage } from "./harness-boxes.js";
import { listenModern } from "./harness-raw.js";

export const ASK = { default: "ask" };
export const SEND = {
  name: "send",
  description: "Sends a mail",
  inputSchema: { type: "object", properties: { nonce: { type: "string" } } },
};
export const SEND_TO_ALL = { ...SEND, description: "Sends a mail to all" };

/** The store of a running Onym, as another process of its user opens it; closed after each test. */
export async function storeOf({ dir }: RunningOnym): Promise<Store> {
  const env = onymEnvironment(dir, {});
  const config = loadConfig({ file: join(dir, "onym.json"), env, cwd: dir });
  const { seal } = findStoreSeal(config, env, "open");
  const store = await openStore({ location: "onym.db", folder: dir, seal });
  onTestFinished(() => store.close());
  return store;
}

/** How many calls the server of a label got, of one tool or of all. */
export async function receivedBy(
  stage: Stage,
  label: string,
  { raw }: { readonly raw?: string } = {},
): Promise<number> {
  const server = await stage.control.server(label);
  const { received } = await server.direct({ do: "received" });
  const messages = received as readonly { readonly method?: string; readonly params?: { name?: string } }[];
  return messages.filter(
    ({ method, params }) => method === "tools/call" && (raw === undefined || params?.name === raw),
  ).length;
}

export function decisionFor(pending: PendingApproval | undefined): NewApproval {
  if (pending === undefined) throw new Error("nothing waits for a decision");
  const { principal, tool, launch, digest, definition } = pending;
  const decided = { decidedAt: Date.now(), decidedBy: "an operator", expiresAt: undefined };
  return { verdict: "approved", principal, tool, launch, digest, definition, ...decided };
}

/** What of a tool an approval is about. */
export function digested({ name: _, ...definition }: typeof SEND): object {
  return definition;
}

/** Resolves with the first question that is left for an operator. */
export function firstPending(store: Store): Promise<PendingApproval> {
  return new Promise((resolve, reject) => {
    const look = () =>
      store.approvals.pending().then(([first]) => {
        if (first === undefined) return;
        stop();
        resolve(first);
      }, reject);
    const stop = store.watch(() => void look());
    void look();
  });
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

/** Gives the tool of the server another definition, and waits until the gateway knows. */
export const redefine = (stage: Stage, url: string, tool: typeof SEND): Promise<void> =>
  offer(stage, url, [tool]);

/** Gives the server other tools, and waits until the gateway knows. */
export async function offer(stage: Stage, url: string, tools: readonly (typeof SEND)[]): Promise<void> {
  const listening = await listenModern(url, { toolsListChanged: true });
  const server = await stage.control.server("mail");
  await server.direct({ do: "set", tools });
  await listening.reach("notifications/tools/list_changed", 1);
  listening.close();
}
