// An ordinary server on the SDK v2 with the same tools and answers as the cheap one.

import { Server } from "@modelcontextprotocol/server";
import { buildText } from "./build-text.mjs";
import { buildTools } from "./build-tools.mjs";

/** Makes a server for each connection, as the SDK asks for them. */
export function sdkServerFactory({ label, tools: count }) {
  const tools = buildTools(count);
  const texts = new Map();
  const rest = (bytes) => {
    if (!texts.has(bytes)) texts.set(bytes, buildText(bytes));
    return texts.get(bytes);
  };
  return () => {
    const server = new Server({ name: label, version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", ({ params }) => {
      const { query, limit = 100 } = params.arguments;
      return { content: [{ type: "text", text: `${query} ${rest(limit)}` }] };
    });
    return server;
  };
}
