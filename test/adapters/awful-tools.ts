// A tool set that breaks every provider's rules at once; each adapter has to make it fit (LIB-2).

import type { ToolSource } from "@onym/core";

const LONG = "list_every_open_invoice_of_every_customer_".repeat(5).slice(0, 200);

const NAMES: readonly string[] = [
  "search",
  "search_2",
  "Search",
  "files.read",
  "files/read",
  "files read",
  "files_read",
  "🚀 launch",
  "résumé",
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "-leading-dash",
  "1st",
  LONG,
  `${LONG.slice(0, 199)}X`,
];

/** The same names on five servers: dots, slashes, spaces, emoji, 200 characters, prototype names, case pairs, `_2`. */
export const awfulSources: readonly ToolSource[] = ["docs", "crm", "files", "Files 2", "日本"].map(
  (server) => ({
    server,
    tools: NAMES.map((name) => ({
      name,
      description: `${name} on ${server}`,
      inputSchema: { type: "object", properties: { q: { type: "string" } } },
    })),
  }),
);

/** One server whose names are shown as they are, where a prefix would hide that they are names of `Object`. */
export const prototypeNames: readonly string[] = ["constructor", "__proto__", "toString", "hasOwnProperty"];
