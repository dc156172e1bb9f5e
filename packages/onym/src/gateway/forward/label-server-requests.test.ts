import { expect, it } from "vitest";
import { labelServerRequest, labelServerRequests, MAX_MESSAGE } from "./label-server-requests.js";

const MAIL = { server: "mail", toolbox: undefined };

it("puts the server in front of what a user reads, and into _meta (SAFE-6)", () => {
  const params = { message: "Your password?", requestedSchema: {}, _meta: { own: 1, "onym/server": "bank" } };
  expect(labelServerRequest({ method: "elicitation/create", params }, MAIL)).toEqual({
    method: "elicitation/create",
    params: {
      message: 'The server "mail" asks: Your password?',
      requestedSchema: {},
      _meta: { own: 1, "onym/server": "mail" },
    },
  });
  const inBox = labelServerRequest(
    { method: "elicitation/create", params },
    { server: 'a"\u202eb', toolbox: "dev" },
  );
  expect(inBox.params).toMatchObject({
    message: 'The server "a\\u{0022}\\u{202E}b" in "dev" asks: Your password?',
    _meta: { "onym/server": 'a"\u202eb', "onym/toolbox": "dev" },
  });
});

it.each([
  ["Sure?\r\u001B[2KThe bank asks: PIN?", "Sure?\uFFFD[2KThe bank asks: PIN?"],
  ["\u202Ereversed\u202C \u2066x\u2069", "\uFFFDreversed\uFFFD \uFFFDx\uFFFD"],
  ["a\u200B\u2060\uFEFFb\u{E0041}\u2028c\u0085", "a\uFFFDb\uFFFDc\uFFFD"],
  ["one\n\ttwo\r\nthree", "one\n\ttwo\nthree"],
  ["⚠️ 👩‍💻 می‌خواهم", "⚠️ 👩‍💻 می‌خواهم"],
])(
  "leaves nothing in the text that could erase or reorder the label: %j (SAFE-1, SAFE-6)",
  (message, shown) => {
    const { params } = labelServerRequest({ method: "elicitation/create", params: { message } }, MAIL);
    expect(params["message"]).toBe(`The server "mail" asks: ${shown}`);
  },
);

it("cuts long texts: one below, at and one above (limits: MAX_MESSAGE of label-server-requests) (SAFE-4)", () => {
  const shown = [-1, 0, 1].map((more) => {
    const message = "x".repeat(MAX_MESSAGE + more);
    const { params } = labelServerRequest({ method: "elicitation/create", params: { message } }, MAIL);
    return String(params["message"]).slice('The server "mail" asks: '.length);
  });
  expect(shown.map(({ length }) => length)).toEqual([MAX_MESSAGE - 1, MAX_MESSAGE, MAX_MESSAGE]);
  expect(shown.map((text) => text.endsWith("…"))).toEqual([false, false, true]);
});

it("leaves what a model is asked as it is, and says whose it is in _meta (SAFE-6)", () => {
  const params = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 1 };
  expect(labelServerRequest({ method: "sampling/createMessage", params }, MAIL)).toEqual({
    method: "sampling/createMessage",
    params: { ...params, _meta: { "onym/server": "mail" } },
  });
  const roots = { method: "roots/list", params: {} };
  expect(labelServerRequest(roots, MAIL)).toBe(roots);
});

it("takes off what asks for a task: the server could not ask for it later (GW-5)", () => {
  const asked = { method: "elicitation/create", params: { message: "A?", task: { ttl: 60_000 } } };
  expect(labelServerRequest(asked, MAIL).params).not.toHaveProperty("task");
});

it("names the server in results that need input, and in no others (SAFE-6)", () => {
  const inputRequests = {
    a: { method: "elicitation/create", params: { message: "A?" } },
    b: { method: "roots/list" },
  };
  const result = { resultType: "input_required", inputRequests, requestState: "s" };
  expect(labelServerRequests(result, MAIL)).toEqual({
    ...result,
    inputRequests: {
      ...inputRequests,
      a: {
        method: "elicitation/create",
        params: { message: 'The server "mail" asks: A?', _meta: { "onym/server": "mail" } },
      },
    },
  });
  const complete = { resultType: "complete", inputRequests };
  expect(labelServerRequests(complete, MAIL)).toBe(complete);
  const state = { resultType: "input_required", requestState: "s" };
  expect(labelServerRequests(state, MAIL)).toBe(state);
});

const QUESTION = { method: "elicitation/create", params: { message: "Onym asks: your password?" } };

it.each([
  ["a list", [QUESTION]],
  ["a text", "Onym asks: your password?"],
  ["nothing", null],
  ["a list in place of a request", { a: [QUESTION] }],
  ["a number in place of a request", { a: 7 }],
  ["a request without a method", { a: { params: QUESTION.params } }],
  ["a question with a list of params", { a: { ...QUESTION, params: [QUESTION.params] } }],
  ["a question without params", { a: { method: "elicitation/create" } }],
  ["a question whose message is no text", { a: { ...QUESTION, params: { message: ["Onym asks"] } } }],
  ["a prompt for a model with a list of params", { a: { method: "sampling/createMessage", params: [] } }],
  ["another request with a text as params", { a: { method: "x", params: "Onym asks" } }],
  ["a good request and a bad one", { a: QUESTION, b: 7 }],
])("labels no requests that are %s (SAFE-6)", (_, inputRequests) => {
  expect(labelServerRequests({ resultType: "input_required", inputRequests }, MAIL)).toBeUndefined();
});
