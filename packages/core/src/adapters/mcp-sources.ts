// Several connected MCP clients → catalog sources. Uses the given clients; opens no connections itself.

import type { ListedTool, ToolSource } from "../catalog/source.js";

/** The part of an MCP client that is needed; the SDK's `Client` has it. */
export interface ToolLister {
  readonly listTools: (params?: {
    cursor?: string;
  }) => Promise<{ tools: unknown[]; nextCursor?: string | undefined }>;
}

/** Stops a server whose pages never end. */
const MAX_PAGES = 1_000;

/**
 * The tools of several clients, by server id. A client that fails does not affect the others: its error is in
 * `failures`.
 *
 * @example
 * const docs = { listTools: async () => ({ tools: [{ name: "search" }] }) };
 * const { sources, failures } = await loadSources([["docs", docs]]);
 */
export async function loadSources(clients: Iterable<readonly [server: string, client: ToolLister]>): Promise<{
  readonly sources: readonly ToolSource[];
  readonly failures: readonly { readonly server: string; readonly error: unknown }[];
}> {
  const asked = await Promise.all(
    [...clients].map(async ([server, client]) => {
      try {
        return { source: { server, tools: await listAll(client) } };
      } catch (error) {
        return { failure: { server, error } };
      }
    }),
  );
  return {
    sources: asked.flatMap(({ source }) => (source === undefined ? [] : [source])),
    failures: asked.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
  };
}

async function listAll(client: ToolLister): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await client.listTools(cursor === undefined ? undefined : { cursor });
    // The catalog validates each entry and reports the invalid ones.
    tools.push(...(listed.tools as ListedTool[]));
    if (listed.nextCursor === undefined || listed.nextCursor === cursor) return tools;
    cursor = listed.nextCursor;
  }
  return tools;
}
