// A config with a policy, its store, and what waits or is on record there, for tests of commands about them.

import { userInfo } from "node:os";
import { join } from "node:path";
import type { ToolDefinition } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { expect } from "vitest";
import type { AuditRecord } from "../../packages/onym/src/audit/audit-record.js";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import type { PendingApproval, Store } from "../../packages/onym/src/store/store.js";
import { folderWith, runOnym } from "./run-onym.js";

export const USER = userInfo().username;
export const DAY = 86_400_000;
export const CONFIG = {
  mcpServers: {
    mail: {
      tools: [
        { name: "send", description: "Sends a mail", inputSchema: { type: "object" } },
        { name: "list", annotations: { readOnlyHint: true } },
      ],
    },
    chat: { tools: ["send"] },
  },
  policy: {
    default: "allow",
    rules: [
      { effect: "ask", tool: "mail@1/send@1" },
      { effect: "deny", server: "mail", caller: "ci-*", note: "people only" },
    ],
  },
};

export const configured = (config: object = CONFIG) => folderWith({ "onym.json": config });

export function onym(folder: string, ...args: readonly string[]) {
  // The user's own state, with the key of an earlier gateway in it, is none of a test's business.
  return runOnym(folder, args, { env: { XDG_STATE_HOME: join(folder, "state") } });
}

export function json(folder: string, ...args: readonly string[]) {
  const ran = onym(folder, ...args, "--json");
  expect(ran.err).toBe("");
  return JSON.parse(ran.out);
}

export async function inStore<Result>(
  folder: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ location: "onym.db", folder });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export const SEND: ToolDefinition = {
  title: "Send",
  description: "Sends a mail.\nTo one person.",
  inputSchema: {
    type: "object",
    properties: {
      to: { type: "string", description: "Whom" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["to"],
  },
  annotations: { destructiveHint: false },
};

export function question(
  over: Partial<PendingApproval> & { readonly raw?: string; readonly server?: string } = {},
) {
  const { raw = "send", server = "mail", definition = SEND, ...rest } = over;
  return {
    principal: "ann",
    tool: toolKeyOf({ server, raw }),
    canonical: `${server}@1/${raw}@1`,
    launch: "l1",
    digest: definitionDigest(definition),
    definition,
    askedAt: Date.UTC(2026, 0, 2),
    before: undefined,
    ...rest,
  };
}

export const ask = (folder: string, over: Parameters<typeof question>[0] = {}) =>
  inStore(folder, (store) => store.approvals.await(question(over)));

export const record = (over: Partial<AuditRecord> = {}): AuditRecord => ({
  kind: "intent",
  at: Date.UTC(2026, 0, 2),
  call: "c1",
  caller: "ann",
  profile: "openai",
  sent: "mail_send",
  tool: toolKeyOf({ server: "mail", raw: "send" }),
  canonical: "mail@1/send@1",
  rule: "rules[0]",
  decision: "allow",
  definition: definitionDigest(SEND),
  argumentsDigest: "0".repeat(64),
  arguments: undefined,
  outcome: undefined,
  ms: undefined,
  ...over,
});

export const OUTCOME = {
  kind: "outcome",
  rule: undefined,
  decision: undefined,
  outcome: "result",
  ms: 12,
} as const;
