// A server of our own for the official conformance suite: both protocol eras on one URL, built with the SDK.
// `node conformance-fixture.mjs [--port N]` prints `listening on URL` once it does.

import { randomBytes, randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import {
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  McpServer,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import {
  createConformancePrompts,
  RESOURCES,
  readConformanceResource,
  TEMPLATES,
} from "./conformance-content.mjs";
import { createConformanceTools, HEADER_TOOL } from "./conformance-tools.mjs";
import { createEventStore } from "./event-store.mjs";
import { listenWeb } from "./web-http.mjs";

export async function createConformanceFixture({ port = 0 } = {}) {
  const sessions = new Map();
  const state = createRequestStateCodec({ key: randomBytes(32) });
  const changes = {
    tools: 0,
    prompts: 0,
    changeTools() {
      changes.tools += 1;
      modern.notify.toolsChanged();
      for (const { mcp } of sessions.values()) mcp.server.sendToolListChanged().catch(() => {});
      return changes.tools;
    },
    changePrompts() {
      changes.prompts += 1;
      modern.notify.promptsChanged();
      for (const { mcp } of sessions.values()) mcp.server.sendPromptListChanged().catch(() => {});
      return changes.prompts;
    },
  };
  const offer = {
    state,
    tools: createConformanceTools({ state, changes }),
    prompts: createConformancePrompts(changes),
  };
  const modern = createMcpHandler(() => createServer(offer), { legacy: "reject" });

  async function openSession() {
    const mcp = createServer(offer);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: 10,
      onsessioninitialized: (id) => void sessions.set(id, { mcp, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await mcp.connect(transport);
    return transport;
  }

  async function serveLegacy(request) {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await openSession()).handleRequest(request);
    const session = sessions.get(id);
    if (session !== undefined) return session.transport.handleRequest(request);
    const error = { code: -32001, message: "Session not found" };
    return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
  }

  const hostnames = localhostAllowedHostnames();
  const http = await listenWeb({
    port,
    async fetch(request) {
      const refusal =
        hostHeaderValidationResponse(request, hostnames) ?? originValidationResponse(request, hostnames);
      if (refusal !== undefined) return refusal;
      if (new URL(request.url).pathname !== "/mcp") return new Response(null, { status: 404 });
      return (await isLegacyRequest(request)) ? serveLegacy(request) : modern.fetch(request);
    },
  });

  return {
    url: `${http.url}/mcp`,
    async close() {
      await modern.close();
      for (const { mcp } of sessions.values()) await mcp.close();
      await http.close();
    },
  };
}

function createServer({ state, tools, prompts }) {
  const listed = { listChanged: true };
  const mcp = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: listed,
        prompts: listed,
        resources: { ...listed, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: state.verify },
      cacheHints: Object.fromEntries(
        ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"].map(
          (method) => [method, { ttlMs: 1000, cacheScope: "public" }],
        ),
      ),
    },
  );
  registerHeaderTool(mcp, tools);
  const { server } = mcp;
  server.setRequestHandler("tools/list", () => ({
    tools: [...tools].map(([name, { describe, inputSchema }]) => ({
      name,
      description: describe(),
      inputSchema,
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    find(tools, "tool", params.name).call(params.arguments ?? {}, ctx),
  );
  server.setRequestHandler("prompts/list", () => ({
    prompts: [...prompts].map(([name, { describe, names }]) => ({
      name,
      description: describe(),
      arguments: names.map((argument) => ({ name: argument, description: argument, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, ctx) =>
    find(prompts, "prompt", params.name).answer(params.arguments ?? {}, ctx),
  );
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", ({ params }) => readConformanceResource(params.uri));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: { values: [`${params.argument.value}-completed`], total: 1, hasMore: false },
  }));
  return mcp;
}

/** The SDK checks `Mcp-Param-*` headers only against tools that are registered with it. */
function registerHeaderTool(mcp, tools) {
  const { describe, inputSchema, call } = tools.get(HEADER_TOOL);
  mcp.registerTool(HEADER_TOOL, { description: describe(), inputSchema: fromJsonSchema(inputSchema) }, call);
}

function find(known, kind, name) {
  const entry = known.get(name);
  if (entry === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind}: ${name}`);
  return entry;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const at = process.argv.indexOf("--port");
  const fixture = await createConformanceFixture({ port: at < 0 ? 0 : Number(process.argv[at + 1]) });
  process.stdout.write(`listening on ${fixture.url}\n`);
  // Standard input is the leash: whoever started the server holds it, and the server ends when they are gone.
  process.stdin.resume().once("end", () => process.exit(0));
}
