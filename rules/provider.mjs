// A model provider that records: which tools it was offered, by which names, and what came back when it called each of them
// once, by exactly that name. It listens on loopback.

import { createServer } from "node:http";
import { DIALECTS } from "./dialects.mjs";
import { markerIn, reachedIn } from "./nasty-tools.mjs";

/** Tools called in one turn: few enough for clients that bound it. */
const BATCH = 8;
const MAX_TURNS = 60;

/** `{ url, record(), close() }`; the record holds offered tools by marker, built-in names and results. */
export async function startProvider({ batch = BATCH } = {}) {
  const state = {
    dialect: undefined,
    offered: new Map(),
    builtIn: new Set(),
    calls: new Map(),
    turns: 0,
    requests: 0,
    batch,
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const path = new URL(request.url, "http://localhost").pathname;
    const [name, dialect] = Object.entries(DIALECTS).find(([, each]) => each.matches(path)) ?? [];
    if (dialect === undefined || request.method !== "POST") return answerOther(path, response);
    const body = JSON.parse(text || "{}");
    state.dialect = name;
    state.requests++;
    const calls = nextCalls(state, dialect, body);
    if (dialect.isStreamed(body, path)) sendStream(dialect.stream(body, calls), response);
    else sendJson(dialect.reply(body, calls), response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    record: () => ({
      dialect: state.dialect,
      requests: state.requests,
      offered: state.offered,
      builtIn: [...state.builtIn].filter(Boolean).sort(),
      reached: new Map([...state.calls.values()].map(({ key, reached }) => [key, reached])),
    }),
    close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** Notes what the request offers and returns, and chooses the tools that are to be called next. */
function nextCalls(state, dialect, body) {
  const tools = dialect.tools(body);
  for (const tool of tools) {
    const marker = markerIn(tool.description);
    if (marker === undefined) state.builtIn.add(tool.name);
    else if (!state.offered.has(marker)) state.offered.set(marker, tool);
  }
  for (const { id, name, text } of dialect.results(body)) {
    const call =
      state.calls.get(id) ?? [...state.calls.values()].find((each) => each.name === name && !each.reached);
    if (call !== undefined) call.reached ??= reachedIn(text) ?? `nothing: ${text.slice(0, 80)}`;
  }
  // A request without the trial's tools is about something else, such as a title for the conversation.
  if (!tools.some(({ description }) => markerIn(description)) || state.turns >= MAX_TURNS) return [];
  const called = new Set([...state.calls.values()].map(({ key }) => key));
  const due = [...state.offered].filter(([marker]) => !called.has(marker)).slice(0, state.batch);
  state.turns++;
  return due.map(([key, { name, namespace }]) => {
    const id = `call_${state.calls.size + 1}`;
    state.calls.set(id, { key, name, reached: undefined });
    return { id, name, namespace };
  });
}

/** Lists of models and counts of tokens, which some clients ask for first. */
function answerOther(path, response) {
  if (path.endsWith("/models"))
    return sendJson({ object: "list", data: [{ id: "trial", object: "model" }] }, response);
  if (path.endsWith("count_tokens")) return sendJson({ input_tokens: 1 }, response);
  if (path.endsWith(":countTokens")) return sendJson({ totalTokens: 1 }, response);
  sendJson({}, response);
}

function sendJson(value, response) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendStream(events, response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of events) {
    if (event) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
