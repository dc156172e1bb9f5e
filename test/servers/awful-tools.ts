// The awful tool set of the adapters, and worse, as the sources of several servers whose names collide.

import type { ToolSource } from "@onym/core";
import { awfulSources } from "../adapters/awful-tools.js";

/** Names no adapter test needs, and a gateway meets: separators, signs that cannot be seen, look-alikes, limits. */
const WORSE_NAMES: readonly string[] = [
  "a__b",
  "a___b",
  "__",
  "_",
  "-",
  ".",
  "..",
  "/",
  " ",
  "\u200b",
  "a\u202eb",
  "sea\u0440ch",
  "ﬁle",
  "e\u0301",
  "é",
  "%2e%2e",
  "100%",
  "=?base64?QQ==?=",
  "a\nb",
  "a\u0000b",
  "\ud83d\ude00",
  "0",
  "-1",
  "null",
  "undefined",
  "prototype",
  "valueOf",
  "__defineGetter__",
  "docs_search",
  "search__crm",
  "x".repeat(64),
  "x".repeat(65),
  "x".repeat(128),
  "x".repeat(1000),
];

const WORSE_SERVERS = ["docs", "docs_search", "__proto__", "a.b", "a b", "100%"];

/** Every source of the adapters, and the worse names on servers whose own names collide with tools and each other. */
export const gatewaySources: readonly ToolSource[] = joinSources([
  ...awfulSources,
  ...WORSE_SERVERS.map((server) => ({
    server,
    tools: WORSE_NAMES.map((name) => ({
      name,
      description: `${JSON.stringify(name)} on ${server}`,
      inputSchema: { type: "object", properties: { nonce: { type: "string" } } },
    })),
  })),
]);

/** One source a server, with the tools of all. */
function joinSources(sources: readonly ToolSource[]): readonly ToolSource[] {
  const joined = new Map<string, ToolSource>();
  for (const source of sources) {
    const known = joined.get(source.server);
    joined.set(
      source.server,
      known === undefined ? source : { ...known, tools: [...known.tools, ...source.tools] },
    );
  }
  return [...joined.values()];
}
