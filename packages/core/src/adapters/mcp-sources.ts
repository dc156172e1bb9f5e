// Several connected MCP clients → sources for a catalog. Asks the objects it is given; connects to nothing itself.

import type { ListedTool, ToolSource } from "../catalog/source.js";

/** What is needed of an MCP client; the SDK's `Client` has it. */
export interface ToolLister {
  readonly listTools: (params?: {
    cursor?: string;
  }) => Promise<{ tools: unknown[]; nextCursor?: string | undefined }>;
}

/** A server that pages for ever is cut off here. */
const MOST_PAGES = 1_000;

/**
 * The tools of several clients, by server id. A client that fails leaves the others alone: its error is in `failures`.
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
  for (let page = 0; page < MOST_PAGES; page++) {
    const listed = await client.listTools(cursor === undefined ? undefined : { cursor });
    // The catalog looks at each entry again; what is no tool becomes a problem there.
    tools.push(...(listed.tools as ListedTool[]));
    if (listed.nextCursor === undefined || listed.nextCursor === cursor) return tools;
    cursor = listed.nextCursor;
  }
  return tools;
}
