// How a scripted server answers tools/call: an echo, after whatever its behaviour says.
//
// A behaviour, all of it optional: `progress` (how many notices), `log` (lines), `ask` (methods to ask the client,
// in order), `fail` ("error" | "isError"), `bytes` (padding in the result), `delayMs`, `hold` (wait for a release).

import { fault, notice } from "./scripted-message.mjs";

const QUESTIONS = new Map([
  [
    "elicitation/create",
    {
      message: "What is your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  ],
  [
    "sampling/createMessage",
    { messages: [{ role: "user", content: { type: "text", text: "Say something" } }], maxTokens: 10 },
  ],
  ["roots/list", {}],
]);

export async function answerCall(state, params, { message, exchange, modern }) {
  const raw = params.name;
  const { label } = state.script;
  if (!state.tools.some((tool) => tool?.name === raw)) {
    throw fault(-32602, `Unknown tool: ${raw}`, { server: label, raw });
  }
  const behaviour = { ...state.behaviours.get(undefined), ...state.behaviours.get(raw) };
  tellProgress(behaviour, params, exchange);
  tellLog(behaviour, params, exchange, modern);

  const wanted = behaviour.ask ?? [];
  if (modern && wanted.length > 0 && params.inputResponses === undefined) return askByResult(wanted);
  const answers = modern
    ? wanted.map((_, at) => params.inputResponses[`q${at}`])
    : await askAll(state, wanted, exchange);

  await waitAsTold(state, behaviour, message);
  if (behaviour.fail === "error") throw fault(-32603, "It fails", { server: label, raw });
  const given = params.arguments ?? {};
  const echo = { server: label, raw, nonce: given.nonce ?? null, arguments: given };
  if (wanted.length > 0) echo.answers = answers;
  const content = [{ type: "text", text: JSON.stringify(echo) }];
  if (behaviour.bytes !== undefined) content.push({ type: "text", text: "x".repeat(behaviour.bytes) });
  return { content, structuredContent: echo, ...(behaviour.fail === "isError" ? { isError: true } : {}) };
}

function tellProgress({ progress: total = 0 }, params, { tell }) {
  const progressToken = params._meta?.progressToken;
  if (progressToken === undefined) return;
  for (let progress = 1; progress <= total; progress += 1) {
    tell(notice("notifications/progress", { progressToken, progress, total }));
  }
}

/** A modern client is told only what it asked for. */
function tellLog({ log = [] }, params, { tell }, modern) {
  if (modern && params._meta["io.modelcontextprotocol/logLevel"] === undefined) return;
  for (const data of log) tell(notice("notifications/message", { level: "info", logger: "scripted", data }));
}

function askByResult(wanted) {
  const inputRequests = Object.fromEntries(
    wanted.map((method, at) => [`q${at}`, { method, params: QUESTIONS.get(method) }]),
  );
  return { resultType: "input_required", inputRequests, requestState: `asked-${wanted.length}` };
}

async function askAll(state, wanted, { peer, tell }) {
  const answers = [];
  for (const method of wanted) {
    state.asked += 1;
    const id = `question-${state.asked}`;
    const answer = new Promise((resolve) => peer.pending.set(id, resolve));
    tell({ jsonrpc: "2.0", id, method, params: QUESTIONS.get(method) });
    const { result, error } = await answer;
    peer.pending.delete(id);
    answers.push(result ?? { error });
  }
  return answers;
}

async function waitAsTold(state, { delayMs, hold }, { id, params }) {
  if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (hold !== true) return;
  await new Promise((release) => {
    state.held.push({ id, name: params.name, release });
    state.directions.wake();
  });
}
