import { expect, it } from "vitest";
import { parseChallenge } from "./parse-challenge.js";

const none = { resourceMetadata: undefined, scope: undefined, error: undefined };

it.each([
  ["Bearer", none],
  ['Bearer resource_metadata="https://a.example/x"', { ...none, resourceMetadata: "https://a.example/x" }],
  [
    'Basic realm="Bearer of news", bearer error="insufficient_scope", scope="a b" , resource_metadata=https://a/x',
    { resourceMetadata: "https://a/x", scope: "a b", error: "insufficient_scope" },
  ],
  ['Bearer scope="a\\"b", scope="other"', { ...none, scope: 'a"b' }],
  ['Bearer error="unfinished', none],
])("reads %s", (header, challenge) => {
  expect(parseChallenge(header)).toEqual(challenge);
});

it.each([undefined, "", "Basic realm=x", "BearerToken x=y", 'Digest realm="Bearer"'])(
  "passes over %s",
  (header) => {
    expect(parseChallenge(header)).toBeUndefined();
  },
);

it("reads what has no end in time", () => {
  expect(parseChallenge(`Bearer ${'a="\\'.repeat(200_000)}`)).toEqual(none);
});
