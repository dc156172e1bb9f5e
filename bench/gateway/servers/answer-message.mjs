// A cheap MCP server without its transport: both eras, no sessions, ready lists, and every call echoes its query.

import { buildText } from "./build-text.mjs";
import { buildTools } from "./build-tools.mjs";

const META = "io.modelcontextprotocol/";
const MODERN = "2026-07-28";
const CAPABILITIES = { tools: {} };

/** Returns the answer to one message as text, or undefined where there is none. */
export function createAnswers({ label, tools: count }) {
  const serverInfo = { name: label, version: "1.0.0" };
  const marks = `"resultType":"complete","_meta":${JSON.stringify({ [`${META}serverInfo`]: serverInfo })}`;
  const tools = `"tools":${JSON.stringify(buildTools(count))}`;
  const discovered = `"supportedVersions":["${MODERN}"],"capabilities":${JSON.stringify(CAPABILITIES)}`;
  const texts = new Map();

  /** The text of a result behind the echoed query, in its JSON form; made once for each size. */
  const rest = (bytes) => {
    const known = texts.get(bytes);
    if (known !== undefined) return known;
    const made = JSON.stringify(buildText(bytes)).slice(1);
    texts.set(bytes, made);
    return made;
  };

  const resultOf = ({ method, params }, modern) => {
    switch (method) {
      case "tools/call": {
        const { query, limit } = params.arguments;
        const content = `"content":[{"type":"text","text":"${query} ${rest(typeof limit === "number" ? limit : 100)}}]`;
        return modern ? `{${content},${marks}}` : `{${content}}`;
      }
      case "tools/list":
        return modern ? `{${tools},"ttlMs":60000,"cacheScope":"public",${marks}}` : `{${tools}}`;
      case "server/discover":
        return modern ? `{${discovered},"ttlMs":60000,"cacheScope":"public",${marks}}` : undefined;
      case "initialize":
        return JSON.stringify({
          protocolVersion: params.protocolVersion >= MODERN ? "2025-11-25" : params.protocolVersion,
          capabilities: CAPABILITIES,
          serverInfo,
        });
      case "ping":
        return modern ? `{${marks}}` : "{}";
      default:
        return undefined;
    }
  };

  return (message) => {
    if (message.id === undefined || message.method === undefined) return undefined;
    const modern = message.params?._meta?.[`${META}protocolVersion`] !== undefined;
    const result = resultOf(message, modern);
    const id = JSON.stringify(message.id);
    return result === undefined
      ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`
      : `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  };
}
