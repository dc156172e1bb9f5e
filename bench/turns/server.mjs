// A stdio server with many tools, 10,000 a page: node server.mjs TOOLS. Every call changes its last tool and says so.

import { createInterface } from "node:readline";
import { buildTools } from "../gateway/servers/build-tools.mjs";

const tools = buildTools(Number(process.argv[2]));
const PAGE = 10_000;
let changes = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "big", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": ({ cursor = "0" } = {}) => {
    const end = Number(cursor) + PAGE;
    return {
      tools: tools.slice(Number(cursor), end),
      ...(end < tools.length ? { nextCursor: `${end}` } : {}),
    };
  },
  "tools/call": () => {
    tools[tools.length - 1] = { ...tools.at(-1), name: `changed_${++changes}` };
    setImmediate(() => send({ method: "notifications/tools/list_changed" }));
    return { content: [{ type: "text", text: "changed" }] };
  },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = ANSWERS[method];
    send(
      answer === undefined
        ? { id, error: { code: -32601, message: `no ${method}` } }
        : { id, result: answer(params) },
    );
  })
  .once("close", () => process.exit(0));
