import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type AuthorizationServer,
  serveAuthorization,
} from "../../../../../test/servers/serve-authorization.js";
import { askForTokens } from "./ask-for-tokens.js";

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await serveAuthorization();
});
afterAll(async () => {
  await issuer.close();
});

function ask(tokens: Readonly<Record<string, string>>) {
  issuer.answers.set("/token", () => ({ body: { access_token: "at", token_type: "Bearer", ...tokens } }));
  return askForTokens({
    server: new URL("http://127.0.0.1/mcp"),
    endpoint: new URL(`${issuer.issuer}/token`),
    client: { id: "me", secret: undefined, method: "none", registeredFor: undefined },
    parameters: {},
    now: () => 0,
  });
}

it.each([
  ["one below", 16_383, "tokens"],
  ["at", 16_384, "tokens"],
  ["one above", 16_385, "unavailable"],
])(
  "takes tokens of at most 16384 characters: %s (limits: MAX_TOKEN_LENGTH of ask-for-tokens) (SAFE-4)",
  async (_, length, kind) => {
    expect(await ask({ access_token: "a".repeat(length) })).toMatchObject({ kind });
    expect(await ask({ refresh_token: "a".repeat(length) })).toMatchObject({ kind });
  },
);

it.each([
  ["an access token of 20,000 characters, more than 16,384", { access_token: "a".repeat(20_000) }],
  ["a refresh token of 20,000 characters, more than 16,384", { refresh_token: "a".repeat(20_000) }],
  ["an access token with characters that are not visible ASCII", { access_token: "a b" }],
  ["a refresh token with characters that are not visible ASCII", { refresh_token: "a\u00e9" }],
  ["a refresh token with characters that are not visible ASCII", { refresh_token: "a\nb" }],
])("says who gave %s, and shows none of it", async (flaw, tokens) => {
  const reason = `${issuer.issuer} gave ${flaw}; its operator can change that`;
  expect(await ask(tokens)).toEqual({ kind: "unavailable", reason });
});

it("takes a refresh token with a space, as RFC 6749 has it", async () => {
  expect(await ask({ refresh_token: "a b" })).toMatchObject({ tokens: { refresh: "a b" } });
});
