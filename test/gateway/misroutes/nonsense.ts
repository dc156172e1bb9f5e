// Requests that are none: wrong JSON, ids of types that no id has, calls without a name.

import type { Chance } from "./chance.js";

const CALL = { name: "crm_search", arguments: {} };

const LEGACY: readonly string[] = [
  "}{",
  "",
  '"tools/call"',
  "null",
  JSON.stringify({ jsonrpc: "2.0", id: null, method: "tools/call", params: CALL }),
  JSON.stringify({ jsonrpc: "2.0", id: { a: 1 }, method: "tools/call", params: CALL }),
  JSON.stringify({ jsonrpc: "2.0", id: [1], method: "tools/call", params: CALL }),
  JSON.stringify({ jsonrpc: "2.0", id: true, method: "tools/call", params: CALL }),
  '{"jsonrpc":"2.0","id":1e999,"method":"tools/call","params":{"name":"crm_search"}}',
  JSON.stringify({ id: 1, method: "tools/call", params: CALL }),
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: [CALL] }),
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { arguments: {} } }),
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...CALL, name: 5 } }),
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...CALL, name: ["crm_search"] } }),
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...CALL, arguments: [] } }),
];

/** In the newer era also what lacks its envelope. */
const MODERN: readonly string[] = [
  ...LEGACY,
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: CALL }),
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { ...CALL, _meta: { "io.modelcontextprotocol/protocolVersion": 5 } },
  }),
];

export function nonsense(chance: Chance, era: "legacy" | "modern"): string {
  return chance.pick(era === "legacy" ? LEGACY : MODERN) ?? "}{";
}
