// A scripted server without its transport: answers JSON-RPC messages and takes directions while it runs.
// A peer is a connection or session, an exchange is one message of it: `{ peer, tell, reply, headers }`.

import { answerCall } from "./scripted-call.mjs";
import { createDirections } from "./scripted-directions.mjs";
import { fault, notice } from "./scripted-message.mjs";

export const MODERN = "2026-07-28";
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const META = "io.modelcontextprotocol/";
const CACHEABLE = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

export function createScriptedServer(script) {
  const state = {
    script,
    tools: [...script.tools],
    behaviours: new Map(script.behaviours.map(({ tool, ...behaviour }) => [tool, behaviour])),
    peers: new Set(),
    /** Modern `subscriptions/listen` requests that are open. */
    listens: new Set(),
    /** Answers to calls that wait for a direction. */
    held: [],
    /** Messages that came while it hangs; `undefined` while it does not. */
    parked: undefined,
    received: [],
    /** Pages are no longer lost. */
    isMended: false,
    asked: 0,
    directions: undefined,
  };
  state.directions = createDirections(state, receive);

  function receive(message, exchange) {
    if (state.parked !== undefined) {
      state.parked.push([message, exchange]);
      return state.directions.wake();
    }
    record(state, message, exchange);
    if (message.method === undefined) return void exchange.peer.pending.get(message.id)?.(message);
    if (message.id === undefined) return void takeNotice(state, message);
    respond(state, message, exchange).then(
      (result) => result !== undefined && exchange.reply({ jsonrpc: "2.0", id: message.id, result }),
      (error) => exchange.reply({ jsonrpc: "2.0", id: message.id, error: toError(error) }),
    );
  }

  return {
    receive,
    direct: state.directions.direct,
    state,
    join(peer) {
      peer.pending = new Map();
      state.peers.add(peer);
      return peer;
    },
    leave(peer) {
      state.peers.delete(peer);
      for (const listen of state.listens) if (listen.peer === peer) state.listens.delete(listen);
    },
  };
}

export function isModern(message) {
  return message.params?._meta?.[`${META}protocolVersion`] !== undefined;
}

async function respond(state, message, exchange) {
  const { script } = state;
  const modern = isModern(message);
  const { method, params = {} } = message;
  if (modern && !script.eras.includes("modern")) throw fault(-32601, `Method not found: ${method}`);
  if (modern) checkRevision(params._meta[`${META}protocolVersion`]);
  if (!modern && !script.eras.includes("legacy")) {
    throw fault(-32022, "Unsupported protocol version", {
      supported: [MODERN],
      requested: params.protocolVersion ?? null,
    });
  }
  if (modern && method === "subscriptions/listen") return void listen(state, message, exchange);
  const answer = (modern ? MODERN_METHODS : LEGACY_METHODS).get(method);
  if (answer === undefined) throw fault(-32601, `Method not found: ${method}`);
  const result = await answer(state, params, { message, exchange, modern });
  return modern ? dress(result, method, script) : result;
}

const LISTS = [
  ["tools/list", listTools],
  ["tools/call", answerCall],
  ["prompts/list", ({ script }) => ({ prompts: script.prompts })],
  ["prompts/get", ({ script }, { name }) => ({ messages: [said({ server: script.label, raw: name })] })],
  ["resources/list", ({ script }) => ({ resources: script.resources })],
  ["resources/templates/list", ({ script }) => ({ resourceTemplates: script.templates })],
  ["resources/read", ({ script }, { uri }) => ({ contents: [{ uri, text: `${script.label}: ${uri}` }] })],
  [
    "completion/complete",
    ({ script }, { argument }) => ({ completion: { values: [`${script.label}: ${argument?.value}`] } }),
  ],
];
const empty = () => ({});
const LEGACY_METHODS = new Map([
  ...LISTS,
  ["initialize", initialize],
  ["ping", empty],
  ["logging/setLevel", empty],
  ["resources/subscribe", empty],
  ["resources/unsubscribe", empty],
]);
const MODERN_METHODS = new Map([
  ...LISTS,
  [
    "server/discover",
    ({ script }) => ({
      supportedVersions: [MODERN],
      capabilities: capabilitiesOf(script),
      ...(script.instructions === undefined ? {} : { instructions: script.instructions }),
    }),
  ],
]);

function initialize({ script }, { protocolVersion, capabilities }, { exchange }) {
  exchange.peer.capabilities = capabilities;
  return {
    protocolVersion: LEGACY.includes(protocolVersion) ? protocolVersion : LEGACY[0],
    capabilities: capabilitiesOf(script),
    serverInfo: serverInfoOf(script),
    ...(script.instructions === undefined ? {} : { instructions: script.instructions }),
  };
}

function listTools({ script, tools, isMended }, { cursor }) {
  if (cursor !== undefined && script.losesPages && !isMended) throw fault(-32603, "the page is lost");
  const from = cursor === undefined ? 0 : Number(cursor);
  const end = from + script.pageSize;
  return { tools: tools.slice(from, end), ...(end < tools.length ? { nextCursor: String(end) } : {}) };
}

function listen(state, message, { peer, tell, end }) {
  const filter = message.params?.notifications ?? {};
  const entry = { peer, tell, end, id: message.id, filter };
  state.listens.add(entry);
  state.directions.wake();
  const _meta = { [`${META}subscriptionId`]: message.id };
  tell(notice("notifications/subscriptions/acknowledged", { notifications: filter, _meta }));
}

function takeNotice(state, { method, params }) {
  if (method !== "notifications/cancelled") return;
  for (const entry of state.listens) if (entry.id === params?.requestId) state.listens.delete(entry);
}

function record(state, message, { headers }) {
  state.received.push({ ...message, ...(headers === undefined ? {} : { headers }) });
  state.directions.wake();
}

function checkRevision(requested) {
  if (requested !== MODERN)
    throw fault(-32022, "Unsupported protocol version", { supported: [MODERN], requested });
}

/** What every modern result carries. */
function dress(result, method, script) {
  return {
    resultType: "complete",
    ...(CACHEABLE.has(method) ? { ttlMs: script.ttlMs, cacheScope: "public" } : {}),
    ...result,
    _meta: { ...result._meta, [`${META}serverInfo`]: serverInfoOf(script) },
  };
}

function capabilitiesOf({ prompts, resources, templates }) {
  const listChanged = true;
  return {
    tools: { listChanged },
    logging: {},
    completions: {},
    ...(prompts.length > 0 ? { prompts: { listChanged } } : {}),
    ...(resources.length + templates.length > 0 ? { resources: { listChanged, subscribe: true } } : {}),
  };
}

function serverInfoOf({ label, version }) {
  return { name: label, version };
}

function said(value) {
  return { role: "user", content: { type: "text", text: JSON.stringify(value) } };
}

function toError({ code = -32603, message, data }) {
  return { code, message, ...(data === undefined ? {} : { data }) };
}
