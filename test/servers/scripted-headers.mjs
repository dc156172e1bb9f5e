// The headers of a modern request must repeat what the body says (GW-4). A scripted server is strict about it.

const NAMED = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** What is wrong, or `undefined`. */
export function checkHeaders(headers, { method, params = {} }, tools) {
  const revision = params._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (headers["mcp-protocol-version"] !== revision) return "MCP-Protocol-Version disagrees with the body";
  if (headers["mcp-method"] !== method) return "Mcp-Method disagrees with the body";
  const field = NAMED.get(method);
  if (field !== undefined && decode(headers["mcp-name"]) !== params[field])
    return "Mcp-Name disagrees with the body";
  if (method !== "tools/call") return undefined;
  const { properties = {} } = tools.find((tool) => tool?.name === params.name)?.inputSchema ?? {};
  for (const [key, property] of Object.entries(properties)) {
    const header = property?.["x-mcp-header"];
    if (typeof header !== "string") continue;
    const value = params.arguments?.[key];
    const expected = value === undefined ? undefined : String(value);
    if (decode(headers[`mcp-param-${header.toLowerCase()}`]) !== expected)
      return `Mcp-Param-${header} disagrees`;
  }
  return undefined;
}

function decode(value) {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}
