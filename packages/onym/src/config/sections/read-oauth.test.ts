import { describe, expect, it } from "vitest";
import type { ServerEntry } from "../schema/config-schema.js";
import { readOAuth } from "./read-oauth.js";

function read(oauth: ServerEntry["oauth"]) {
  const problems: string[] = [];
  const value = readOAuth({ url: "https://a.example", oauth }, (at, { message }) =>
    problems.push(`${at.join(".")}: ${message}`),
  );
  return { value, problems };
}

const none = {
  clientId: undefined,
  clientSecret: undefined,
  issuer: undefined,
  scopes: undefined,
  callbackPort: undefined,
  grant: "authorization_code",
};

describe("oauth of a server", () => {
  it.each<[ServerEntry["oauth"], unknown]>([
    [undefined, undefined],
    [false, false],
    [true, none],
    [{}, none],
    // As Claude Code writes it.
    [
      { clientId: "a", callbackPort: 8080 },
      { ...none, clientId: "a", callbackPort: 8080 },
    ],
    // As Gemini CLI writes it.
    [
      { enabled: true, scopes: ["a", "b"], redirectUri: "x" },
      { ...none, scopes: ["a", "b"] },
    ],
    [{ scopes: " a  b " }, { ...none, scopes: ["a", "b"] }],
    [
      { clientId: "a", clientSecret: "b", issuer: "https://login.example", grant: "client_credentials" },
      {
        ...none,
        clientId: "a",
        clientSecret: "b",
        issuer: "https://login.example",
        grant: "client_credentials",
      },
    ],
  ])("is read from %j", (oauth, value) => {
    expect(read(oauth)).toEqual({ value, problems: [] });
  });

  it.each<[ServerEntry["oauth"], RegExp]>([
    [{ grant: "client_credentials" }, /^oauth: .*"clientId"/],
    [{ grant: "client_credentials", clientId: "a" }, /^oauth: .*"clientSecret"/],
    [{ clientSecret: "s3cret" }, /^oauth\.clientSecret: /],
    [{ clientId: "a", clientSecret: "s3cret" }, /^oauth\.clientSecret: .*"issuer"/],
    [
      { grant: "client_credentials", clientId: "a", clientSecret: "s3cret" },
      /^oauth\.clientSecret: .*"issuer"/,
    ],
    [{ issuer: "login.example" }, /^oauth\.issuer: "login.example" is not the address/],
    [{ scopes: ["a b"] }, /^oauth\.scopes: "a b" is no scope/],
  ])("refuses %j, without the secret (CFG-2, SAFE-7)", (oauth, message) => {
    const { problems } = read(oauth);
    expect(problems).toEqual([expect.stringMatching(message)]);
    expect(problems.join()).not.toContain("s3cret");
  });
});
