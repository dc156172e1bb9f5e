// What a policy lets through a running Onym, asked as bytes in both eras, and what its servers got of it.

import type { RunningOnym } from "./harness.js";
import type { Stage } from "./harness-boxes.js";
import { askLegacy, askModern, entriesIn, type RawAnswer } from "./harness-raw.js";

export const PROFILES = [
  "openai",
  "cursor",
  "claude-code",
  "universal",
  "canonical",
  "mcp",
  "vscode",
  "gemini",
];

export type Params = Readonly<Record<string, unknown>>;

export function callRaw(onym: RunningOnym, profile: string, params: Params): Promise<RawAnswer> {
  return askModern({ url: `${onym.url}/${profile}`, method: "tools/call", params });
}

export function callRawLegacy(onym: RunningOnym, profile: string, params: Params): Promise<RawAnswer> {
  return askLegacy({ url: `${onym.url}/${profile}`, method: "tools/call", params });
}

export async function namesAt(onym: RunningOnym, profile: string): Promise<Map<string, string>> {
  const list = await askModern({ url: `${onym.url}/${profile}`, method: "tools/list" });
  return new Map(
    entriesIn(list, "tools").map(({ name, _meta }) => [name, String(_meta["onym/canonicalName"] ?? name)]),
  );
}

/** The names by which a server was called. */
export async function rawsReceived(stage: Stage, label: string): Promise<readonly string[]> {
  const server = await stage.control.server(label);
  const { received } = await server.direct({ do: "received" });
  const messages = received as readonly { readonly method?: string; readonly params: { name: string } }[];
  return messages.flatMap(({ method, params }) => (method === "tools/call" ? [params.name] : []));
}
