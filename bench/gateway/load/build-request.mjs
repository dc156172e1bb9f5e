// Requests made ready beforehand: only the id and the echoed text change, in place, and both have a fixed length.

import { buildText } from "../servers/build-text.mjs";

/** Where the arguments go in the params of gateways that wrap a call into one of their own. */
export const ARGUMENTS = "$ARGUMENTS";
const FIRST_ID = 1_000_000_000;
const META = "io.modelcontextprotocol/";
export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

export function envelope() {
  return {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: { name: "bench", version: "1.0.0" },
    [`${META}clientCapabilities`]: {},
  };
}

/** The body of a `tools/call` or `tools/list` with marks where id and echo go. */
export function buildBody({ era, method, name, resultBytes, argumentBytes, cursor, wrapped }) {
  const call = {
    query: "t0000000000",
    state: "open",
    labels: ["bug", "needs triage"],
    ...(resultBytes === undefined ? {} : { limit: resultBytes }),
    ...(argumentBytes === undefined ? {} : { body: buildText(argumentBytes) }),
  };
  const params = method === "tools/list" ? { cursor } : (wrapped ?? { name, arguments: ARGUMENTS });
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: FIRST_ID,
    method,
    params: { ...(era === "modern" ? { _meta: envelope() } : {}), ...params },
  });
  return text.replace(JSON.stringify(ARGUMENTS), () => JSON.stringify(call));
}

/** Headers that a request has beside its session. */
export function headersFor({ era, method, name }) {
  if (era !== "modern") return { "mcp-protocol-version": LEGACY };
  return {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  };
}

/** One request in one buffer; `stamp` writes the next id into it and tells what the answer must hold. */
export function createStamp(bytes) {
  const buffer = Buffer.from(bytes);
  const idAt = buffer.indexOf(`"id":${FIRST_ID}`) + 5;
  const echoAt = buffer.indexOf("t0000000000");
  return {
    buffer,
    stamp(sequence) {
      const id = String(FIRST_ID + sequence);
      buffer.latin1Write(id, idAt);
      if (echoAt >= 0) buffer.latin1Write(id, echoAt + 1);
      return id;
    },
    echoes: echoAt >= 0,
  };
}
