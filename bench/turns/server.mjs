// A stdio server with many tools, prompts, resources and templates, 10,000 or 8 MB a page: node server.mjs NUMBER [LENGTH [URI-LENGTH
// [PAD]]], where names and URIs of resources have at least that many characters, names with PAD at the end. Every call changes its last tool and says so.

import { createInterface } from "node:readline";
import { buildTools } from "../gateway/servers/build-tools.mjs";

const [, , number, length = "0", uriLength = "0", pad = "x"] = process.argv;
const tools = buildTools(Number(number)).map((tool) => ({
  ...tool,
  name: tool.name.padEnd(Number(length), pad),
}));
const prompts = tools.map(({ name }) => ({
  name: `ask_${name}`,
  arguments: [{ name: "about", required: true }],
}));
const resources = tools.map(({ name }, at) => ({
  uri: `file:///work/${at % 100}/${name}.md`.padEnd(Number(uriLength), "x"),
  name,
}));
const resourceTemplates = tools.map(({ name }) => ({ uriTemplate: `repo://${name}/{path}`, name }));
const PAGE = Math.min(10_000, Math.ceil(8_000_000 / (Number(uriLength) + 1)));
let changes = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
    serverInfo: { name: "big", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": pagesOf("tools", tools),
  "prompts/list": pagesOf("prompts", prompts),
  "resources/list": pagesOf("resources", resources),
  "resources/templates/list": pagesOf("resourceTemplates", resourceTemplates),
  "tools/call": () => {
    tools[tools.length - 1] = { ...tools.at(-1), name: `changed_${++changes}` };
    setImmediate(() => {
      for (const kind of ["tools", "prompts", "resources"])
        send({ method: `notifications/${kind}/list_changed` });
    });
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

function pagesOf(member, entries) {
  return ({ cursor = "0" } = {}) => {
    const end = Number(cursor) + PAGE;
    return {
      [member]: entries.slice(Number(cursor), end),
      ...(end < entries.length ? { nextCursor: `${end}` } : {}),
    };
  };
}
