import { expect, it } from "vitest";
import { labelServerRequest, labelServerRequests } from "./label-server-requests.js";

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
    c: 7,
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
});
